"""How many of the paper's numbers and claims come out, and which do not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import registry
from ..claims import FAILS, HOLDS, OPEN, Claim
from ..intervals import BEYOND_TWO
from ..study import Outcome
from .load import Result


class Miss(NamedTuple):
    """Published numbers of one study that did not come out, with the same likely reason."""

    result: Result
    rows: list[Outcome]
    reason: str


class Tally(NamedTuple):
    numbers: dict[str, int]  # by verdict
    claims: dict[str, int]  # by word

    @property
    def published(self) -> int:
        return sum(self.numbers.values())

    @property
    def claimed(self) -> int:
        return sum(self.claims.values())


def of_the_paper(results: Sequence[Result]) -> list[Result]:
    return [result for result in results if result.study.place]


def tally(results: Sequence[Result]) -> Tally:
    verdicts = [row.verdict for result in results for row in result.rows]
    words = [claim.holds for result in results for claim in result.claims]
    return Tally(
        {verdict: verdicts.count(verdict) for verdict in ("reproduced", "close", "not reproduced")},
        {word: words.count(word) for word in (HOLDS, OPEN, FAILS)},
    )


def misses(results: Sequence[Result], verdict: str) -> list[Miss]:
    """The numbers of one verdict, gathered by study and reason."""
    found: dict[tuple[str, str], Miss] = {}
    for result in results:
        for row in result.rows:
            if row.verdict == verdict and result.study.place:
                found.setdefault((result.name, row.reason), Miss(result, [], row.reason)).rows.append(row)
    return list(found.values())


def claims_that(results: Sequence[Result], word: str) -> list[tuple[Result, Claim]]:
    return [(result, claim) for result in results for claim in result.claims if claim.holds == word]


def lead(results: Sequence[Result]) -> list[str]:
    """The whole report in a few sentences."""
    count, lines = tally(of_the_paper(results)), []
    if count.published:
        lines.append(
            f"{count.numbers['reproduced']} of {count.published} published numbers are reproduced (within 2 standard "
            f"errors of the difference), {count.numbers['close']} more are close (within 4), "
            f"{count.numbers['not reproduced']} are not reproduced."
        )
        expected = BEYOND_TWO * count.published
        lines.append(
            f"Were every number right, about {expected:.0f} would lie beyond 2 standard errors by chance alone."
            if expected >= 0.5
            else "Were every number right, one in 22 would lie beyond 2 standard errors by chance alone."
        )
    if count.claimed:
        lines.append(
            f"Of {count.claimed} tests of what the paper claims in words, {count.claims[HOLDS]} hold, "
            f"{count.claims[FAILS]} do not, and {count.claims[OPEN]} are undecided by these runs."
        )
    if not lines:
        numbers = sum(len(result.rows) for result in results)
        lines.append(f"{numbers:,} numbers of {', '.join(result.name for result in results)}.")
    return lines


def cautions(results: Sequence[Result]) -> list[str]:
    """What a reader should know before reading further."""
    lines = []
    quick = [r for r in results if r.study.place and r.runs < r.study.runs]
    if quick:
        parts = ", ".join(f"{r.name} {r.runs:,} of {r.study.runs:,}" for r in quick)
        lines.append(f"Fewer runs than the paper's, so that the numbers say less: {parts}.")
    paper = registry.of_the_paper()
    absent = [name for name in paper if name not in {r.name for r in results}]
    if absent and len(absent) < len(paper):
        lines.append(f"Not in this folder: {', '.join(absent)}.")
    return lines


def by_reason(claims: Sequence[tuple[Result, Claim]]) -> list[tuple[str, list[tuple[Result, Claim]]]]:
    """Claims with the same likely reason together; those without one each alone."""
    found: dict[str, list[tuple[Result, Claim]]] = {}
    for i, (result, claim) in enumerate(claims):
        found.setdefault(claim.reason or f"none {i}", []).append((result, claim))
    return [(group[0][1].reason, group) for group in found.values()]
