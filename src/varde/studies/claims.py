"""Findings about the measured numbers, line by line; a claim of the paper is a line with its test."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from .judging import family
from .judging.family import Decision, decide_all, decide_any, decide_some, holm, prove_each, refute_all
from .judging.intervals import LEVEL, mean_ends
from .judging.resampling import FEW
from .judging.verdict import CANNOT_TELL, SAME
from .rows import Rows
from .study import Outcome

HOLDS, FAILS, OPEN = family.HOLDS, family.FAILS, family.OPEN
UNTESTED = "not tested"  # its test raised an exception
WORDS = (HOLDS, OPEN, FAILS)
AHEAD, BEHIND = "ahead", "behind"  # or SAME, or CANNOT_TELL: of two rows
PARTS = ("claim", "holds", "evidence", "reason", "beyond", "by")


class Claim(str):
    """A sentence of the paper, tested: a line to print, and its parts.

    Args:
        claim: what is claimed, and of what.
        holds: "holds", "does not hold" or "undecided".
        evidence: the numbers that decide it.
        reason: a likely reason why it does not hold, if one is known.
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
    ) -> Self:
        if holds not in (*WORDS, UNTESTED):
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


class Untested(Claim):
    """A claim whose test raised an exception, which it keeps."""

    __slots__ = ("error",)

    error: Exception

    def __new__(cls, claim: str, error: Exception, beyond: bool = False, by: str = "") -> Self:
        evidence = " ".join(f"{type(error).__name__}: {error}".split())  # one line, however many it has
        line = super().__new__(cls, claim, UNTESTED, evidence, "", beyond, by)
        line.error = error
        return line

    def __getnewargs__(self) -> tuple[str, Exception, bool, str]:  # type: ignore[override]
        return self.claim, self.error, self.beyond, self.by


class Tested(NamedTuple):
    """What the runs say to a statement, and the numbers that decide it."""

    word: str
    evidence: str


def lines_of(says: Callable[[Rows], Any], rows: Rows, name: str, beyond: bool = False, by: str = "") -> list[str]:
    """What a function says of the rows, line by line; should it raise an exception, that is its last line."""
    found: list[str] = []
    try:
        said = says(rows)
        if isinstance(said, Tested):
            raise TypeError("it returns a test without its claim: return Claim('what is claimed', *all_of(...))")
        for line in [said] if isinstance(said, str) or not isinstance(said, Iterable) else said:
            if not isinstance(line, str):
                raise TypeError(f"it returns {line!r}: return a Claim, a text, or a list of them")
            found.append(line)
    except Exception as error:
        found.append(Untested(name, error, beyond, by))
    return found


Parts = Mapping[str, np.ndarray]  # by name, [runs] or [runs, steps]: by how much each run meets it


def all_of(parts: Parts, steps: Sequence[int] = (), unit: str = "", span: tuple[float, float] | None = None) -> Tested:
    """Test whether every part is met, in one test: "lowest of all", "throughout", "at all sizes".

    ``span``: the least and the greatest value a part can have in a run, if known.  Runs that are mostly equal, such as
    no errors at all, are then not taken for more than they are.
    """
    met, names = together(parts, steps)
    return Tested(*told(decide_all(finite(met), LEVEL, span), met, names, unit))


def one_of(groups: Mapping[str, Parts], steps: Sequence[int] = (), unit: str = "") -> Tested:
    """Test whether there is a group in which every part is met: "one of ours is the lowest"."""
    made = [together(parts, steps) for parts in groups.values()]
    found = decide_any([finite(met) for met, _ in made], LEVEL)
    word, evidence = told(found, *made[found.group], unit)
    return Tested(word, f"{list(groups)[found.group]}, {evidence}")


def some_of(least: int, parts: Parts, unit: str = "") -> Tested:
    """Test whether at least so many parts are met."""
    met, names = together(parts, ())
    if not 1 <= least <= len(names):
        raise ValueError(f"least is {least} of {len(names)} parts: write 1 to {len(names)}")
    return Tested(*told(decide_some(least, finite(met), LEVEL), met, names, unit, counts_first=True))


def together(parts: Parts, steps: Sequence[int]) -> tuple[np.ndarray, list[str]]:
    """All parts side by side, as many runs as all have, and their names."""
    if not parts:
        raise ValueError("there are no parts: write by how much each run meets the claim, {name: values of the runs}")
    columns = {name: (some[:, None] if some.ndim == 1 else some).astype(float) for name, some in parts.items()}
    runs = min(len(some) for some in columns.values())
    names = [
        f"{name} at {steps[i]:,}" if some.shape[1] > 1 else name
        for name, some in columns.items()
        for i in range(some.shape[1])
    ]
    return np.hstack([some[:runs] for some in columns.values()]), names


def finite(met: np.ndarray) -> np.ndarray:
    """The same, or no runs at all where some are not numbers: they decide nothing."""
    return met if np.isfinite(met).all() else met[:0]


def told(
    found: Decision, met: np.ndarray, names: Sequence[str], unit: str, counts_first: bool = False
) -> tuple[str, str]:
    """The comparison that speaks least for the claim with its interval, how many favour it, the runs and p."""
    runs = len(met)
    if runs < FEW:
        return OPEN, f"too few runs: {runs}"
    if not np.isfinite(met).all():
        strange = ~np.isfinite(met)
        name = names[int(strange.any(axis=0).argmax())]
        return OPEN, f"{name} is not a finite number in {int(strange.any(axis=1).sum()):,} of {runs:,} runs"
    if not met.any():
        return found.word, f"equal in every run; {runs:,} runs"
    worst = met[:, [found.worst]]
    low, high = (float(end[0]) for end in mean_ends(worst))
    span = f" ({low:+.3g} … {high:+.3g})" if np.isfinite(low) else ""
    least = f"{names[found.worst]} {float(worst.mean()):+.3g}{unit}{span}"
    favour = int((met.mean(axis=0) >= 0.0).sum())
    counts = f"{favour} of {met.shape[1]} comparisons favour it on average"
    tail = f"{runs:,} runs, p = {found.p:.2g}" + ("; few runs" if runs < 25 and found.word != OPEN else "")
    order = [counts, f"weakest: {least}"] if counts_first else [f"weakest: {least}", counts]
    return found.word, "; ".join([*(order if met.shape[1] > 1 else [least]), tail])


def compared(groups: Mapping[str, Parts], margin: float) -> dict[str, str]:
    """Of each group: ahead in every part, behind in some, the same within the margin, or the runs cannot tell.

    A group is one test over all its parts, and Holm's correction makes one family of the groups: the chance that a
    word is given wrongly to any of them is at most the level.  Of groups that tie exactly both "ahead" and "behind" are
    wrong, and the chance of either is up to twice that.
    """
    each = LEVEL / len(groups)
    ahead, behind, same = [], [], []
    for parts in groups.values():
        met = finite(together(parts, ())[0])
        ahead.append(float(prove_each(met, each).max()))
        behind.append(refute_all(met, each))
        same.append(max(float(prove_each(met + margin, each).max()), refute_all(met - margin, each)))
    words = []
    for first, second, third in zip(holm(ahead), holm(behind), holm(same), strict=True):
        proved = (p <= LEVEL for p in (first, second, third))
        words.append(next((word for word, yes in zip((AHEAD, BEHIND, SAME), proved, strict=True) if yes), CANNOT_TELL))
    return dict(zip(groups, words, strict=True))


def find(rows: Iterable[Outcome], problem: str, algorithm: str, step: int | None = None) -> Outcome:
    """The row of a cell, at its last step unless another is given."""
    found = [r for r in rows if r.problem == problem and r.algorithm == algorithm and step in (None, r.step)]
    return found[-1]
