"""Choosing the best of ten noisy options with 300 evaluations, by this package and by others that are installed.

    python -m venv peers && peers/bin/pip install . optuna "scikit-learn<1.8" sim-tools
    peers/bin/python benchmarks/peers_selection.py [--quick] [--json docs/results/peers-selection.json]
    python docs/tables/fill.py which_tool_tables             # writes the table into docs/which-tool.md

All minimise a cost.  Each library is used as its documentation recommends for noise, and where it only returns the best
single evaluation, we take the option with the lowest mean of its evaluations instead.  Run r of every library has noise
of its own seed; what is counted is how often the option with the really lowest mean is recommended.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib.metadata
import json
import math
import platform
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import varde

K, BUDGET = 10, 300
GAPS = np.array([0.0, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 1.0])
NOISY = np.array([1.5, 0.5, 0.5, 1.5, 0.5, 1.5, 0.5, 0.5, 1.5, 0.5])


class Task(NamedTuple):
    name: str
    means: np.ndarray  # [K] what an evaluation costs on average; the first is the best
    draw: Callable[[int, np.random.Generator], float]


TASKS = [
    Task("equal noise", 5.0 + GAPS, lambda i, rng: 5.0 + GAPS[i] + rng.normal()),
    Task("unequal noise", 5.0 + GAPS, lambda i, rng: 5.0 + GAPS[i] + NOISY[i] * rng.normal()),
    Task("success or failure", 0.1 + 0.25 * GAPS, lambda i, rng: float(rng.random() < 0.1 + 0.25 * GAPS[i])),
]


class Costs:
    """The options of one run, in an order of its own, so that no library profits from taking the first; counts."""

    def __init__(self, task: Task, run: int):
        self.rng = np.random.default_rng([run, len(task.name)])
        self.order = self.rng.permutation(K)
        self.task, self.sums, self.counts = task, np.zeros(K), np.zeros(K)

    def __call__(self, option: int) -> float:
        cost = self.task.draw(int(self.order[option]), self.rng)
        self.sums[option] += cost
        self.counts[option] += 1
        return cost

    def lowest_mean(self) -> int:
        return int(np.argmin(np.where(self.counts > 0, self.sums / np.maximum(self.counts, 1), np.inf)))


# -- each returns the recommended option, and how sure it says to be (None: it does not say) -----------


def equal_split(costs: Costs, run: int) -> tuple[int, float | None]:
    """Grid search: every option as often as any other.  Optuna's GridSampler or a for loop."""
    for option in list(range(K)) * (BUDGET // K):
        costs(option)
    return costs.lowest_mean(), None


def with_varde(costs: Costs, run: int) -> tuple[int, float | None]:
    found = varde.select(costs, list(range(K)), BUDGET, goal="min", seed=run)
    return int(found.best), found.p_right


def with_optuna(costs: Costs, run: int, averaged: int = 1) -> tuple[int, float | None]:
    """The default sampler, one evaluation or several averaged for each trial."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        option = trial.suggest_categorical("option", list(range(K)))
        return float(np.mean([costs(option) for _ in range(averaged)]))

    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=run))
    study.optimize(objective, n_trials=BUDGET // averaged)
    return costs.lowest_mean(), None


def with_halving(costs: Costs, run: int) -> tuple[int, float | None]:
    """HalvingGridSearchCV, the number of evaluations as the resource: 10 options 6 times, 5 12 times, and so on."""
    from sklearn.base import BaseEstimator
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import HalvingGridSearchCV

    class Averaged(BaseEstimator):  # type: ignore[misc]
        def __init__(self, option: int = 0, evaluations: int = 1):
            self.option, self.evaluations = option, evaluations

        def fit(self, X: Any, y: Any = None) -> Averaged:
            return self

        def score(self, X: Any, y: Any = None) -> float:
            return -float(np.mean([costs(self.option) for _ in range(self.evaluations)]))

    rows = np.zeros((2, 1))
    search = HalvingGridSearchCV(
        Averaged(), {"option": list(range(K))}, resource="evaluations", factor=2, min_resources=6, max_resources=48,
        aggressive_elimination=False, cv=[(np.array([0, 1]), np.array([0, 1]))], refit=False,
        random_state=run, return_train_score=False,
    )  # fmt: skip
    search.fit(rows)
    return int(search.best_params_["option"]), None


def with_sim_tools(costs: Costs, run: int) -> tuple[int, float | None]:
    """OCBA with the recommended five first replications, and ten a time."""
    from sim_tools.ovs.fixed_budget import OCBA

    class Model:
        def register_observer(self, observer: Any) -> None:
            self.observer = observer

        def simulate(self, design: int) -> None:
            self.observer.feedback(self, design, costs(design))

    return int(OCBA(Model(), K, BUDGET, delta=10, n_0=5, obj="min").solve()), None


WAYS: dict[str, tuple[Callable[[Costs, int], tuple[int, float | None]], str, int]] = {
    # the library, and the share of the runs that is affordable
    "varde": (with_varde, "varde", 1),
    "equal split (grid search)": (equal_split, "", 1),
    "sim-tools, OCBA": (with_sim_tools, "sim-tools", 1),
    "scikit-learn, HalvingGridSearchCV": (with_halving, "scikit-learn", 1),
    "Optuna, TPE, ten evaluations averaged": (functools.partial(with_optuna, averaged=10), "optuna", 1),
    "Optuna, TPE, one evaluation a trial": (with_optuna, "optuna", 4),
}


def measured(name: str, task: Task, runs: int) -> dict[str, Any] | None:
    way, package, share = WAYS[name]
    runs = max(1, runs // share)
    right, sure, spent, began = [], [], [], time.process_time()
    for run in range(runs):
        costs = Costs(task, run)
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(None):
                warnings.simplefilter("ignore")
                option, stated = way(costs, run)
        except ImportError as error:
            print(f"{name}: {error}")
            return None
        right.append(costs.order[option] == 0)
        spent.append(costs.counts.sum())
        sure += [] if stated is None else [stated]
    took, mean = time.process_time() - began, float(np.mean(right))
    return {
        "way": name,
        "version": importlib.metadata.version(package) if package else "",
        "task": task.name,
        "runs": runs,
        "right": mean,
        "stderr": math.sqrt(mean * (1.0 - mean) / runs),
        "stated": float(np.mean(sure)) if sure else None,
        "evaluations": float(np.mean(spent)),
        "milliseconds": 1e3 * took / runs,
    }


def main(runs: int, only: str, path: Path | None) -> None:
    rows = json.loads(path.read_text())["rows"] if path and path.exists() else []
    for name in [way for way in WAYS if only in way]:
        for task in TASKS:
            row = measured(name, task, runs)
            if row is None:
                break
            says = "" if row["stated"] is None else f", says {100 * row['stated']:.0f} %"
            print(f"{name:40} {task.name:20} {100 * row['right']:5.1f} ± {100 * row['stderr']:.1f} %{says}", end="")
            print(f"  {row['evaluations']:.0f} evaluations, {row['milliseconds']:.0f} ms", flush=True)
            rows = [old for old in rows if (old["way"], old["task"]) != (name, task.name)] + [row]
            if path:  # at once: all of it takes long
                rows.sort(key=lambda row: list(WAYS).index(row["way"]))
                found = {"budget": BUDGET, "options": K, "python": platform.python_version(), "rows": rows}
                path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few runs")
    parser.add_argument("--only", default="", help="libraries with this in their name")
    parser.add_argument("--json", type=Path, help="where the results go; those of other libraries stay")
    given = parser.parse_args()
    main(20 if given.quick else 200, given.only, given.json)
