"""Claims that papers usually make, ready to test: an algorithm is the best of all, or stays below a level.

Each of these returns a function of the rows of a study, which returns a ``Claim``: for ``Paper(claims=...)``, or to be
called in ``Study.findings``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from .claims import HOLDS, Claim, all_of
from .rows import Rows


@dataclass(frozen=True)
class Test:
    """A function of the rows that returns a claim; its words are known before it is called."""

    says: str
    parts: Callable[[Rows], Parts]
    reason: str = ""
    by: str = ""

    def __call__(self, rows: Rows) -> Claim:
        parts = self.parts(rows)
        word, evidence = all_of(parts, parts.steps, f" {rows.unit}".rstrip(), parts.span)
        return Claim(self.says, word, evidence, "" if word == HOLDS else self.reason, by=self.by)


def lowest(
    algorithm: str, says: str, problems: Sequence[str] = (), throughout: bool = False, reason: str = "", by: str = ""
) -> Test:
    """Test whether the algorithm has a lower mean than every other one, on all problems or on these, at the last step.

    Args:
        algorithm: its name in the cells of the study.
        says: the claim in the paper's words.
        problems: those it is claimed for; all, unless some are named.
        throughout: at every step, not at the last alone.
        reason: why it may fail, if you know a likely one; shown where it does not hold.
        by: the reading of the paper that was measured, where there are several.
    """
    return Test(says, lambda rows: ranked(rows, -1.0, algorithm, problems, throughout), reason, by)


def highest(
    algorithm: str, says: str, problems: Sequence[str] = (), throughout: bool = False, reason: str = "", by: str = ""
) -> Test:
    """Test whether the algorithm has a higher mean than every other one; arguments as in ``lowest``."""
    return Test(says, lambda rows: ranked(rows, 1.0, algorithm, problems, throughout), reason, by)


def below(
    algorithm: str,
    level: float,
    says: str,
    problems: Sequence[str] = (),
    throughout: bool = False,
    reason: str = "",
    by: str = "",
) -> Test:
    """Test whether the mean of the algorithm is below a level; arguments as in ``lowest``."""
    return Test(says, lambda rows: bounded(rows, -1.0, algorithm, level, problems, throughout), reason, by)


def above(
    algorithm: str,
    level: float,
    says: str,
    problems: Sequence[str] = (),
    throughout: bool = False,
    reason: str = "",
    by: str = "",
) -> Test:
    """Test whether the mean of the algorithm is above a level; arguments as in ``lowest``."""
    return Test(says, lambda rows: bounded(rows, 1.0, algorithm, level, problems, throughout), reason, by)


class Parts(dict[str, np.ndarray]):
    """By how much each run meets each part of a claim, and at which steps."""

    def __init__(self, steps: Sequence[int], span: tuple[float, float] | None = None):
        super().__init__()
        self.steps, self.span = steps, span


def ranked(rows: Rows, sign: float, algorithm: str, problems: Sequence[str], throughout: bool) -> Parts:
    met = Parts(steps_of(rows, algorithm, throughout))
    quantity = algorithm.partition(": ")[2]
    for problem in problems_of(rows, algorithm, problems):
        rivals = [
            name
            for where, name in rows.runs
            if where == problem and name != algorithm and name.partition(": ")[2] == quantity
        ]
        found = rows.curves([(problem, name) for name in (algorithm, *rivals)])
        for rival in rivals:
            ahead = sign * (scaled(rows, found[problem, algorithm]) - scaled(rows, found[problem, rival]))
            met[f"{problem}, against {rival}"] = ahead if throughout else ahead[:, -1:]
    if not met:
        raise ValueError(f"there is nothing to compare {algorithm!r} with: add another algorithm to the study")
    return met


def bounded(rows: Rows, sign: float, algorithm: str, level: float, problems: Sequence[str], throughout: bool) -> Parts:
    low, high = rows.span or (-np.inf, np.inf)
    span = (low - level, high - level) if sign > 0.0 else (level - high, level - low)
    met = Parts(steps_of(rows, algorithm, throughout), span if rows.span else None)
    for problem in problems_of(rows, algorithm, problems):
        beyond = sign * (scaled(rows, rows.curves([(problem, algorithm)])[problem, algorithm]) - level)
        met[problem] = beyond if throughout else beyond[:, -1:]
    return met


def scaled(rows: Rows, values: np.ndarray) -> np.ndarray:
    """As they are shown."""
    return (100.0 if rows.percent else 1.0) * np.asarray(values, float)


def problems_of(rows: Rows, algorithm: str, problems: Sequence[str]) -> list[str]:
    known = [problem for problem, name in rows.runs if name == algorithm]
    if not known:
        names = ", ".join(dict.fromkeys(name for _, name in rows.runs))
        raise ValueError(f"there is no algorithm {algorithm!r} in the study: write one of {names}")
    strange = [problem for problem in problems if problem not in known]
    if strange:
        raise ValueError(f"{algorithm} is not measured on {strange[0]!r}: write some of {', '.join(known)}")
    return list(problems) or known


def steps_of(rows: Rows, algorithm: str, throughout: bool) -> list[int]:
    return sorted({row.step for row in rows if row.algorithm == algorithm}) if throughout else []
