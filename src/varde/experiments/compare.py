"""What changed between two sets of results, in units of the standard error of the difference.

Two folders measured with the same seed share their random numbers.  Then a number either is the same to the last bit,
or something other than chance changed it.  Where one side has more runs, N instead of n, they contain the other's, and
the difference varies less than that of independent numbers: by sigma^2 (1/n - 1/N) instead of sigma^2 (1/n + 1/N).

Many numbers are compared at once, so that some lie far apart by chance.  One is called changed only if its probability
times the number of comparisons is below 5 %, which holds whatever the numbers have to do with each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from ..certainty.student import beyond
from .results import NoResultsError, read
from .study import Outcome

BEYOND_TWO = math.erfc(2.0 / math.sqrt(2.0))  # of normal deviations, how many are beyond two standard errors
LEVEL = 0.05  # how often two folders that differ by chance alone are said to differ
ROUNDING = 1e-12  # sums of other lengths round differently

Key = tuple[str, str, str, int]  # study, problem, algorithm, step


class Side(NamedTuple):
    """One of the two: its numbers, and seed and version of each study."""

    rows: dict[Key, Outcome]
    seeds: dict[str, int]
    versions: dict[str, str]


class Change(NamedTuple):
    """One number on both sides."""

    key: Key
    a: Outcome
    b: Outcome
    z: float  # difference in standard errors; nan where a single run tells no error
    surprise: float  # probability of one at least as far apart, were nothing changed
    certain: bool  # same seed, runs and setting: not chance


class Comparison(NamedTuple):
    identical: int
    changes: list[Change]  # numbers that differ, furthest apart first
    added: list[Key]
    removed: list[Key]
    settings: list[tuple[str, str, str, str, str]]  # study, problem, algorithm, before, after

    @property
    def by_chance(self) -> list[Change]:
        """Those that may differ by chance, where that can be computed."""
        return [change for change in self.changes if not change.certain and not math.isnan(change.z)]

    @property
    def beyond_two(self) -> int:
        return sum(abs(change.z) > 2.0 for change in self.by_chance)

    @property
    def expected(self) -> float:
        """How many of them would be beyond 2 if nothing had changed."""
        return BEYOND_TWO * len(self.by_chance)

    def beyond_chance(self, change: Change) -> bool:
        return change.certain or change.surprise * len(self.by_chance) < LEVEL

    @property
    def changed(self) -> bool:
        """Whether anything differs that chance does not explain."""
        named = self.added or self.removed or self.settings
        return bool(named) or any(self.beyond_chance(change) for change in self.changes)


def load_side(path: Path) -> Side:
    """The numbers of a folder of results files, or of one file."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not path.exists():
        raise NoResultsError(f"there is no {path}: write a folder or a file that varde reproduce wrote")
    side, wrong = Side({}, {}, {}), []
    for file in files:
        try:
            data = read(file)
        except ValueError as error:
            wrong.append(f"{file.name}: {error}")
            continue
        name = data["study"]
        side.seeds[name], side.versions[name] = data["seed"], str(data["version"])
        side.rows.update({(name, row.problem, row.algorithm, row.step): row for row in data["rows"]})
    if not side.rows:
        found = f" ({'; '.join(wrong)})" if wrong else ""
        raise NoResultsError(f"there are no results in {path}{found}: write a folder that varde reproduce wrote to")
    return side


def compare(a: Side, b: Side) -> Comparison:
    both = [key for key in a.rows if key in b.rows]
    identical, changes = 0, []
    settings: dict[tuple[str, str, str, str, str], None] = {}
    for key in both:
        before, after = a.rows[key], b.rows[key]
        if before.setting != after.setting:
            settings[(*key[:3], before.setting, after.setting)] = None
        if same(before, after):
            identical += 1
        else:
            shared = a.seeds[key[0]] == b.seeds[key[0]] and before.setting == after.setting
            changes.append(change_of(key, before, after, shared))
    changes.sort(key=lambda change: (math.isnan(change.z), -abs(change.z) if change.z == change.z else 0.0, change.key))
    return Comparison(identical, changes, missing(b.rows, a.rows), missing(a.rows, b.rows), list(settings))


def missing(here: Mapping[Key, Outcome], there: Mapping[Key, Outcome]) -> list[Key]:
    return [key for key in here if key not in there]


def same(a: Outcome, b: Outcome) -> bool:
    """To the last bit; two that are not numbers are alike."""
    pairs = ((a.value, b.value), (a.stderr, b.stderr))
    return a.runs == b.runs and all(x == y or (math.isnan(x) and math.isnan(y)) for x, y in pairs)


def change_of(key: Key, a: Outcome, b: Outcome, shared: bool) -> Change:
    certain = shared and a.runs == b.runs
    short, long = (a, b) if a.runs <= b.runs else (b, a)
    if shared and not certain:  # the variance of a run is known best from the longer one
        variance, free = long.stderr**2 * (long.runs / short.runs - 1.0), long.runs - 1
    else:
        variance, free = a.stderr**2 + b.stderr**2, short.runs - 1
    difference = b.value - a.value
    if math.isclose(a.value, b.value, rel_tol=ROUNDING) and not certain:
        return Change(key, a, b, 0.0, 1.0, certain)
    if free < 1 or not math.isfinite(difference) or not math.isfinite(variance):
        return Change(key, a, b, math.nan, 1.0, certain)
    z = difference / math.sqrt(variance) if variance > 0.0 else math.copysign(math.inf, difference)
    return Change(key, a, b, z, beyond(z, free), certain)
