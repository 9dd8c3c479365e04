"""What the measured numbers say, line by line; a claim of the paper is a line that knows its parts."""

from __future__ import annotations

from collections.abc import Iterable

from .study import Outcome

HOLDS, FAILS, OPEN = "holds", "does not hold", "undecided"
WORDS = (HOLDS, OPEN, FAILS)
PARTS = ("claim", "holds", "evidence", "reason", "beyond")


class Claim(str):
    """A sentence of the paper, tested: a line to print, and its parts.

    Args:
        claim: what is claimed, and of what.
        holds: "holds", "does not hold" or "undecided".
        evidence: the numbers that decide it.
        reason: why it may not hold, where that is known; always a likely one, never the last word.
        beyond: whether it is the paper's sentence about something that is not in the paper (a variant of ours).
    """

    __slots__ = PARTS

    claim: str
    holds: str
    evidence: str
    reason: str
    beyond: bool

    def __new__(cls, claim: str, holds: str, evidence: str = "", reason: str = "", beyond: bool = False) -> Claim:
        if holds not in WORDS:
            raise ValueError(f"holds is {holds!r}: write one of {', '.join(WORDS)}")
        line = super().__new__(cls, f"{claim}: {holds}" + (f" ({evidence})" if evidence else ""))
        line.claim, line.holds, line.evidence, line.reason, line.beyond = claim, holds, evidence, reason, beyond
        return line

    @property
    def parts(self) -> dict[str, str | bool]:
        return {part: getattr(self, part) for part in PARTS}

    def __getnewargs__(self) -> tuple[str, str, str, str, bool]:  # type: ignore[override]
        return self.claim, self.holds, self.evidence, self.reason, self.beyond


def find(rows: Iterable[Outcome], problem: str, algorithm: str, step: int | None = None) -> Outcome:
    """The row of a cell, at its last step unless another is given."""
    found = [r for r in rows if r.problem == problem and r.algorithm == algorithm and step in (None, r.step)]
    return found[-1]


def lower(a: Outcome, b: Outcome) -> str:
    """How a compares with b: "lower", "level" (within two standard errors of the difference) or "higher"."""
    margin = 2.0 * (a.stderr**2 + b.stderr**2) ** 0.5
    return "level" if abs(a.value - b.value) <= margin else "lower" if a.value < b.value else "higher"
