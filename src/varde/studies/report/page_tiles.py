"""The first screen of the page: a sentence per part of the paper, a tile per table or figure, and the contents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..._page import HTML, join, tag
from ..._page.dots import against, outcomes
from ..grid import MARKS
from .answers import NOTHING, answer, label, parts, sentence
from .load import Result
from .page_parts import anchor
from .tally import tally
from .text import chapters, place

MOST = 400  # dots of a tile
MARKED = {"good": "comes out", "open": "these runs cannot tell", "bad": "does not come out"}


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
    for row in [row for row in result.rows if row.published is not None][:MOST]:
        if row.verdict is not None and row.published is not None and math.isfinite(row.value + row.published):
            pairs.setdefault(MARKS[row.verdict].style, []).append((row.published, row.value))
    if pairs:
        return against(pairs, "measured against published; equal on the diagonal")
    if result.claims:
        return outcomes([MARKS[claim.holds].style for claim in result.claims], "a dot for each claim")
    return tag("i", f"{len(result.rows):,} numbers")


def in_short(result: Result) -> str:
    """Of the numbers if some are published, and of the claims if there are any."""
    count = tally([result])
    told = []
    for what, by in (("number", count.numbers), ("claim", count.claims)):
        if total := sum(by.values()):
            told.append(f"{next(iter(by.values()))} of {total} {what}{'s' if total > 1 else ''}")
    return ", ".join(told) or NOTHING.word


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
