"""Steps per second of every learning agent with its environment.

    python benchmarks/learning.py

Evaluation is excluded (one report at the end of a run), agents keep no model that they do not need, CPU time of one
thread, best of three.  Targets are in steps per second; "spec" is a plain Numba loop on the same class of machine,
"original" the baselines' Python program.
"""

from __future__ import annotations

import time

import numpy as np

from varde.environments import river_swim
from varde.learning import PAPER
from varde.learning.measure import score_runs
from varde.paper.best_policy import BASELINES, VARDE
from varde.random import key
from varde.rule import VarDE

BUDGETS = {5: 10_000, 20: 40_000, 50: 80_000}
DEFAULT = "VarDE()"
AGENTS = {VARDE: PAPER, **BASELINES, DEFAULT: VarDE()}
TARGETS = {  # (agent, length): steps per second
    ("VarDE-Q", 20): 6e6,
    ("eps-Q", 20): 9e6,
    ("MF-BPI", 20): 2e5,
    ("PSRL", 20): 7e5,
    ("MDP-NaS", 20): 5e5,
    (DEFAULT, 20): 2e6,
    (DEFAULT, 50): 6e5,
}
SPEC = {
    "VarDE-Q": 5.8e6,
    "eps-Q": 1.1e7,
    "Q-UCB": 8.9e6,
    "MF-BPI": 1.7e5,
    "PSRL": 1.2e6,
    "MDP-NaS": 5.8e5,
    "O-BPI": 8.6e5,
}
ORIGINAL = {"eps-Q": 2.4e4, "Q-UCB": 2.1e4, "MF-BPI": 1.8e3, "PSRL": 47, "MDP-NaS": 150, "O-BPI": 140}


def seconds(work, repeats: int = 3) -> float:
    """CPU time, best of several."""
    best = np.inf
    for _ in range(repeats):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


def speed(agent, length: int) -> float:
    world, budget, runs = river_swim(length), BUDGETS[length], 4

    def work(steps=budget, runs=runs):
        score_runs(agent, world, np.array([steps]), key(0, "benchmark"), range(runs), model=False)

    work(200, 1)  # compile
    return runs * budget / seconds(work)


def main() -> None:
    print(f"{'steps per second':18}" + "".join(f"{f'RiverSwim({n})':>16}" for n in BUDGETS), "  against, at 20 states")
    for name, agent in AGENTS.items():
        speeds = {length: speed(agent, length) for length in BUDGETS}
        told = [
            f"{speeds[length] / TARGETS[name, length]:.1f} x target ({TARGETS[name, length]:.0e} at {length})"
            for length in BUDGETS
            if (name, length) in TARGETS
        ]
        told += [f"{speeds[20] / SPEC[name]:.1f} x spec"] if name in SPEC else []
        told += [f"{speeds[20] / ORIGINAL[name]:,.0f} x original"] if name in ORIGINAL else []
        print(f"{name:18}" + "".join(f"{speeds[n]:16.2e}" for n in BUDGETS), "  " + ", ".join(told), flush=True)


if __name__ == "__main__":
    main()
