"""Options that resemble each other: against strangers, and at equal evaluations against other tools.

    python benchmarks/alike.py worlds [--runs 100] [--seed 1000]        # regret against strangers, and calibration
    python benchmarks/alike.py cost                                     # ask + tell, and the report, by K
    python -m venv peers && peers/bin/pip install . optuna botorch scikit-optimize
    peers/bin/python benchmarks/alike.py peers [--runs 30] [--seed 2000] [--json docs/results/alike-peers.json]

Regret is in standard deviations of the true means over the options.  Every tool gets the same options and evaluations,
one at a time.  Optuna chooses parameters from their lists of values, and the nearest option is evaluated; it does not
say which option is best under noise, so that is taken by the highest mean, shrunk as if there was one more result at
the mean of all.  BoTorch (log noisy expected improvement) and scikit-optimize (expected improvement) choose among the
options and answer by the posterior mean of their process; BoTorch is fitted after 15 % more results, as we do.
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
SHARE = 5  # runs of every world before the next ones


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


def with_random(world: World, told: Told, budget: int, seed: int) -> int:
    """Random search, three results for each option."""
    some = np.random.default_rng(seed).permutation(len(world.options))[: max(budget // 3, 1)]
    for k in range(budget):
        told(int(some[k % some.size]))
    return int(some[(told.sums[some] / np.maximum(told.counts[some], 1.0)).argmax()])


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


def with_skopt(world: World, told: Told, budget: int, seed: int) -> int:
    from skopt.acquisition import gaussian_ei
    from skopt.learning import GaussianProcessRegressor
    from skopt.learning.gaussian_process.kernels import ConstantKernel, Matern

    points, model, due = columns(world), None, 0.0
    for i in np.random.default_rng(seed).choice(len(points), min(max(budget // 4, 5), len(points)), replace=False):
        told(int(i))
    while True:
        x, y = points[told.chosen], -np.array(told.values)
        again = len(told.values) >= due
        if again:
            kernel = ConstantKernel(1.0) * Matern(np.full(points.shape[1], 0.5), (0.01, 100.0), nu=2.5)
            due = max(1.15 * len(told.values), len(told.values) + 3)
        else:
            kernel = model.kernel_
        model = GaussianProcessRegressor(
            kernel, noise="gaussian" if again else None, normalize_y=True, n_restarts_optimizer=2 if again else 0,
            random_state=seed, optimizer="fmin_l_bfgs_b" if again else None,
        ).fit(x, y)  # fmt: skip
        if len(told.values) >= budget:
            return int(model.predict(points).argmin())
        told(int(gaussian_ei(points, model, y_opt=float(model.predict(x).min())).argmax()))


WAYS = {
    "alike=True": with_alike,
    "strangers": with_strangers,
    "random, 3 each": with_random,
    "Optuna, TPE": with_optuna,
    "Optuna, GP": with_optuna_gp,
    "BoTorch": with_botorch,
    "scikit-optimize": with_skopt,
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


def error(values: Any) -> float:
    return float(np.std(values) / math.sqrt(len(values)))


# -- commands ----------------------------------------------------------------------------------------


def worlds(runs: int, seed: int, kinds: list[str]) -> dict[str, Any]:
    """Both requirements: regret against strangers, and calibration."""
    found: dict[str, Any] = {}
    for kind in kinds:
        found[kind] = {way: [run(way, kind, seed + k) for k in range(runs)] for way in ("alike=True", "strangers")}
        ours, theirs = found[kind].values()
        regrets = [np.array([line["regret"] for line in lines]) for lines in (ours, theirs)]
        lead = regrets[1] - regrets[0]
        sure = [line["best"] for line in ours if line["p"] >= 0.9]
        cells = [
            f"{x.mean():{sign}.3f} ± {error(x):.3f}" for x, sign in ((regrets[0], ""), (regrets[1], ""), (lead, "+"))
        ]
        cells.append(", ".join(f"{np.mean([line['best'] for line in lines]):.2f}" for lines in (ours, theirs)))
        cells.append(f"{np.mean([line['p'] for line in ours]):.2f} | {sum(sure)} of {len(sure)}")
        cells += [f"{100 * np.mean([line[name] for line in ours]):.0f}" for name in ("held", "inside")]
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)
    return found


def peers(runs: int, seed: int, kinds: list[str], ways: list[str], path: Path | None) -> dict[str, Any]:
    """All tools; what ``path`` has already is not measured again."""
    found: dict[str, Any] = json.loads(path.read_text()) if path is not None and path.exists() else {}
    for many in sorted({*range(SHARE, runs, SHARE), runs}):  # a part of the runs of all worlds before the next part
        for kind, way in ((kind, way) for kind in kinds for way in ways):
            lines = found.setdefault(kind, {}).setdefault(way, [])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                lines += [run(way, kind, seed + k, EVALUATIONS) for k in range(len(lines), many)]
            if path is not None:
                path.write_text(json.dumps(found))
    for kind in kinds:
        cells = []
        for lines in found[kind].values():
            regret = [line["regret"] for line in lines]
            best, ask = np.mean([line["best"] for line in lines]), 1e3 * np.median([line["ask"] for line in lines])
            cells.append(f"{np.mean(regret):.3f} ± {error(regret):.3f} ({best:.2f}, {ask:.0f} ms)")
        print(f"| {kind} | {' | '.join(cells)} |", flush=True)
    return found


def cost() -> None:
    """CPU time by K, three parameters, after the first fit."""
    from varde import Selector

    for size, budget in ((20, 100), (100, 200), (300, 300), (1000, 400), (1000, 3000), (10_000, 400)):
        rng = np.random.default_rng(0)
        options = {str(i): tuple(point) for i, point in enumerate(rng.random((size, 3)))}
        selector, times = Selector(options, budget, alike=True), []
        while True:
            began = time.process_time()
            draw = selector.ask()
            if draw is None:
                break
            selector.tell(draw, -sum((x - 0.4) ** 2 for x in draw.option) + 0.3 * rng.normal())
            times.append(time.process_time() - began)
        began = time.process_time()
        selector.recommend()
        report = time.process_time() - began
        late = np.array(times[budget // 2 :]) * 1e3
        print(
            f"| {size:,} | {budget:,} | {np.median(late):.2f} ms | {late.mean():.2f} ms | {late.max():.0f} ms "
            f"| {report:.2f} s |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("worlds", "peers", "cost"))
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--only", help="worlds whose names contain this")
    parser.add_argument("--exactly", help="the world of this name")
    parser.add_argument("--ways", nargs="*", default=list(WAYS))
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.what == "cost":
        cost()
        return
    every = (
        sorted(WORLDS, key=lambda kind: WORLDS[kind][2]) if given.what == "worlds" else PEERS
    )  # without structure first
    kinds = [kind for kind in every if given.only is None or given.only in kind]
    kinds = kinds if given.exactly is None else [given.exactly]
    if given.what == "worlds":
        found = worlds(given.runs, given.seed, kinds)
    else:
        found = peers(given.runs, given.seed, kinds, given.ways, given.json)
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
