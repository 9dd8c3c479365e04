"""The report as one page: the answers on one screen, a line for each statement, then a folding section per study."""

from __future__ import annotations

from collections.abc import Sequence

from ...show.page import HTML, join, page, tag
from ...show.page.chart import minus
from ...show.page.text import glued
from ...show.sheet import Sheet
from ..grid import as_printed, beside, number_form
from ..judging.verdict import CANNOT_TELL, DIFFERENT, in_words
from ..statements import Answered
from . import words
from .heat import heat_map, strip
from .load import Result, Skipped
from .section import anchor, because, bullets, folded, section, signed


def as_html(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    body = [tag("h1", words.title(results), id="top"), *first_screen(results), *summary(results, skipped)]
    for heading, part in words.chapters(results):
        body += [tag("h2", heading), *(section(result, unfolded=len(results) == 1) for result in part)]
    made = " ".join(words.made_in_words(results))
    footer = tag("p", "Every number of this page is in ", tag("code", "report.csv"), ". ", made)
    if len(results) == 1:
        return page(words.title(results), join(body, "\n"), footer=footer)
    beside = tag("div", join(body, "\n"), "\n")
    return page(words.title(results), join([contents(results), beside], "\n"), footer=footer)


def first_screen(results: Sequence[Result]) -> list[HTML]:
    """A sentence per part in grades; the numbers as a strip; the pictures and findings that the paper wants first."""
    lines, found = [], words.deviations(words.counted(results))
    for part in words.parts(results):
        sign, style = words.mark_of(part.results)
        told = tag("span", signed(words.sentence(part, not found or not words.statements(part.results))), class_="told")
        lines.append(tag("li", tag("b", sign, class_=style), " ", tag("b", f"{part.name}: "), told))
    blocks = [tag("ul", *lines, class_="answers")] if lines else []
    fitted = [line for paper in words.papers(results).values() for line in paper.fitted]
    if found:
        fit = f" {len(fitted)} settings were chosen with these numbers in view." if fitted else ""
        numbers = signed(f"{words.in_numbers(words.counted(results))}.{fit}")
        blocks += [tag("p", tag("b", "Numbers. "), numbers), strip(found)]
    if fitted:
        sheet = Sheet(["setting", "chosen", "fitted on"], [list(line) for line in fitted], "Settings chosen to fit")
        blocks.append(folded(f"The {len(fitted)} settings that were chosen to fit", sheet.html("words")))
    if said := words.statements(results):
        blocks.append(tag("p", tag("b", "Words. "), words.kinds(said)))
    top = [result for result in words.on_top(results) if result.findings]
    figures = [result for result in top if not result.texts]
    if heated := [result for result in top if result.study.figure is not None and result.study.figure.heat]:
        firsts = (first_finding(result) for result in (*figures, *heated))
        blocks.append(tag("p", tag("b", "Readings. "), join(firsts, " ")))
    blocks += [tag("p", tag("b", f"{words.label(r)}. "), first_finding(r)) for r in top if r not in (*heated, *figures)]
    if heated:
        blocks.append(folded("How many comparisons each reading wins", heat_map(heated), opened=True))
    return blocks


def first_finding(result: Result) -> HTML:
    return join([signed(words.headline(result)), ". "])


def linked(result: Result) -> HTML:
    return tag("a", words.label(result), href=f"#{anchor(result)}")


def contents(results: Sequence[Result]) -> HTML:
    """The contents: every study with its mark; beside the page on a wide screen, folded on a phone."""
    lines = []
    for heading, some in words.chapters(results):
        groups = [(part.name, part.results) for part in words.parts(some) if part.results[0].paper is not None]
        listed = {id(result) for _, studies in groups for result in studies}
        rest = [result for result in some if id(result) not in listed]
        groups += [(heading, rest)] if rest else []
        for name, studies in groups:
            entries = [tag("li", signed_link(result)) for result in studies]
            lines.append(tag("li", tag("b", name), tag("ul", *entries)))
    top = tag("li", tag("a", "Top", href="#top"))
    return tag("nav", tag("details", tag("summary", "Contents"), tag("ul", top, *lines)), aria_label="Contents")


def signed_link(result: Result) -> HTML:
    sign, style = words.mark_of([result])
    return tag("a", tag("span", sign, class_=style, aria_hidden="true"), words.label(result), href=f"#{anchor(result)}")


def summary(results: Sequence[Result], skipped: Sequence[Skipped]) -> list[HTML]:
    blocks = [tag("p", line, class_="caution") for line in words.cautions(results)]
    if said := words.statements(results):
        blocks += [tag("h2", "Statement by statement", class_="minor"), statement_table(said, results)]
    blocks.append(tag("p", glued(words.about(results)), class_="soft"))
    if wrong := words.misses(results, DIFFERENT):
        blocks.append(folded("Published numbers that are different", *map(missed, wrong)))
    if unclear := words.misses(results, CANNOT_TELL):
        count = sum(len(miss.rows) for miss in unclear)
        what = "The number" if count == 1 else f"The {count} numbers"
        blocks.append(folded(f"{what} these runs leave undecided", *map(missed, unclear), printed=False))
    if skipped:
        blocks.append(tag("h2", "Left out of this report", class_="minor"))
        blocks.append(bullets(join([tag("code", file), f": {why}"]) for file, why in skipped))
    return blocks


def statement_table(lines: Sequence[Answered], results: Sequence[Result]) -> HTML:
    """One line for each statement: the sentence, its place, the grade, and the answer in words."""
    studies: dict[int, Result] = {}
    for result in results:
        for line in result.answers:
            studies.setdefault(line.number, result)
    rows = []
    for line in lines:
        sign, style = words.mark(line)
        what = [words.quoted(line), tag("small", f"{line.number}, {line.kind}, {line.place}")]
        ours = f"measured: {line.measured}; our threshold: {line.threshold}" + (
            f"; covered: {line.covers}" if line.covers else ""
        )
        said = [
            tag("b", f"{sign} {line.grade}", class_=style), ": ", signed(line.words), ". ",
            tag("a", "runs", href=f"#{anchor(studies[line.number])}"), tag("small", ours),
        ]  # fmt: skip
        rows.append(tag("tr", tag("td", *what), tag("td", *said)))
    head = tag("thead", tag("tr", tag("th", "the paper says"), tag("th", "these runs answer")))
    return tag("div", tag("table", head, tag("tbody", *rows), class_="words"), class_="scroll")


def missed(miss: words.Miss) -> HTML:
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
        for row in miss.rows[: words.SHOWN]
    ]
    which = f"{miss.result.name}, {miss.rows[0].verdict}: {miss.reason or 'no reason known'}"
    table = Sheet(["", "published", "measured", "verdict"], lines, which)
    count = f", {len(miss.rows)} of {len(miss.result.published)} numbers. "
    parts = [tag("p", linked(miss.result), count, because(miss.reason)), table.html()]
    if len(miss.rows) > words.SHOWN:
        parts.append(tag("p", f"and {len(miss.rows) - words.SHOWN} more", class_="soft"))
    return join(parts)
