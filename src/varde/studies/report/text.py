"""Sentences that the page and the text share."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..provenance import in_words as in_words_of
from ..statements import Answered
from .answers import kinds, parts, sentence
from .counts import counted, papers, statements
from .load import Result

ABOUT = (
    "Intervals are 95 %, errors after ± one standard error. A table or figure is as stated if the comparisons behind "
    "it come out on average, contradicted if fewer than half do and one is lost by more than three standard errors; "
    "runs of finite length refute no limit. Thresholds are ours."
)
SHOWN = 12  # numbers named for one reason in the summary
TEX = {
    r"\\operatorname\{(\w+)\}": r"\1",
    r"\\hat\\pi": "\N{GREEK SMALL LETTER PI}\N{COMBINING CIRCUMFLEX ACCENT}",
    r"\\bar\\sigma": "\N{GREEK SMALL LETTER SIGMA}\N{COMBINING MACRON}",
    r"\\tau": "\N{GREEK SMALL LETTER TAU}",
    r"\\Omega": "\N{GREEK CAPITAL LETTER OMEGA}",
    r"\\log ?": " log ",
    r"\\max": "max",
    r"\{([^{}]*)\}": r"(\1)",
    r"\$": "",
}


def readable(sentence: str) -> str:
    """A sentence without the marks of TeX."""
    for tex, text in TEX.items():
        sentence = re.sub(tex, text, sentence)
    return sentence


def quoted(line: Answered) -> str:
    return f"“{readable(line.sentence)}”"


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
    return result.paper.part_of(result.name) or "not of the paper"


def circumstances(result: Result) -> list[str]:
    """The place of the study in the paper, and the conditions under which the numbers were made."""
    told = [f"{result.runs:,} run{'s' * (result.runs > 1)}", f"seed {result.seed}"]
    if result.study.in_a_paper and result.runs != result.study.runs:
        told[0] += f" (by default {result.study.runs:,})"
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
    lines = [title(results), *(f"{part.name}: {sentence(part)}" for part in parts(results))]
    said = statements(results)
    return [*lines, *([kinds(said)] if said else []), *headlines(results), *made_in_words(results)]


def headlines(results: Sequence[Result]) -> list[str]:
    """The first finding of every study that its paper wants on the first screen."""
    return [headline(result) for result in on_top(results) if result.findings]


def headline(result: Result) -> str:
    """Its first finding; without one, its first answer."""
    return result.texts[0] if result.texts else result.answers[0].words


def on_top(results: Sequence[Result]) -> list[Result]:
    """Studies of the first screen, in the paper's order."""
    by_name = {result.name: result for result in results}
    names = [name for paper in papers(results).values() for name in paper.first]
    return [by_name[name] for name in names if name in by_name]


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
        beyond = f"Further, not of {title}" if len(titles) > 1 else "Further, not of the paper"
        found.append((beyond, [result for result in mine if result.further]))
    found.append(("Other studies" if titles else "Studies", [result for result in results if result.paper is None]))
    return [chapter for chapter in found if chapter[1]]
