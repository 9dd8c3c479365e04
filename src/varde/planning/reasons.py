"""Why a search recommends a move: the sentences behind the headline."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..show.sentence import Promise, after
from ..show.words import NOTHING, allowing, amount, called, counted, digits, estimate, lead_in_words, number, percent

if TYPE_CHECKING:
    from .move import Move


def why(move: Move) -> str:
    """Which rival it is ahead of and by how much, how sure that is, and what the state is worth."""
    return f"{ahead_of(move)}. The state is worth {estimate(move.value, move.interval, scale_of(move))}."


def ahead_of(move: Move) -> str:
    others = [row for row in move.rows if row.verdict != "best"]
    tried = [row for row in others if row.n]
    if not others:
        return "It is the only legal action"
    if not tried:
        return f"Nothing else was tried in {counted(move.spent, 'simulations')}"
    if not move.chances:
        second = max(tried, key=lambda row: row.estimate)
        lead = move[move.best].estimate - second.estimate
        by = number(lead, digits([lead / 10.0])) if lead > 0.0 else ""
        return (
            f"{after(move)} it is {compared(called(second.action), by)}; this algorithm does not say how sure that is"
        )
    if move.gap is None or math.isnan(move.expected_regret):
        return f"Nothing told the actions apart in {counted(move.spent, 'simulations')}"
    rival, lead, margin = move.gap
    scale = scale_of(move)
    known = margin <= NOTHING * scale
    words = compared(called(rival), lead_in_words(lead, margin, scale))
    if lead <= 0.0 or (known and lead < 0.05 * margin):
        words = compared(called(rival), "")
    elif lead < 0.05 * margin:
        words = f"level with {called(rival)}, give or take {number(margin, digits([margin]))}"
    return f"{after(move)} it is {words}; the chance that it is the best is {percent(move.p_right)}{why_no_more(move)}"


def compared(rival: str, lead: str) -> str:
    return f"ahead of {rival} by {lead}" if lead else f"level with {rival}"


def why_no_more(move: Move) -> str:
    """Why the chance is lower than the lead over the strongest rival suggests."""
    draws = float(move.choice.draws.sum())
    most = (draws + 1.0) / (draws + len(move.rows))
    if move.p_right > most - 0.0005 and most < 0.999:
        return f", the most that {counted(draws, 'simulations')} can show"
    return "" if move.gap is None else allowing(move.gap, move.p_right, "what was not searched")


def scale_of(move: Move) -> float:
    """The size of values and returns; much smaller differences are rounding errors."""
    sizes = [abs(row.estimate) for row in move.rows if math.isfinite(row.estimate)]
    return max([*sizes, math.sqrt(move.choice.spread) if move.choice.spread > 0.0 else 0.0])


def promise_of(move: Move) -> Promise | None:
    """What ``stop`` promises, if it ended the search."""
    if move.promise is None:
        return None
    delta, margin = move.promise
    wrong = f"another action is better{f' by more than {amount(margin)}' if margin else ''}"
    written = f"stop={amount(delta)}" if not margin else f"varde.Stop({amount(delta)}, {amount(margin)})"
    return Promise(written, wrong, delta, "by the search's own estimate, whose errors were measured and not proved")
