"""Details behind the answers: how many are reproduced, which are not, and why."""

from __future__ import annotations

from collections.abc import Sequence

from ..._page import HTML, join, tag
from ..._page.chart import minus
from ..._page.text import glued
from ..._table import Sheet
from ..claims import OPEN, Claim
from ..grid import MARKS, as_printed, beside, number_form
from ..judging.verdict import CANNOT_TELL, DIFFERENT, in_words
from .load import Result, Skipped
from .page_parts import because, bullets, evidence, folded, link
from .tally import Miss, by_reason, cautions, claims_that, counted, lead, misses, tally
from .text import MARGINS, NOT_HOLDING, SHOWN, about, margin_table


def summary(results: Sequence[Result], skipped: Sequence[Skipped]) -> list[HTML]:
    count = tally(counted(results))
    blocks = [tag("p", glued(" ".join(lead(results))))]
    for what, parts in (("published numbers", count.numbers), ("claims in words, tested", count.claims)):
        if sum(parts.values()):
            blocks.append(bar(what, parts))
    blocks += [tag("p", line, class_="caution") for line in cautions(results)]
    blocks += [tag("p", glued(about(results)), class_="soft"), *what_fails(results)]
    if count.published:
        blocks.append(folded(MARGINS, margin_table(results).html()))
    if skipped:
        blocks.append(tag("h2", "Left out of this report", class_="minor"))
        blocks.append(bullets(join([tag("code", file), f": {why}"]) for file, why in skipped))
    return blocks


def bar(what: str, parts: dict[str, int]) -> HTML:
    """Shares side by side, each with its number as text."""
    pieces = [tag("span", class_=MARKS[word].style, style=f"flex:{n}") for word, n in parts.items() if n]
    words = []
    for word, n in parts.items():
        text = f" {MARKS[word].text} {word}".replace(" ", "\u00a0")
        words.append(tag("span", tag("b", n), text, class_=MARKS[word].style))
    caption = tag("figcaption", f"{sum(parts.values())} {what}")
    return tag("figure", caption, tag("div", *pieces, aria_hidden="true"), tag("p", join(words, " ")), class_="shares")


def what_fails(results: Sequence[Result]) -> list[HTML]:
    blocks = []
    if wrong := misses(results, DIFFERENT):
        blocks.append(folded("Published numbers that are different", *map(missed, wrong)))
    for word, words in NOT_HOLDING.items():
        if found := claims_that(results, word):
            listed = bullets(together(claims, reason) for reason, claims in by_reason(found))
            blocks.append(folded(f"{words}: {len(found)}", listed, printed=word != OPEN))
    if unclear := misses(results, CANNOT_TELL):
        count = sum(len(miss.rows) for miss in unclear)
        what = "The number" if count == 1 else f"The {count} numbers"
        blocks.append(folded(f"{what} these runs leave undecided", *map(missed, unclear), printed=False))
    return blocks


def together(claims: Sequence[tuple[Result, Claim]], reason: str) -> HTML:
    """Claims with the same likely reason, which is given once; a claim without one comes with its evidence."""
    if len(claims) == 1:
        [(result, claim)] = claims
        return join([link(result), f": {claim.claim}", evidence(claim), ". ", because(reason)])
    listed = join((join([link(result), f": {claim.claim}"]) for result, claim in claims), "; ")
    return join([listed, ". ", because(reason)])


def missed(miss: Miss) -> HTML:
    """Numbers with the same likely reason, as a table below it."""
    study = miss.result.study
    form = number_form(study, miss.result.rows)
    lines = [
        [
            f"{row.problem}, {row.algorithm}, step {row.step:,}",
            minus(as_printed(row, form)),
            minus(beside(row, form)(row.value)),
            in_words(study, row),
        ]
        for row in miss.rows[:SHOWN]
    ]
    which = f"{miss.result.name}, {miss.rows[0].verdict}: {miss.reason or 'no reason known'}"
    table = Sheet(["", "published", "measured", "verdict"], lines, which)
    count = f", {len(miss.rows)} of {tally([miss.result]).published} numbers. "
    parts = [tag("p", link(miss.result), count, because(miss.reason)), table.html()]
    if len(miss.rows) > SHOWN:
        parts.append(tag("p", f"and {len(miss.rows) - SHOWN} more", class_="soft"))
    return join(parts)
