"""Sentences that the page and the text share."""

from __future__ import annotations

from collections.abc import Sequence

from ..._table import Entry, Sheet
from ..claims import FAILS, OPEN, UNTESTED
from ..grid import as_printed, beside, number_form
from ..judging.verdict import VERDICTS, in_words
from ..provenance import in_words as in_words_of
from .answers import in_text, parts
from .counts import Miss, counted, margins, papers
from .load import Result

ABOUT = (
    "A number is the same or different if the interval of the measured one lies inside or outside a margin around the "
    "printed one; if it crosses the edge, these runs cannot tell. A claim in words is one test, run by run, over every "
    "problem it is made about. Intervals are 95 %, tests at the 5 % level."
)
NOT_HOLDING = {
    FAILS: "Claims that do not hold",
    UNTESTED: "Claims whose test failed",
    OPEN: "Claims these runs leave undecided",
}
SHOWN = 12  # numbers named for one reason in the summary


def title(results: Sequence[Result]) -> str:
    titles = list(papers(results))
    if len(results) == 1 and not titles:
        return results[0].study.title or results[0].name
    return f"{titles[0]}, measured again" if len(titles) == 1 else "Measured with varde"


def about(results: Sequence[Result]) -> str:
    return ABOUT if counted(results) else "Intervals are 95 %."


def place(result: Result) -> str:
    """Its place in the paper."""
    if result.study.place or result.paper is None:
        return result.study.place or "not from a paper"
    return result.paper.part_of(result.name) or "beyond the paper"


def circumstances(result: Result) -> list[str]:
    """The place of the study in the paper, and the conditions under which the numbers were made."""
    told = [f"{result.runs:,} run{'s' * (result.runs > 1)}", f"seed {result.seed}"]
    if result.study.in_a_paper and result.runs != result.study.runs:
        told[0] += f" (by default {result.study.runs:,})"
    if result.seconds is not None:
        told.append(f"{duration(result.seconds)} of computing")
    return [place(result), *told]


def made_in_words(results: Sequence[Result]) -> list[str]:
    """What the results were made with, a line for each way they were made."""
    found: dict[str, list[str]] = {}
    for result in results:
        found.setdefault(in_words_of(result.version, result.made), []).append(result.name)
    if len(found) == 1:
        return [f"Made with {words}." for words in found]
    return [f"Made with {words}: {', '.join(names)}." for words, names in found.items()]


def in_short(results: Sequence[Result]) -> list[str]:
    """The report in a few lines, for a terminal: a sentence per part of the paper, and what it was made with."""
    lines = [title(results)]
    for part in parts(results):
        word, told = in_text(part)
        lines.append(f"{part.name}: {word}{'. ' if word else ''}{told}")
    return [*lines, *made_in_words(results)]


def duration(seconds: float) -> str:
    if seconds < 120.0:
        return f"{seconds:.1f} s"
    return f"{seconds / 60.0:.1f} min" if seconds < 7200.0 else f"{seconds / 3600.0:.1f} h"


def missed(miss: Miss) -> str:
    """The numbers in one line: where, published, measured, how far apart."""
    form = number_form(miss.result.study, miss.result.rows)
    parts = [
        f"{row.problem}, {row.algorithm}, step {row.step:,}: {as_printed(row, form)} → {beside(row, form)(row.value)} "
        f"({in_words(miss.result.study, row)})"
        for row in miss.rows[:SHOWN]
    ]
    if len(miss.rows) > SHOWN:
        parts.append(f"and {len(miss.rows) - SHOWN} more")
    return "; ".join(parts)


MARGINS = "How the counts depend on the margin"


def margin_table(results: Sequence[Result]) -> Sheet:
    lines: list[list[Entry]] = [
        [f"{100.0 * relative:g} %", f"{errors:g}", *map(str, words.values())]
        for relative, errors, words in margins(results)
    ]
    head = ["practically the same", "standard errors of the paper", *VERDICTS]
    return Sheet(head, lines, "Verdicts by margin")


def settings(result: Result) -> list[list[str]]:
    """(algorithm, problems, setting), problems with the same setting together."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for row in result.rows:
        found.setdefault((row.algorithm, row.setting), {})[row.problem] = None
    return [[name, ", ".join(problems), setting] for (name, setting), problems in found.items()]


def chapters(results: Sequence[Result]) -> list[tuple[str, list[Result]]]:
    """The studies of each paper, what goes beyond it, and the others, each with its heading; none is empty."""
    titles, found = papers(results), []
    for title in titles:
        mine = [result for result in results if result.paper is not None and result.paper.title == title]
        found.append((title if len(titles) > 1 else "The paper", [result for result in mine if not result.further]))
        beyond = f"Beyond {title}" if len(titles) > 1 else "Beyond the paper"
        found.append((beyond, [result for result in mine if result.further]))
    found.append(("Other studies" if titles else "Studies", [result for result in results if result.paper is None]))
    return [chapter for chapter in found if chapter[1]]
