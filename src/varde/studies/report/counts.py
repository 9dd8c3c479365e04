"""How many of the paper's numbers and claims are reproduced, and which are not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ..claims import FAILS, HOLDS, OPEN, UNTESTED, Claim
from ..judging.resampling import FEW
from ..judging.verdict import CANNOT_TELL, DIFFERENT, OWN_ERRORS, SAME, VERDICTS, judge, verdict
from ..papers import Outline
from ..study import Outcome
from .load import Result

NAMED = 4  # studies in a sentence


class Miss(NamedTuple):
    """Published numbers of one study that were not reproduced, with the same likely reason."""

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


def counted(results: Sequence[Result]) -> list[Result]:
    """Those whose published numbers and claims are in the headline."""
    return [result for result in results if result.counts]


def papers(results: Sequence[Result]) -> dict[str, Outline]:
    """The papers that these studies are of, by title; what any of their files says is in it."""
    found: dict[str, dict[str, dict[str, None]]] = {}
    for paper in (result.paper for result in results if result.paper is not None):
        parts = found.setdefault(paper.title, {})
        for part, names in paper.parts.items():
            parts.setdefault(part, {}).update(dict.fromkeys(names))
    return {title: Outline(title, {part: tuple(names) for part, names in by.items()}) for title, by in found.items()}


def tally(results: Sequence[Result]) -> Tally:
    numbers = [row.verdict for result in results for row in result.published]
    words = [claim.holds for result in results for claim in result.claims]
    return Tally(
        {word: numbers.count(word) for word in VERDICTS},
        {word: words.count(word) for word in (HOLDS, OPEN, FAILS, *[UNTESTED] * (UNTESTED in words))},
    )


def misses(results: Sequence[Result], word: str) -> list[Miss]:
    """The numbers of one verdict, grouped by study and reason."""
    found: dict[tuple[str, str], Miss] = {}
    for result in results:
        for row in result.published if result.counts else ():
            if row.verdict == word:
                found.setdefault((result.name, row.reason), Miss(result, [], row.reason)).rows.append(row)
    return list(found.values())


def claims_that(results: Sequence[Result], word: str) -> list[tuple[Result, Claim]]:
    return [(result, claim) for result in results for claim in result.claims if claim.holds == word]


def lead(results: Sequence[Result]) -> list[str]:
    """The whole report in a few sentences."""
    count, lines = tally(counted(results)), []
    if count.published:
        few = [result for result in counted(results) if result.runs < FEW]
        if few:
            lines.append(f"Too few runs to tell much: {', '.join(f'{r.name} {r.runs:,}' for r in few)}.")
        lines.append(
            f"{count.numbers[SAME]} of {count.published} published numbers are the same within the margin "
            f"({margin_words(results)}), {are(count.numbers[DIFFERENT])} different, "
            f"and {are(count.numbers[CANNOT_TELL])} undecided by these runs{needed(results)}."
        )
    if count.claimed:
        held = f"{count.claims[HOLDS]} of {count.claimed} claims in words {'holds' if count.claimed == 1 else 'hold'}"
        failed = f", {count.claims[FAILS]} {'does' if count.claims[FAILS] == 1 else 'do'} not"
        undecided = f", {are(count.claims[OPEN])} undecided by these runs"
        untested = f", {are(count.claims.get(UNTESTED, 0))} not tested" * (UNTESTED in count.claims)
        lines.append(held + failed * bool(count.claims[FAILS]) + undecided * bool(count.claims[OPEN]) + untested + ".")
    if not lines:
        numbers = sum(len(result.rows) for result in results)
        lines.append(f"{numbers:,} numbers of {', '.join(result.name for result in results)}.")
    return lines


def are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


def margin_words(results: Sequence[Result]) -> str:
    """The margin in words."""
    shares = sorted({r.study.relative for r in counted(results) if tally([r]).published})
    return (
        f"rounding, {' or '.join(f'{100.0 * share:g}' for share in shares)} % of the number, and {OWN_ERRORS:g} "
        "standard errors of the published one"
    )


def needed(results: Sequence[Result]) -> str:
    """How many further runs would decide what is open."""
    open_rows = [(r, row) for r in counted(results) for row in r.published if row.verdict == CANNOT_TELL]
    more = [verdict(result.study, row).more for result, row in open_rows]
    if not any(map(math.isfinite, more)):
        return ""
    total = float(f"{sum(filter(math.isfinite, more)):.2g}")
    return f" (about {total:,.0f} further runs would probably decide {sum(map(math.isfinite, more))} of them)"


def margins(results: Sequence[Result]) -> list[tuple[float, float, dict[str, int]]]:
    """How the counts depend on the margin: relative share, errors of the paper, counts by verdict."""
    found = []
    for relative in (0.0, 0.01, 0.02, 0.05):
        for own_errors in (2.0, 3.0):
            words = [
                judge(r.study, row, relative, own_errors, further_too=False).word
                for r in counted(results)
                for row in r.published
            ]
            found.append((relative, own_errors, {word: words.count(word) for word in VERDICTS}))
    return found


def cautions(results: Sequence[Result]) -> list[str]:
    """What a reader should know before reading further."""
    lines = []
    quick = [r for r in results if r.study.in_a_paper and r.runs < r.study.runs]
    if quick:
        parts = [f"{r.name} {r.runs:,} of {r.study.runs:,}" for r in quick]
        more = f" and {len(parts) - NAMED} other studies" if len(parts) > NAMED else ""
        lines.append(f"Fewer runs than by default, so less is decided: {', '.join(parts[:NAMED])}{more}.")
    for paper in papers(results).values():
        absent = [name for name in paper.studies if name not in {r.name for r in results}]
        if absent and len(absent) < len(paper.studies):
            lines.append(f"Not in this folder: {', '.join(absent)}.")
    return lines


def by_reason(claims: Sequence[tuple[Result, Claim]]) -> list[tuple[str, list[tuple[Result, Claim]]]]:
    """Claims with the same likely reason together; those without one each alone."""
    found: dict[str, list[tuple[Result, Claim]]] = {}
    for i, (result, claim) in enumerate(claims):
        found.setdefault(claim.reason or f"none {i}", []).append((result, claim))
    return [(group[0][1].reason, group) for group in found.values()]
