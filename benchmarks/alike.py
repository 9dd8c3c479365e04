"""Options that resemble each other: against strangers, and at equal evaluations against other tools.

    python benchmarks/alike.py worlds [--runs 20] [--seed 1000]         # regret against strangers, and calibration
    python -m venv peers && peers/bin/pip install . optuna botorch
    peers/bin/python benchmarks/alike.py peers [--runs 30] [--seed 2000] [--ways "alike=True" ...]

Regret is in standard deviations of the true means over the options.  Every tool gets the same options and evaluations,
one at a time.  Optuna chooses parameters from their lists of values, and the nearest option is evaluated; it does not
say which option is best under noise, so that is taken by the highest mean, shrunk as if there was one more result at
the mean of all.  BoTorch (log noisy expected improvement) chooses among the options, answers by the posterior mean of
its process, and is fitted after 15 % more results, as we do.  Writes docs/results/alike.json and alike-peers.json.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from alike_worlds import WORLDS, World, make

PEERS = (
    "Gaussian process, 2-d", "Gaussian process, 4-d", "(s, S) inventory", "categories, additive", "doses", "cliff",
    "0/1 results", "unequal noise", "Hartmann", "useless features",
)  # fmt: skip
EVALUATIONS = 30  # with which tools are compared
RESULTS = Path(__file__).parents[1] / "docs" / "results"


class Told:
    """The results of one run."""

    def __init__(self, world: World, seed: int):
        self.world, self.rng = world, np.random.default_rng([seed, 7])
        self.counts, self.sums = np.zeros((2, len(world.options)))
        self.chosen: list[int] = []
        self.values: list[float] = []

    def __call__(self, i: int) -> float:
        value = self.world.draw(i, self.rng)
        self.counts[i] += 1
        self.sums[i] += value
        self.chosen.append(i)
        self.values.append(value)
        return value

    def shrunk(self) -> int:
        mean = np.mean(self.values)
        return int(np.where(self.counts > 0, (self.sums + mean) / (self.counts + 1.0), -np.inf).argmax())


def columns(world: World) -> np.ndarray:
    """[K, D] the parameters in [0, 1], as we read them."""
    from varde.beliefs.features import rows_of, space_of

    given = [str(i) for i in range(len(world.options))]
    return space_of(rows_of(given, world.options, world.features)).points


# -- tools: each spends the budget and returns the option it takes ------------------------------------


def with_alike(world: World, told: Told, budget: int, seed: int) -> Any:
    from varde import Selector

    given: dict[str, Any] = {"alike": True if world.features is None else world.features}
    return spend(Selector(dict(named(world, range(len(world.options)))), budget, seed=seed, **given), told)


def with_strangers(world: World, told: Told, budget: int, seed: int) -> Any:
    """All options if each can be tried; else a third as many as evaluations, at random."""
    from varde import Selector

    size = len(world.options)
    some = range(size)
    if budget < size:
        some = np.random.default_rng(seed).choice(size, max(budget // 3, 2), replace=False).tolist()
    return spend(Selector(dict(named(world, some)), budget, seed=seed), told)


def named(world: World, some: Any) -> list[tuple[str, Any]]:
    return [(str(i), world.options[i]) for i in some]


def spend(selector: Any, told: Told) -> Any:
    while (draw := selector.ask()) is not None:
        selector.tell(draw, told(int(draw.name)))
    return selector


def with_optuna(world: World, told: Told, budget: int, seed: int, sampler: str = "TPESampler") -> int:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    first, points = world.options[0], columns(world)
    lists = {
        key: sorted({option[key] for option in world.options}, key=str if isinstance(first[key], str) else float)
        for key in first
    }
    place = {tuple(option[key] for key in first): i for i, option in enumerate(world.options)}

    def objective(trial: Any) -> float:
        found = {}
        for key, values in lists.items():
            if isinstance(values[0], (str, bool)):
                found[key] = trial.suggest_categorical(key, values)
            else:
                found[key] = values[trial.suggest_int(key, 0, len(values) - 1)]
        i = place.get(tuple(found.values()))
        return told(nearest(world, points, found) if i is None else i)

    study = optuna.create_study(direction="maximize", sampler=getattr(optuna.samplers, sampler)(seed=seed))
    study.optimize(objective, n_trials=budget)
    return told.shrunk()


def with_optuna_gp(world: World, told: Told, budget: int, seed: int) -> int:
    return with_optuna(world, told, budget, seed, "GPSampler")


def nearest(world: World, points: np.ndarray, wanted: dict[str, Any]) -> int:
    """The option nearest to these parameters, all of which some option has."""
    at = [points[next(i for i, o in enumerate(world.options) if o[key] == x)] for key, x in wanted.items()]
    target = np.array([at[k][k] for k in range(len(at))])
    return int(((points[:, : target.size] - target) ** 2).sum(axis=1).argmin())


def with_botorch(world: World, told: Told, budget: int, seed: int) -> int:
    import torch
    from botorch.acquisition.logei import qLogNoisyExpectedImprovement
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Standardize
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    points = torch.tensor(columns(world), dtype=torch.double)
    for i in np.random.default_rng(seed).choice(len(points), min(max(budget // 4, 5), len(points)), replace=False):
        told(int(i))
    state, due, model = None, 0.0, None
    while True:
        x, y = points[told.chosen], torch.tensor(told.values, dtype=torch.double)[:, None]
        model = SingleTaskGP(x, y, outcome_transform=Standardize(m=1))
        if len(told.values) >= due:
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            state, due = model.state_dict(), max(1.15 * len(told.values), len(told.values) + 3)
        else:
            model.load_state_dict({name: part for name, part in state.items() if "outcome" not in name}, strict=False)
            model.eval()
        with torch.no_grad():
            if len(told.values) >= budget:
                return int(model.posterior(points).mean.argmax())
            worth = qLogNoisyExpectedImprovement(model, x, prune_baseline=True)(points[:, None, :])
            told(int(worth.argmax()))


WAYS = {
    "alike=True": with_alike,
    "strangers": with_strangers,
    "Optuna, TPE": with_optuna,
    "Optuna, GP": with_optuna_gp,
    "BoTorch": with_botorch,
}


def run(way: str, kind: str, seed: int, budget: int | None = None) -> dict[str, Any]:
    """One run: regret, whether the best was taken, CPU per evaluation; of ours also how sure it was."""
    world, usual = make(kind, seed)
    told, began = Told(world, seed), time.process_time()
    found = WAYS[way](world, told, budget or usual, seed)
    took, truth = time.process_time() - began, world.truth
    line: dict[str, Any] = {}
    if not isinstance(found, int):
        answer = found.recommend()
        best = answer[answer.best_name]
        found = int(answer.best_name)
        held = best.low <= truth[found] <= best.high
        line = {"p": answer.p_right, "held": bool(held), "report": time.process_time() - began - took}
        line["inside"] = float(np.mean([row.low <= truth[int(row.name)] <= row.high for row in answer.rows]))
    regret = float((truth.max() - truth[found]) / truth.std())
    return line | {"regret": regret, "best": regret < 1e-12, "ask": took / len(told.values)}


# -- commands ----------------------------------------------------------------------------------------


def worlds(kind: str, runs: int, seed: int) -> dict[str, Any]:
    """Both requirements: regret against strangers, and calibration."""
    ours, theirs = ([run(way, kind, seed + k) for k in range(runs)] for way in ("alike=True", "strangers"))
    regret, other = (np.array([line["regret"] for line in lines]) for lines in (ours, theirs))
    sure = [line["best"] for line in ours if line["p"] >= 0.9]
    world, budget = make(kind, seed)
    return {
        "runs": runs,
        "options": len(world.options),
        "budget": budget,
        "alike": with_error(regret),
        "strangers": with_error(other),
        "lead": with_error(other - regret),
        "sure": [sum(sure), len(sure)],
        **{name: float(np.mean([line[name] for line in ours])) for name in ("held", "inside")},
    }


def peer(way: str, kind: str, runs: int, seed: int) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lines = [run(way, kind, seed + k, EVALUATIONS) for k in range(runs)]
    best, ask = np.mean([line["best"] for line in lines]), np.median([line["ask"] for line in lines])
    return {
        "runs": runs,
        "regret": with_error(np.array([line["regret"] for line in lines])),
        "best": round(float(best), 4),
        "ask": round(1e3 * float(ask), 3),
    }


def with_error(values: np.ndarray) -> list[float]:
    return [round(float(x), 4) for x in (values.mean(), values.std() / math.sqrt(values.size))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("worlds", "peers"))
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--only", default="", help="worlds whose names contain this")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), help="what others have stays in the results file")
    given = parser.parse_args()
    path = RESULTS / ("alike.json" if given.what == "worlds" else "alike-peers.json")
    found: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    for kind in (kind for kind in (WORLDS if given.what == "worlds" else PEERS) if given.only in kind):
        if given.what == "worlds":
            found[kind] = worlds(kind, given.runs or 20, given.seed or 1000)
        else:
            for way in given.ways:
                found.setdefault(kind, {})[way] = peer(way, kind, given.runs or 30, given.seed or 2000)
        path.write_text(json.dumps(found, indent=1) + "\n")
        print(kind, found[kind], flush=True)


if __name__ == "__main__":
    main()
