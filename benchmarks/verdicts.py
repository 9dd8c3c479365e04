"""How often words about runs are wrong, and how many runs they take.

python benchmarks/verdicts.py ties|single|compare|pooled|decide|whole [--repeat 200] [--seed 1] [--out FILE.json]

ties     claims about rows that tie exactly: made-up runs, and runs of one planner or learner dealt to seven rows
single   one exact tie with heavy tails, few values, or a long tail on one side
pooled   how often the interval of an interquartile mean over six problems holds the truth
compare  two folders of one program with other seeds: how often something is said to have changed
decide   Table 1 until its verdicts are decided: by the package's rule, by open cells in turn, by equal shares
whole    real runs of Table 1 until its numbers and claims are decided; --folder keeps them
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from varde.random import key
from varde.studies.judging.family import decide_all
from varde.studies.study import Outcome, Study

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


def pooled(repeat: int, seed: int) -> list[dict]:
    """Scores of six problems, the truth by many runs."""
    from varde.studies.aggregates import interquartile_mean, of_problems

    shapes = ((2.0, 1.0), (5.0, 1.0), (1.0, 1.0), (1.0, 3.0), (8.0, 0.5), (0.5, 0.5))
    found = []
    for runs in (2, 3, 5, 10):
        rng = np.random.default_rng(seed)
        truth = interquartile_mean(np.concatenate([rng.beta(*shape, 100_000) for shape in shapes]))
        missed = 0
        for _ in range(repeat):
            made = of_problems({str(shape): rng.beta(*shape, runs) for shape in shapes})
            missed += not made.low <= truth <= made.high
        found.append({"rows": "interquartile mean", "runs": runs, "repeat": repeat, "missed": missed})
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


def decide(repeat: int, seed: int) -> list[dict]:
    """Table 1 with runs drawn from the shares recorded (as measured), or printed (a right program)."""
    from varde.paper.table_1 import study
    from varde.studies.results import read

    table = study()
    rows = [row for row in read(Path("docs/results/table-1.json"))["rows"] if row.published is not None]
    found = []
    for truth in ("right", "as measured"):
        for rule in RULES:
            rng, spent = np.random.default_rng(seed), []
            for _ in range(repeat):
                shares = [(row.published if truth == "right" else row.value) / 100.0 for row in rows]
                spent.append(until(table, rows, shares, rule, rng))
            runs, wrong = np.median([s[0] for s in spent]), np.mean([s[1] for s in spent])
            found.append({"program": truth, "rule": rule, "repeat": repeat, "runs": float(runs), "wrong": float(wrong)})
            print(found[-1], flush=True)
    return found


def whole(repeat: int, seed: int, folder: str = "") -> list[dict]:
    """Real runs of Table 1 until 57 of its 56 numbers and 4 claims are decided: by the rule, and by equal shares."""
    from varde._pool import threads
    from varde.paper.table_1 import study
    from varde.studies.running import complete, plan
    from varde.studies.store import NAME, Blocks
    from varde.studies.until import Deciding

    class EqualShares(Deciding):
        """All cells have as many runs as any; those of cells that are decided are counted, not made."""

        shares = 0

        def likeliest(self) -> tuple[list[int], int] | None:
            cells = [(self.next_runs(cell), [cell.index]) for cell in self.cells if not cell.decided]
            claims = [(self.next_look(one), one.cells) for one in self.claims.values() if not one.decided]
            runs, _ = min(open := cells + claims)
            self.shares = runs * len(self.plan.study.cells)
            self.say(f"{self.shares:,} runs in equal shares, {self.left()} open")
            return sorted({i for _, some in open for i in some}), runs

    found = []
    with Blocks(Path(folder) / NAME) as store, threads(1) as pool:
        for rule in (Deciding, EqualShares):
            made = plan(study(), 0, seed, store)
            deciding = rule(made, lambda made: list(complete([made], pool, store=store)), store, 10**9, print)
            deciding.run()
            runs = deciding.shares if isinstance(deciding, EqualShares) else sum(made.runs_of)
            found.append({"rule": rule.__name__, "runs": runs, "open": deciding.left()})
            print(found[-1], flush=True)
    return found


RULES = ("worth", "varde", "open in turn", "equal shares")


def until(
    table: Study, rows: list[Outcome], shares: list[float], rule: str, rng: np.random.Generator
) -> tuple[int, int]:
    """Runs until 95 % of the verdicts are decided, six million at most; and how many words are wrong."""
    from varde.studies.judging.intervals import share_ends
    from varde.studies.judging.levels import look_level, look_runs, worth
    from varde.studies.judging.verdict import CANNOT_TELL, SAME, margin, run_sigma, verdict

    sigmas = [run_sigma(table, row) for row in rows]
    margins = [margin(table, row, table.relative, 3.0, sigma) for row, sigma in zip(rows, sigmas, strict=True)]
    costs = [float(row.step) for row in rows]
    ones, runs, looks = [0] * len(rows), [0] * len(rows), [0] * len(rows)
    words: dict[int, str] = {}

    def go(i: int) -> None:
        to = 500 * -(-look_runs(looks[i], sigmas[i], margins[i], True) // 500)
        ones[i], runs[i] = ones[i] + int(rng.binomial(to - runs[i], shares[i])), to
        if i in words:  # equal shares go on with what is decided
            looks[i] += 1
            return
        low, high = share_ends(np.array([ones[i]]), to, look_level(looks[i]))
        row = rows[i]._replace(value=100.0 * ones[i] / to, runs=to, low=100.0 * low[0], high=100.0 * high[0])
        rows[i], looks[i] = row._replace(level=look_level(looks[i])), looks[i] + 1
        if (word := verdict(table, rows[i]).word) != CANNOT_TELL:
            words[i] = word

    def score(i: int) -> float:
        apart = rows[i].value - float(rows[i].published or 0.0)
        if rule == "worth":
            return worth(apart, runs[i], sigmas[i], margins[i], looks[i], True, costs[i])
        if rule == "varde":  # the side of the margin's edge is the decision: influence by distance in errors
            error = sigmas[i] / runs[i] ** 0.5
            return float(np.exp(-abs(abs(apart) - margins[i]) / error) * error**2 / runs[i] / costs[i])
        return -float(runs[i])

    for i in range(len(rows)):
        go(i)
    while len(words) < 0.95 * len(rows) and sum(runs) < 6_000_000:
        going = [i for i in range(len(rows)) if i not in words or rule == "equal shares"]
        go(max(going, key=score))
    right = [abs(100.0 * shares[i] - float(rows[i].published or 0.0)) <= margins[i] for i in range(len(rows))]
    return sum(runs), sum((word == SAME) != right[i] for i, word in words.items())


COMMANDS = {"ties": ties, "single": single, "pooled": pooled, "compare": compare, "decide": decide, "whole": whole}

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
