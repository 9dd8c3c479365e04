"""What changed between two sets of results, cell by cell: an algorithm on a problem, with all its steps.

Same seed: run by run, to the last bit, without a test.  Other seeds: one test for all cells of all studies
(``judging/changes.py``).  If a side has no store, only means and errors are known, and Welch's test is used, with
Bonferroni's correction, if there are enough runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._files import StoreError
from .judging.changes import FEWEST, PROBABLY, apart
from .judging.quantiles import normal_quantile, student_quantile, student_tail
from .provenance import Made
from .results import NoResultsError, files_in, read
from .store import NAME, Blocks, KeptCell
from .study import Outcome

LEVEL = 0.05  # how often two folders that differ only by chance are said to differ
WELCH, OUTCOMES = 10, 5  # least runs per side, and runs of either outcome, for Welch's test
IDENTICAL, CHANGED, UNSEEN, FEW = "identical", "changed", "no change seen", "too few runs"

Key = tuple[str, str, str, int]  # study, problem, algorithm, step
CellKey = tuple[str, str, str]  # without the step


class Side(NamedTuple):
    """One side: its numbers, the seed and version of each study, and the runs if they are stored."""

    rows: dict[Key, Outcome]
    seeds: dict[str, int]
    made: dict[str, Made]  # by study, with the version of varde
    shares: frozenset[str] = frozenset()  # studies of 0 or 1
    runs: Mapping[CellKey, tuple[KeptCell, np.ndarray]] = {}
    left_out: Sequence[str] = ()  # files, and what is wrong with them


class Change(NamedTuple):
    """A cell on both sides, and the number in it that is furthest apart."""

    key: Key
    a: Outcome
    b: Outcome
    word: str
    p: float = math.nan  # p value, corrected for all comparisons
    differ: str = ""  # same seed: how many runs differ
    visible: float = math.nan  # a change of its last number that would be detected with probability 4 in 5


class Comparison(NamedTuple):
    identical: int  # numbers
    cells: list[Change]  # that are not identical, the surest change first
    added: list[Key]
    removed: list[Key]
    settings: list[tuple[str, str, str, str, str]]  # study, problem, algorithm, before, after

    def counted(self, word: str) -> int:
        return sum(change.word == word for change in self.cells)

    def visible(self) -> dict[str, tuple[float, float]]:
        """By study, which change of a row would probably have been seen: of the steadiest row, and of the noisiest."""
        found: dict[str, list[float]] = {}
        for change in self.cells:
            if math.isfinite(change.visible):
                found.setdefault(change.key[0], []).append(change.visible)
        return {study: (min(some), max(some)) for study, some in found.items()}

    @property
    def changed(self) -> bool:
        """Whether anything differs that chance does not explain."""
        return bool(self.added or self.removed or self.settings or self.counted(CHANGED))


def load_side(path: Path) -> Side:
    """The numbers of a folder of results files, or of one file, with the runs of the store beside them."""
    files = files_in(path) if path.is_dir() else [path]
    if not path.exists():
        raise NoResultsError(f"there is no {path}: write a folder or a file that varde reproduce wrote")
    rows: dict[Key, Outcome] = {}
    seeds, made, shares, wrong = {}, {}, set(), []
    for file in files:
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
    side = Side(rows, seeds, made, frozenset(shares), left_out=wrong)
    store = (path if path.is_dir() else path.parent) / NAME
    return side._replace(runs=kept_runs(store, side)) if store.exists() else side


def kept_runs(path: Path, side: Side) -> dict[CellKey, tuple[KeptCell, np.ndarray]]:
    """The runs behind the numbers, if the store has them and they match the results files."""
    found: dict[CellKey, tuple[KeptCell, np.ndarray]] = {}
    try:
        with Blocks(path, read_only=True) as store:
            for cell in store.cells():
                last = side.rows.get((cell.study, cell.problem, cell.names[-1], cell.steps[-1]))
                if last is None or cell.seed != side.seeds.get(cell.study) or cell.runs != last.runs:
                    continue
                values = store.values(cell)
                if values is not None and gives(values[:, -1], last.value, cell.study in side.shares):
                    found[cell[:3]] = cell, values
    except StoreError:
        pass  # the numbers are there
    return found


def gives(values: np.ndarray, mean: float, share: bool) -> bool:
    """Whether a mean in a results file is that of these runs, but for rounding at the size of the values."""
    scale = 100.0 if share else 1.0
    return math.isclose(scale * values.mean(), mean, rel_tol=1e-9, abs_tol=1e-9 * scale * float(np.abs(values).max()))


def compare(a: Side, b: Side, tolerance: float = 0.0) -> Comparison:
    """What changed from a to b; with the same seed, values within ``tolerance`` of their size are equal."""
    settings: dict[tuple[str, str, str, str, str], None] = {}
    for key in both(a, b):
        before, after = a.rows[key], b.rows[key]
        if before.setting != after.setting:
            settings[(*key[:3], before.setting, after.setting)] = None
    otherwise = {setting[:3] for setting in settings}
    with_runs = [key for key in a.runs if key in b.runs and columns_of(a, key) == columns_of(b, key)]
    identical, changes, told = 0, [], set()
    apart_by_chance = []
    for cell in with_runs:
        keys = columns_of(a, cell)
        told.update(keys)
        mine, other = a.runs[cell][1], b.runs[cell][1]
        if a.seeds[cell[0]] == b.seeds[cell[0]] and not otherwise & {key[:3] for key in keys}:
            change = run_by_run(a, b, keys, mine, other, tolerance)
            identical += 0 if change else len(keys)
            changes += [change] if change else []
        else:
            apart_by_chance.append(cell)
    rest = [key for key in both(a, b) if key not in told]
    level = LEVEL / 2 if apart_by_chance and rest else LEVEL
    changes += by_chance(a, b, apart_by_chance, level)
    alike = [key for key in rest if same(a.rows[key], b.rows[key])]
    changes += by_errors(a, b, [key for key in rest if key not in alike], otherwise, level)
    order = {CHANGED: 0, UNSEEN: 1, FEW: 2}
    changes.sort(key=lambda c: (order[c.word], c.p if c.p == c.p else -1.0, c.key))
    return Comparison(identical + len(alike), changes, missing(b, a), missing(a, b), list(settings))


def both(a: Side, b: Side) -> list[Key]:
    return [key for key in a.rows if key in b.rows]


def missing(here: Side, there: Side) -> list[Key]:
    return [key for key in here.rows if key not in there.rows]


def columns_of(side: Side, cell: CellKey) -> list[Key]:
    """The numbers of a cell, as its runs have them."""
    kept = side.runs[cell][0]
    return [(*cell[:2], name, step) for step in kept.steps for name in kept.names]


def run_by_run(
    a: Side, b: Side, keys: list[Key], mine: np.ndarray, other: np.ndarray, tolerance: float
) -> Change | None:
    """The same seed: every run that both have must be the same."""
    runs = min(len(mine), len(other))
    x, y = mine[:runs].astype(float), other[:runs].astype(float)
    differ = np.abs(x - y) > tolerance * np.maximum(np.abs(x), np.abs(y))
    if not differ.any():
        return None
    key = keys[int(differ.sum(axis=0).argmax())]
    words = f"{int(differ.any(axis=1).sum()):,} of {runs:,} runs differ"
    return Change(key, a.rows[key], b.rows[key], CHANGED, 0.0, words)


def by_chance(a: Side, b: Side, cells: list[CellKey], level: float) -> list[Change]:
    """Other random numbers, runs on both sides: all cells in one test."""
    changes = []
    enough = [cell for cell in cells if min(len(a.runs[cell][1]), len(b.runs[cell][1])) >= FEWEST]
    pairs = [(a.runs[cell][1], b.runs[cell][1]) for cell in enough]
    found = dict(zip(enough, apart(pairs, level=level), strict=True))
    for cell in cells:
        told = found.get(cell)
        key = columns_of(a, cell)[told.column if told else -1]
        word = FEW if told is None else CHANGED if told.p <= level else UNSEEN
        change = Change(key, a.rows[key], b.rows[key], word)
        if told:
            scale = 100.0 if cell[0] in a.shares else 1.0
            change = change._replace(p=told.p, visible=scale * told.visible)
        changes.append(change)
    return changes


def by_errors(a: Side, b: Side, keys: list[Key], otherwise: set[CellKey], level: float) -> list[Change]:
    """From means and errors only."""
    changes, tested = [], []
    for key in keys:
        x, y = a.rows[key], b.rows[key]
        if a.seeds[key[0]] == b.seeds[key[0]] and x.runs == y.runs and key[:3] not in otherwise:
            changes.append(Change(key, x, y, CHANGED, 0.0, "same seed and runs"))
        elif reliable(a, key, x) and reliable(b, key, y):
            tested.append(key)
        else:
            changes.append(Change(key, x, y, FEW))
    for key in tested:
        x, y = a.rows[key], b.rows[key]
        variance = x.stderr**2 + y.stderr**2
        z = (y.value - x.value) / math.sqrt(variance) if variance > 0.0 else math.inf * (y.value != x.value)
        freedom = min(x.runs, y.runs) - 1
        p = min(2.0 * float(student_tail(np.array(abs(z)), freedom)) * len(tested), 1.0) if math.isfinite(z) else 0.0
        far = student_quantile(1.0 - level / 2.0 / len(tested), freedom) + normal_quantile(PROBABLY)
        visible = far * math.sqrt(variance)
        changes.append(Change(key, x, y, CHANGED if p <= level else UNSEEN, p, visible=visible))
    return changes


def reliable(side: Side, key: Key, row: Outcome) -> bool:
    """Whether Welch's test can be relied on."""
    if row.runs < WELCH or not (math.isfinite(row.value) and math.isfinite(row.stderr)):
        return False
    ones = row.value / 100.0 * row.runs
    return key[0] not in side.shares or OUTCOMES <= ones <= row.runs - OUTCOMES


def same(a: Outcome, b: Outcome) -> bool:
    """Equal to the last bit; two NaN are equal."""
    pairs = ((a.value, b.value), (a.stderr, b.stderr))
    return a.runs == b.runs and all(x == y or (math.isnan(x) and math.isnan(y)) for x, y in pairs)
