"""What all answers say alike: the sentence, how it ended, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from .sheet import cut
from .words import WIDEST, amount, counted, percent

if TYPE_CHECKING:
    from ..certainty.assumptions import Note
    from .answer import Answer

LONGEST = 200  # letters of a sentence
WIDTHS = (WIDEST, 28, 18, 12)  # of names: as wide as the sentence allows
WARNING, DETAIL, ASSUMPTION = SEVERITIES = ("warning", "detail", "assumption")  # in the order in which they are shown
ENDED = {
    "seconds": "It ended when the time was up.",
    "interrupted": "It ended when it was interrupted.",
    "outage": "It ended early: all calls failed for too long.",
}
WATCHING = ("not yet", "interrupted")  # how a search ends, or has not, where somebody may stop by what is seen


class Promise(NamedTuple):
    """What the stopping rule that ended a search promises, and what that rests on."""

    written: str  # the rule as a user writes it
    wrong: str  # what happens at most so often
    delta: float  # the chance of it
    assumption: str


def sentence(answer: Answer[Any]) -> str:
    """``Take b: after 60 evaluations it is ahead of a by ...``, on one line."""
    headline, reason = parts(answer)
    return cut(f"{headline}: {reason[:1].lower()}{reason[1:]}.", LONGEST)


def parts(answer: Answer[Any]) -> tuple[str, str]:
    """The decision, and the reason for it: the fullest that fits a sentence, with names as wide as that allows."""
    found = "", ""
    for found in said(answer):
        if sum(map(len, found)) + len(": .") <= LONGEST:
            break
    return found


def said(answer: Answer[Any]) -> Iterator[tuple[str, str]]:
    """All ways to say it, from the fullest on."""
    ways = [(answer._headline(most), answer._reasons(most)) for most in WIDTHS]
    for place in range(len(ways[0][1])):
        for headline, reasons in ways:
            yield headline, reasons[place]


def how_it_ended(answer: Answer[Any]) -> Iterator[tuple[str, str]]:
    """What ended the search, and what its stopping rule promises: a code and a text, if there is something to say."""
    promise = answer._promise()
    if promise is not None:
        chance = f"with a chance of at most {percent(promise.delta)}, {promise.assumption}"
        yield "promise", f"It ended by {promise.written}: {promise.wrong} {chance}."
    elif answer.stopped in ENDED:
        yield "ended", ENDED[answer.stopped]


def in_order(notes: list[Note]) -> tuple[Note, ...]:
    """Each once, those that speak against the answer first."""
    once = {(note.code, note.text): note for note in notes}
    return tuple(sorted(once.values(), key=lambda note: SEVERITIES.index(note.severity)))


def after(answer: Answer[Any]) -> str:
    """``After 60 of 100 evaluations``."""
    of = getattr(answer, "budget", None)
    among = f" of {amount(of)}" if of is not None and of != answer.spent else ""
    unit = answer._unit
    return f"After {amount(answer.spent)}{among} {unit}" if among else f"After {counted(answer.spent, unit)}"
