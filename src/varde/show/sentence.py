"""What all answers say alike: how it ended, and what that rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .words import amount, counted, percent

if TYPE_CHECKING:
    from .answer import Answer

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
    """``Take b: after 60 evaluations it is ahead of a by ...``, how it ended, and what that rests on."""
    reasons = " ".join([answer._reasons(), *how_it_ended(answer)])
    return f"{answer._headline()}: {reasons[:1].lower()}{reasons[1:]}"


def how_it_ended(answer: Answer[Any]) -> list[str]:
    promise = answer._promise()
    if promise is None:
        return [ENDED[answer.stopped]] if answer.stopped in ENDED else []
    chance = percent(promise.delta)
    return [f"It ended by {promise.written}: {promise.wrong} with a chance of at most {chance}, {promise.assumption}."]


def after(answer: Answer[Any]) -> str:
    """``After 60 of 100 evaluations``."""
    of = getattr(answer, "budget", None)
    among = f" of {amount(of)}" if of is not None and of != answer.spent else ""
    unit = answer._unit
    return f"After {amount(answer.spent)}{among} {unit}" if among else f"After {counted(answer.spent, unit)}"
