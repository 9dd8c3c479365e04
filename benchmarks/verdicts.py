"""How often words about runs are wrong, and how many runs they take.

python benchmarks/verdicts.py ties|compare|decide [--repeat 200] [--seed 1] [--out docs/results/verdicts-ties.json]

ties     claims about rows that tie exactly: made-up runs, and runs of one planner or learner dealt to seven rows
compare  two folders of one program with other seeds: how often something is said to have changed
decide   Table 1 until its verdicts are decided: by the package's rule, by open cells in turn, by equal shares
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from varde.experiments.judging.family import decide_all
from varde.random import key

ROWS, STEPS = 7, 30


def made_up(kind: str, rng: np.random.Generator) -> np.ndarray:
    """[700, 30] runs of which neighbouring checkpoints correlate by .9."""
    noise = rng.normal(size=(700, STEPS))
    for step in range(1, STEPS):
        noise[:, step] = 0.9 * noise[:, step - 1] + np.sqrt(0.19) * noise[:, step]
    return {"normal": noise, "0/1": (noise > 1.0).astype(float), "lognormal": np.exp(noise)}[kind]


def planner(name: str, runs: int, seed: int) -> np.ndarray:
    """Values of a planner on FrozenLake at 30 checkpoints."""
    from varde.paper import STUDIES

    cell = next(cell for cell in STUDIES["frozen-lake"]().cells if cell.algorithm == name)
    measure, steps = cell.measure, tuple(range(200, 6001, 200))
    return np.asarray(measure.func(*measure.args[:-1], steps, key(seed, name), 0, runs))


def learner(name: str, runs: int, seed: int) -> np.ndarray:
    """Scores of a learner on RiverSwim(5) at 30 of its checkpoints."""
    from varde.paper import STUDIES

    cell = next(
        cell for cell in STUDIES["river-swim"]().cells if (cell.problem, cell.algorithm) == ("RiverSwim(5)", name)
    )
    values = np.asarray(cell.measure(key(seed, name), 0, runs))
    values = values[:, :: max(len(cell.quantities), 1)]
    return values[:, np.linspace(0, values.shape[1] - 1, STEPS).round().astype(int)]


POOLS: dict[str, Callable[[int, int], np.ndarray]] = {
    "FrozenLake, UCT": lambda runs, seed: planner("UCT", runs, seed),
    "FrozenLake, BTS": lambda runs, seed: planner("BTS", runs, seed),
    "FrozenLake, VarDE as-run": lambda runs, seed: planner("VarDE as-run", runs, seed),
    "RiverSwim, eps-Q": lambda runs, seed: learner("eps-Q", runs, seed),
    "RiverSwim, MF-BPI": lambda runs, seed: learner("MF-BPI", runs, seed),
}


def throughout(rows: np.ndarray) -> np.ndarray:
    """[rows, runs, steps]: the first row against each other at every checkpoint."""
    return (rows[:1] - rows[1:]).transpose(1, 0, 2).reshape(rows.shape[1], -1)


def ties(repeat: int, seed: int) -> list[dict]:
    found = []
    for kind in ("normal", "0/1", "lognormal", *POOLS):
        rng = np.random.default_rng(seed)
        pool = POOLS[kind](700, seed) if kind in POOLS else None
        for runs in (5, 10, 25, 100):
            words = {"holds": 0, "undecided": 0, "does not hold": 0}
            for _ in range(repeat):
                some = made_up(kind, rng) if pool is None else pool
                dealt = some[rng.permutation(len(some))[: ROWS * runs]].reshape(ROWS, runs, STEPS)
                words[decide_all(throughout(dealt)).word] += 1
            found.append({"rows": kind, "runs": runs, "repeat": repeat, **words})
            print(found[-1], flush=True)
    return found


COMMANDS = {"ties": ties}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    rows = COMMANDS[given.what](given.repeat, given.seed)
    if given.out:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        Path(given.out).write_text(f'{{"settings": {json.dumps(vars(given))}, "rows": [\n{lines}\n]}}\n')
