"""Is it reproduced?  The answer for a study and for a part of the paper, from the verdicts and claims only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..claims import FAILS, HOLDS, OPEN, UNTESTED
from ..judging.verdict import CANNOT_TELL, DIFFERENT, SAME
from .counts import counted, papers, tally
from .load import Result

MOSTLY = 3  # times as many reproduced as not


class Answer(NamedTuple):
    word: str
    mark: str
    style: str  # of the style sheet


YES = Answer("yes", "✓", "good")
SO_FAR = Answer("yes, as far as these runs tell", "✓", "good")
IN_THE_MAIN = Answer("mostly", "◐", "fair")
IN_PART = Answer("in part", "◐", "fair")
NO = Answer("no", "✗", "bad")
NOT_SO_FAR = Answer("no, as far as these runs tell", "✗", "bad")
UNKNOWN = Answer("these runs cannot tell", "?", "open")
NOTHING = Answer("nothing to test", "·", "soft")  # neither a published number nor a claim


class Part(NamedTuple):
    """A part of the paper, and its studies in the folder."""

    name: str
    results: list[Result]


def answer(results: Sequence[Result]) -> Answer:
    """The answer in a word; the numbers, and the claims of each reading, have one vote each."""
    numbers = tally(results).numbers
    counts = [(numbers[SAME], numbers[CANNOT_TELL], numbers[DIFFERENT])]
    counts += [(count[HOLDS], count[OPEN] + count[UNTESTED], count[FAILS]) for count in by_reading(results).values()]
    heard = {in_a_word(*count) for count in counts} - {NOTHING}
    if len(heard) < 2:
        return next(iter(heard), NOTHING)
    if heard <= {YES, SO_FAR, UNKNOWN}:  # whether most is open is judged from all together
        return in_a_word(*map(sum, zip(*counts, strict=True)))
    if heard <= {YES, SO_FAR, IN_THE_MAIN}:
        return IN_THE_MAIN
    return NOT_SO_FAR if heard <= {NO, NOT_SO_FAR, UNKNOWN} else IN_PART


def in_a_word(good: int, unclear: int, bad: int) -> Answer:
    """It is a yes only if more is reproduced than left open by these runs."""
    if not good + unclear + bad:
        return NOTHING
    if bad and not good:
        return NOT_SO_FAR if unclear else NO
    if bad:
        return IN_THE_MAIN if good >= MOSTLY * bad and good > unclear else IN_PART
    return UNKNOWN if good <= unclear else SO_FAR if unclear else YES


def by_reading(results: Sequence[Result]) -> dict[str, Counter[str]]:
    """How many claims hold, by the reading of the algorithm."""
    found: dict[str, Counter[str]] = {}
    for result in results:
        for claim in result.claims:
            found.setdefault(claim.by, Counter())[claim.holds] += 1
    return found


def parts(results: Sequence[Result]) -> list[Part]:
    """The parts of each paper in its order; each study of no paper that has something to test is a part of its own."""
    several, here, found = len(papers(results)) > 1, counted(results), []
    for paper in papers(results).values():
        for name, names in paper.parts.items():
            some = [r for r in here if r.name in names and r.paper is not None and r.paper.title == paper.title]
            found.append(Part(f"{paper.title}: {name}" if several and name != paper.title else name, some))
    found += [Part(label(result), [result]) for result in here if result.paper is None]
    return [part for part in found if part.results]


def sentence(part: Part) -> list[str | Result]:
    """The result of a part, in pieces: text, and the studies in which something is not reproduced."""
    pieces: list[str | Result] = []
    numbers = tally(part.results).numbers
    if total := sum(numbers.values()):
        pieces.append(f"{numbers[SAME]} of {total} published numbers are the same")
        where = [result for result in part.results if tally([result]).numbers[DIFFERENT]]
        pieces += apart(numbers[DIFFERENT], "different", where, part)
        pieces += [f", {numbers[CANNOT_TELL]} undecided"] if numbers[CANNOT_TELL] else []
    named: list[Result] = []
    for by, count in by_reading(part.results).items():
        total = count.total()
        failed = [r for r in part.results if any((claim.by, claim.holds) == (by, FAILS) for claim in r.claims)]
        pieces.append(f"{'; ' if pieces else ''}{by}{': ' if by else ''}")
        pieces.append(f"{count[HOLDS]} of {total} {'claims hold' if total > 1 else 'claim holds'}")
        pieces += apart(
            count[FAILS], "does not" if count[FAILS] == 1 else "do not", failed, part, again=failed == named
        )
        named = failed
        pieces += [f", {count[word]} {word}" for word in (OPEN, UNTESTED) if count[word]]
    return [*pieces, "."] if pieces else ["no published numbers here, and no claims that were tested."]


def in_text(part: Part) -> tuple[str, str]:
    """The answer in a word with its mark, and the sentence, as text."""
    said = answer(part.results)
    told = "".join(piece if isinstance(piece, str) else label(piece) for piece in sentence(part))
    return "" if said == NOTHING else f"{said.mark} {said.word}", told


def apart(count: int, word: str, where: Sequence[Result], part: Part, again: bool = False) -> list[str | Result]:
    """How many are not reproduced, and in which studies, if the part has several; ``again``: in those just named."""
    if not count or len(part.results) == 1:
        return [f", {count} {word}"] if count else []
    if again:
        return [f", {count} {word} (the same places)"]
    named = [piece for result in where for piece in (", ", result)][1:]
    return [f", {count} {word} (", *named, ")"]


def label(result: Result) -> str:
    """A study in a few words: its title up to the first stop."""
    return result.study.title.split(":")[0].split(",")[0].strip() or result.name
