"""What changed between two sets of results, number by number.

Same seed, runs and setting: a number is the same to the last bit, or it changed.  Otherwise Welch's test of the means,
with Bonferroni's correction for all of them, where there are enough runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .judging.quantiles import normal_quantile, student_quantile, student_tail
from .provenance import Made
from .results import NoResultsError, files_in, read
from .study import Outcome

LEVEL = 0.05  # how often two folders that differ only by chance are said to differ
FEWEST, OUTCOMES = 10, 5  # runs per side, and runs of either outcome, for the test
PROBABLY = 0.8
CHANGED, UNSEEN, FEW = "changed", "no change seen", "too few runs"

Key = tuple[str, str, str, int]  # study, problem, algorithm, step


class Side(NamedTuple):
    """One side: its numbers, the seed and version of each study."""

    rows: dict[Key, Outcome]
    seeds: dict[str, int]
    made: dict[str, Made]  # by study, with the version of varde
    shares: frozenset[str] = frozenset()  # studies of 0 or 1
    left_out: Sequence[str] = ()  # files, and what is wrong with them


class Change(NamedTuple):
    """A number that is not the same on both sides."""

    key: Key
    a: Outcome
    b: Outcome
    word: str
    p: float = math.nan  # corrected for all comparisons; 0 where chance has no part in it
    visible: float = math.nan  # a change that would have been seen with a chance of 4 in 5


class Comparison(NamedTuple):
    identical: int
    rows: list[Change]  # the surest change first
    added: list[Key]
    removed: list[Key]
    settings: list[tuple[str, str, str, str, str]]  # study, problem, algorithm, before, after

    @property
    def changed(self) -> bool:
        """Whether anything differs that chance does not explain."""
        return bool(self.added or self.removed or self.settings or any(one.word == CHANGED for one in self.rows))


def load_side(path: Path) -> Side:
    """The numbers of a folder of results files, or of one file."""
    if not path.exists():
        raise NoResultsError(f"there is no {path}: write a folder or a file that varde reproduce wrote")
    rows: dict[Key, Outcome] = {}
    seeds, made, shares, wrong = {}, {}, set(), []
    for file in files_in(path) if path.is_dir() else [path]:
        try:
            data = read(file)
        except ValueError as error:
            wrong.append(f"{file.name}: {error}")
            continue
        name = data["study"]
        if name in seeds:
            wrong.append(f"{file.name}: the study {name} is in another file too")
            continue
        seeds[name], made[name] = data["seed"], {"varde": str(data["version"]), **data["made"]}
        shares |= {name} if data["about"].get("percent") else set()
        rows.update({(name, row.problem, row.algorithm, row.step): row for row in data["rows"]})
    if not rows:
        found = f" ({'; '.join(wrong)})" if wrong else ""
        raise NoResultsError(f"there are no results in {path}{found}: write a folder that varde reproduce wrote to")
    return Side(rows, seeds, made, frozenset(shares), wrong)


def compare(a: Side, b: Side, tolerance: float = 0.0) -> Comparison:
    """What changed from a to b; with the same seed, values within ``tolerance`` of their size are equal."""
    identical, changes, chance = 0, [], []
    settings: dict[tuple[str, str, str, str, str], None] = {}
    for key in (key for key in a.rows if key in b.rows):
        x, y = a.rows[key], b.rows[key]
        same_setting = x.setting == y.setting
        if not same_setting:
            settings[(*key[:3], x.setting, y.setting)] = None
        same_numbers = a.seeds[key[0]] == b.seeds[key[0]] and x.runs == y.runs and same_setting
        if same(x, y, tolerance if same_numbers else 0.0):
            identical += 1
        elif same_numbers:
            changes.append(Change(key, x, y, CHANGED, 0.0))
        elif testable(a, key) and testable(b, key):
            chance.append(key)
        else:
            changes.append(Change(key, x, y, FEW))
    changes += [tested(key, a.rows[key], b.rows[key], len(chance)) for key in chance]
    order = {CHANGED: 0, UNSEEN: 1, FEW: 2}
    changes.sort(key=lambda one: (order[one.word], one.p if one.p == one.p else -1.0, one.key))
    added, removed = ([key for key in here.rows if key not in there.rows] for here, there in ((b, a), (a, b)))
    return Comparison(identical, changes, added, removed, list(settings))


def same(a: Outcome, b: Outcome, tolerance: float) -> bool:
    """Equal to the last bit, or within the tolerance; two NaN are equal."""
    pairs = ((a.value, b.value), (a.stderr, b.stderr))
    return a.runs == b.runs and all(
        x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= tolerance * max(abs(x), abs(y)) for x, y in pairs
    )


def testable(side: Side, key: Key) -> bool:
    """Whether Welch's test can be relied on."""
    row = side.rows[key]
    if row.runs < FEWEST or not (math.isfinite(row.value) and math.isfinite(row.stderr)):
        return False
    ones = row.value / 100.0 * row.runs
    return key[0] not in side.shares or OUTCOMES <= ones <= row.runs - OUTCOMES


def tested(key: Key, a: Outcome, b: Outcome, tests: int) -> Change:
    """One of so many numbers made from other random numbers."""
    error, freedom, apart = math.hypot(a.stderr, b.stderr), min(a.runs, b.runs) - 1, abs(b.value - a.value)
    tail = float(student_tail(np.array(apart / error), freedom)) if error > 0.0 else 0.5 * (apart == 0.0)
    p = min(2.0 * tail * tests, 1.0)
    far = student_quantile(1.0 - LEVEL / 2.0 / tests, freedom) + normal_quantile(PROBABLY)
    return Change(key, a, b, CHANGED if p <= LEVEL else UNSEEN, p, far * error)
