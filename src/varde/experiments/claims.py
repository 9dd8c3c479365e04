"""What the measured numbers say, line by line; a claim of the paper is a line that knows its parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .judging import family
from .judging.family import Decision, decide_all, decide_any, decide_some, t_of
from .judging.intervals import mean_ends
from .judging.resampling import FEW, grouped
from .rows import Rows
from .study import Outcome

HOLDS, FAILS, OPEN = family.HOLDS, family.FAILS, family.OPEN
WORDS = (HOLDS, OPEN, FAILS)
PARTS = ("claim", "holds", "evidence", "reason", "beyond", "by")


class Claim(str):
    """A sentence of the paper, tested: a line to print, and its parts.

    Args:
        claim: what is claimed, and of what.
        holds: "holds", "does not hold" or "undecided".
        evidence: the numbers that decide it.
        reason: why it may not hold, where that is known; always a likely one, never the last word.
        beyond: whether it is the paper's sentence about something that is not in the paper (a variant of ours).
        by: which of several readings of the algorithm it is about, where the paper allows more than one.
    """

    __slots__ = PARTS

    claim: str
    holds: str
    evidence: str
    reason: str
    beyond: bool
    by: str

    def __new__(
        cls, claim: str, holds: str, evidence: str = "", reason: str = "", beyond: bool = False, by: str = ""
    ) -> Claim:
        if holds not in WORDS:
            raise ValueError(f"holds is {holds!r}: write one of {', '.join(WORDS)}")
        line = super().__new__(cls, f"{claim}: {holds}" + (f" ({evidence})" if evidence else ""))
        line.claim, line.holds, line.evidence, line.reason, line.beyond, line.by = (
            claim,
            holds,
            evidence,
            reason,
            beyond,
            by,
        )
        return line

    @property
    def parts(self) -> dict[str, str | bool]:
        return {part: getattr(self, part) for part in PARTS}

    def __getnewargs__(self) -> tuple[str, str, str, str, bool, str]:  # type: ignore[override]
        return self.claim, self.holds, self.evidence, self.reason, self.beyond, self.by


class Tested(NamedTuple):
    """What the runs say to a statement, and the numbers that decide it."""

    word: str
    evidence: str


Parts = Mapping[str, np.ndarray]  # by name, [runs] or [runs, steps]: by how much each run meets it


def all_of(rows: Rows, parts: Parts, steps: Sequence[int] = (), unit: str = "") -> Tested:
    """Whether every part is met, in one test: "lowest of all", "throughout", "at all sizes"."""
    met, names = together(parts, steps)
    return Tested(*told(decide_all(met, rows.level), met, names, unit))


def one_of(rows: Rows, groups: Mapping[str, Parts], steps: Sequence[int] = (), unit: str = "") -> Tested:
    """Whether there is a group of which every part is met: "one of ours is the lowest"."""
    made = [together(parts, steps) for parts in groups.values()]
    found = decide_any([met for met, _ in made], rows.level)
    word, evidence = told(found, *made[found.group], unit)
    return Tested(word, f"{list(groups)[found.group]} {evidence}")


def some_of(rows: Rows, least: int, parts: Parts, unit: str = "") -> Tested:
    """Whether so many parts or more are met."""
    met, names = together(parts, ())
    word, evidence = told(decide_some(least, met, rows.level), met, names, unit, counts_first=True)
    return Tested(word, evidence)


def together(parts: Parts, steps: Sequence[int]) -> tuple[np.ndarray, list[str]]:
    """All parts side by side, as many runs as all have, and their names."""
    columns = {name: some.reshape(len(some), -1).astype(float) for name, some in parts.items()}
    runs = min(len(some) for some in columns.values())
    names = [
        f"{name} at {steps[i]:,}" if some.shape[1] > 1 else name
        for name, some in columns.items()
        for i in range(some.shape[1])
    ]
    return np.hstack([some[:runs] for some in columns.values()]), names


def told(
    found: Decision, met: np.ndarray, names: Sequence[str], unit: str, counts_first: bool = False
) -> tuple[str, str]:
    """The part that is least met with its interval, how many are met by eye, the runs and p."""
    runs = len(met)
    if runs < FEW:
        return OPEN, f"too few runs: {runs}"
    worst = met[:, [found.worst]]
    low, high = (float(end[0]) for end in mean_ends(worst))
    span = f" ({low:+.3g} … {high:+.3g})" if np.isfinite(low) else ""
    least = f"{names[found.worst]} {float(worst.mean()):+.3g}{unit}{span}"
    t = np.where((met != 0.0).any(axis=0), t_of(grouped(met)), 0.0)
    ahead, behind = int((t > 2.0).sum()), int((t < -2.0).sum())
    counts = f"of {t.size} parts {ahead} ahead, {t.size - ahead - behind} level, {behind} behind"
    tail = f"{runs:,} runs, p {found.p:.2g}" + ("; few runs" if runs < 25 and found.word != OPEN else "")
    order = [counts, f"least: {least}"] if counts_first else [f"least: {least}", counts]
    return found.word, "; ".join([*(order if t.size > 1 else [least]), tail])


def find(rows: Iterable[Outcome], problem: str, algorithm: str, step: int | None = None) -> Outcome:
    """The row of a cell, at its last step unless another is given."""
    found = [r for r in rows if r.problem == problem and r.algorithm == algorithm and step in (None, r.step)]
    return found[-1]


def lower(a: Outcome, b: Outcome) -> str:
    """How a compares with b: "lower", "level" (within two standard errors of the difference) or "higher"."""
    margin = 2.0 * (a.stderr**2 + b.stderr**2) ** 0.5
    return "level" if abs(a.value - b.value) <= margin else "lower" if a.value < b.value else "higher"
