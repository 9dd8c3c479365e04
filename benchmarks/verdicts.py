"""How often words about runs are wrong.

python benchmarks/verdicts.py ties|single|compare [--repeat 200] [--seed 1] [--out FILE.json]

ties     claims about rows that tie exactly: made-up runs, and runs of one planner or learner dealt to seven rows
single   one exact tie with heavy tails, few values, or a long tail on one side
compare  two folders of one program with other seeds: how often something is said to have changed
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from varde.random import key
from varde.studies.judging.family import decide_all

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
    "FrozenLake, VarDE as run": lambda runs, seed: planner("VarDE as run", runs, seed),
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


def difference(kind: str, runs: int, rng: np.random.Generator) -> np.ndarray:
    """[runs, 1] of mean 0: by how much a row is ahead of another, or of a level."""
    first, second = rng.normal(size=(2, runs, 1))
    if kind == "Student, 2 degrees":
        return rng.standard_t(2, (runs, 1)) - rng.standard_t(2, (runs, 1))
    if kind == "three values":
        return np.digitize(first, [-0.5, 1.5]) - np.digitize(second, [-0.5, 1.5]).astype(float)
    if kind == "rare events":
        return (first > 2.0).astype(float) - (second > 2.0)
    if kind == "one run in twenty fails":
        return 0.1 * (first - second) + (rng.random((runs, 1)) < 0.05) - (rng.random((runs, 1)) < 0.05)
    if kind == "most noise shared":
        return np.exp(first) * (np.exp(0.3 * second) - np.exp(0.3 * rng.normal(size=(runs, 1))))
    skewed = rng.exponential(size=(runs, 1)) - 1.0 if kind.startswith("exponential") else np.exp(first) - np.exp(0.5)
    return skewed if kind.endswith("above a level") else -skewed


KINDS = (
    "Student, 2 degrees",
    "three values",
    "rare events",
    "one run in twenty fails",
    "most noise shared",
    *(f"{kind}, {side} a level" for kind in ("exponential", "lognormal") for side in ("above", "below")),
)


def single(repeat: int, seed: int) -> list[dict]:
    found = []
    for kind in KINDS:
        rng = np.random.default_rng(seed)
        for runs in (5, 10, 25, 100, 1000):
            words = {"holds": 0, "undecided": 0, "does not hold": 0}
            for _ in range(repeat):
                words[decide_all(difference(kind, runs, rng)).word] += 1
            found.append({"rows": kind, "runs": runs, "repeat": repeat, **words})
            print(found[-1], flush=True)
    return found


def compare(repeat: int, seed: int, folder: str = "") -> list[dict]:
    """One program, two seeds: any row called changed is an alarm.

    Ten made-up rows; and the studies of a folder of results, whole, some of whose runs are dealt to two sides.
    """
    from varde.studies.judging.changes import FEWEST, apart

    found = []
    kinds: dict[str, list[np.ndarray]] = {kind: [] for kind in ("normal", "0/1", "lognormal")}
    for kind, cells in (kinds | studies_in(folder)).items():
        rng = np.random.default_rng(seed)
        for runs in (2, 3, 5, 10, 50, 100):
            if 2 * runs > min(map(len, cells), default=700):
                continue
            alarms = 0
            for _ in range(repeat):
                some = cells or [made_up(kind, rng)[: 2 * runs] for _ in range(10)]
                dealt = rng.permutation(min(map(len, some)))[: 2 * runs]  # the same of all rows: they share streams
                sides = [(row[dealt[:runs]], row[dealt[runs:]]) for row in some]
                alarms += runs >= FEWEST and min(cell.p for cell in apart(sides)) <= 0.05
            found.append({"rows": kind, "cells": len(cells) or 10, "runs": runs, "repeat": repeat, "alarms": alarms})
            print(found[-1], flush=True)
    return found


def studies_in(folder: str) -> dict[str, list[np.ndarray]]:
    """The runs of every cell, at ten of its steps or fewer, by study."""
    from varde.studies.compare import load_side

    found: dict[str, list[np.ndarray]] = {}
    for (study, *_), (_, values) in load_side(Path(folder)).runs.items() if folder else ():
        columns = np.unique(np.linspace(0, values.shape[1] - 1, 10).round().astype(int))
        found.setdefault(study, []).append(np.asarray(values[:1000, columns], float))
    return found


COMMANDS = {"ties": ties, "single": single, "compare": compare}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("--repeat", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default="", help="compare: results of varde reproduce")
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    more = {"folder": given.folder} if given.folder else {}
    rows = COMMANDS[given.what](given.repeat, given.seed, **more)
    if given.out:
        lines = ",\n".join("  " + json.dumps(row) for row in rows)
        Path(given.out).write_text(f'{{"settings": {json.dumps(vars(given))}, "rows": [\n{lines}\n]}}\n')
