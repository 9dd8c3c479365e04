"""What came of each part of a paper, in a sentence: its numbers, and the grades of its statements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..judging.verdict import DIFFERENT, SAME
from ..statements import GRADES, IN_PART, RED, SHOWN_IN_PART, UNTESTABLE, Answered
from .counts import counted, grades, in_numbers, papers, statements, verdicts
from .load import Result

ORDER = list(dict.fromkeys(grade for some in GRADES.values() for grade in some))
PLURAL = {"law": "laws", "limit": "limits", "table": "about tables", "picture": "about figures", "summary": "summaries"}
NEUTRAL = ("limit", "summary")  # neither green nor red


class Mark(NamedTuple):
    sign: str
    style: str  # of the style sheet


GOOD, FAIR, BAD, OPEN, PLAIN = (
    Mark("✓", "good"),
    Mark("◐", "fair"),
    Mark("✗", "bad"),
    Mark("·", "open"),
    Mark("·", "soft"),
)


def mark(line: Answered) -> Mark:
    """Red only where a sentence is contradicted; no colour for what runs cannot decide."""
    if line.grade in RED:
        return BAD
    if line.kind in NEUTRAL or line.grade not in ORDER or line.grade == UNTESTABLE:
        return OPEN
    return FAIR if line.grade in (IN_PART, SHOWN_IN_PART) else GOOD


def mark_of(results: Sequence[Result]) -> Mark:
    """Of a study or a part: the worst of its numbers and statements."""
    marks = {mark(line) for line in statements(results)}
    words = verdicts(results)
    marks |= {BAD} if words[DIFFERENT] else {GOOD} if words[SAME] else set()
    return next((one for one in (BAD, FAIR, GOOD, OPEN) if one in marks), PLAIN)


class Part(NamedTuple):
    """A part of the paper, and its studies in the folder."""

    name: str
    results: list[Result]


def parts(results: Sequence[Result]) -> list[Part]:
    """The parts of each paper in its order; each study of no paper that has something to test is a part of its own."""
    several, here, found = len(papers(results)) > 1, counted(results), []
    for paper in papers(results).values():
        for name, names in paper.parts.items():
            some = [r for r in here if r.name in names and r.paper is not None and r.paper.title == paper.title]
            found.append(Part(f"{paper.title}: {name}" if several and name != paper.title else name, some))
    found += [Part(label(result), [result]) for result in here if result.paper is None]
    return [part for part in found if part.results]


def sentence(part: Part, numbers_too: bool = True) -> str:
    """Numbers, then statements by grade."""
    numbers, lines = in_numbers(part.results) if numbers_too else "", statements(part.results)
    found = grades(lines)
    told = [f"{found[grade]} {grade}" for grade in (*ORDER, *(set(found) - set(ORDER))) if found[grade]]
    words = f"{len(lines)} statement{'s' * (len(lines) > 1)}: {', '.join(told)}" if lines else ""
    return "; ".join(filter(None, (numbers, words))) + "." if numbers or words else "nothing printed to compare with."


def kinds(lines: Sequence[Answered]) -> str:
    """All statements by kind and grade, in a sentence."""
    told = []
    for kind in GRADES:
        some = [line for line in lines if line.kind == kind]
        found = grades(some)
        if some:
            words = ", ".join(f"{n} {grade}" for grade, n in sorted(found.items(), key=lambda pair: -pair[1]))
            told.append(f"{len(some)} {PLURAL[kind]} ({words})")
    return f"{len(lines)} statements: {', '.join(told)}."


def label(result: Result) -> str:
    """A study in a few words: its title up to the first stop."""
    return result.study.title.split(":")[0].split(",")[0].strip() or result.name
