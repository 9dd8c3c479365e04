"""The report as one page: the answers on one screen, the details behind them, then a folding section per study."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..._page import HTML, join, page, tag
from ..._page.chart import minus
from ..._page.dots import against, outcomes
from ..._page.text import glued
from ..._table import Sheet
from ..claims import OPEN, Claim
from ..grid import MARKS, as_printed, beside, number_form
from ..judging.verdict import CANNOT_TELL, DIFFERENT, in_words
from .answers import NOTHING, answer, label, parts, sentence
from .counts import Miss, by_reason, cautions, claims_that, counted, lead, misses, tally
from .load import Result, Skipped
from .section import anchor, because, bullets, evidence, folded, in_short, section
from .text import MARGINS, NOT_HOLDING, SHOWN, about, chapters, made_in_words, margin_table, place, title

MOST = 400  # dots of a tile
MARKED = {"good": "comes out", "open": "these runs cannot tell", "bad": "does not come out"}


def as_html(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    body = [tag("h1", title(results), id="top"), *answers(results), *tiles(results), *summary(results, skipped)]
    for heading, part in chapters(results):
        body += [tag("h2", heading), *(section(result, unfolded=len(results) == 1) for result in part)]
    where = ["Every number of this page is in ", tag("code", "report.csv"), ". ", " ".join(made_in_words(results))]
    footer = tag("p", *where)
    if len(results) == 1:
        return page(title(results), join(body, "\n"), footer=footer)
    beside = tag("div", join(body, "\n"), "\n")
    return page(title(results), join([contents(results), beside], "\n"), footer=footer)


def answers(results: Sequence[Result]) -> list[HTML]:
    """Is it reproduced?  A sentence per part of the paper."""
    lines = []
    for part in parts(results):
        said = answer(part.results)
        told = join(piece if isinstance(piece, str) else linked(piece) for piece in sentence(part))
        word = [] if said == NOTHING else [tag("b", f"{said.mark} {said.word}", class_=said.style), ". "]
        lines.append(tag("li", tag("b", f"{part.name}: "), *word, tag("span", told, class_="told")))
    return [tag("ul", *lines, class_="answers")] if lines else []


def linked(result: Result) -> HTML:
    return tag("a", label(result), href=f"#{anchor(result)}")


def tiles(results: Sequence[Result]) -> list[HTML]:
    drawn = [tag("div", "\n", join(map(tile, results), "\n"), class_="tiles")]
    count = tally(results)
    told = [" Squares: measured (up) against published, equal on the line."] if count.published else []
    told += [" Rows: claims."] if count.claimed else []
    if told:
        marks = [join([outcomes([style]), " ", word]) for style, word in MARKED.items()]
        drawn.append(tag("p", join(marks, ", "), ".", *told, class_="soft marks"))
    return drawn


def tile(result: Result) -> HTML:
    said, name, where = answer([result]), label(result), place(result).split(" (")[0]
    inside = [tag("b", name)]
    if where.lower() not in name.lower():
        inside.append(tag("small", where))
    inside += [picture(result), tag("span", f"{said.mark} {in_short(result)}", class_=said.style)]
    return tag("a", *inside, class_=f"tile {said.style}-edge", href=f"#{anchor(result)}")


def picture(result: Result) -> HTML:
    """Measured against published numbers; without these, a dot for each claim."""
    pairs: dict[str, list[tuple[float, float]]] = {}
    for row in result.published[:MOST]:
        if row.verdict is not None and row.published is not None and math.isfinite(row.value + row.published):
            pairs.setdefault(MARKS[row.verdict].style, []).append((row.published, row.value))
    if pairs:
        return against(pairs, "measured against published; equal on the diagonal")
    if result.claims:
        return outcomes([MARKS[claim.holds].style for claim in result.claims], "a dot for each claim")
    return tag("i", f"{len(result.rows):,} numbers")


def contents(results: Sequence[Result]) -> HTML:
    """The contents: every study with its answer; beside the page on a wide screen, folded on a phone."""
    lines = []
    for heading, some in chapters(results):
        groups = [(part.name, part.results) for part in parts(some) if part.results[0].paper is not None]
        listed = {id(result) for _, studies in groups for result in studies}
        rest = [result for result in some if id(result) not in listed]
        groups += [(heading, rest)] if rest else []
        for name, studies in groups:
            entries = [tag("li", signed_link(result)) for result in studies]
            lines.append(tag("li", tag("b", name), tag("ul", *entries)))
    top = tag("li", tag("a", "Top", href="#top"))
    return tag("nav", tag("details", tag("summary", "Contents"), tag("ul", top, *lines)), aria_label="Contents")


def signed_link(result: Result) -> HTML:
    said = answer([result])
    sign = tag("span", said.mark, class_=said.style, role="img", aria_label=said.word)
    return tag("a", sign, label(result), href=f"#{anchor(result)}")


def link(result: Result) -> HTML:
    return tag("a", result.name, href=f"#{anchor(result)}")


def summary(results: Sequence[Result], skipped: Sequence[Skipped]) -> list[HTML]:
    count = tally(counted(results))
    blocks = [tag("p", glued(" ".join(lead(results))))]
    for what, shares in (("published numbers", count.numbers), ("claims in words, tested", count.claims)):
        if sum(shares.values()):
            blocks.append(bar(what, shares))
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
