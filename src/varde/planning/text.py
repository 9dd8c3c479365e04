"""A move as a sentence, as a table for a terminal, and for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .._table import Sheet, one_line
from ..check import shown, without_numpy
from ..selection.text import (
    DASH,
    NOTHING,
    about,
    allowing,
    digits,
    exact,
    filled,
    lead_in_words,
    number,
    percent,
    short,
)

if TYPE_CHECKING:
    from .move import Interval, Move

SHOWN = 15  # actions in a printed table; the rest is counted
ENDED = {
    "seconds": "when the time was up",
    "interrupted": "when it was interrupted",
    "sure": "as soon as it was sure",
}


def called(name: Any, most: int = 40) -> str:
    """The name of an action or a state on one line: a text as it is, anything else as it prints."""
    return short(one_line(name if isinstance(name, str) else shown(without_numpy(name), 4 * most)), most)


def brief(move: Move) -> str:
    sure = f", the best with a chance of {percent(move.p_right)}" if move.chances else ""
    actions = f"{len(move.values):,} action{'s' if len(move.values) > 1 else ''}"
    return f"<Move: {called(move.action)} of {actions}{sure}>"


def sentence(move: Move) -> str:
    """``take south: ahead of east by 1.2 ± 1.4 (95 % margin); 93 % sure; about 800 more simulations for 95 %``.

    In a game it begins with the player: ``player 1 takes south``; values are those of that player.
    """
    who = "take" if move.player is None else f"player {move.player} takes"
    return f"{who} {called(move.action)}: {'; '.join(reasons(move))}"


def reasons(move: Move) -> list[str]:
    """Which rival it is ahead of and by how much, how sure that is, and what would settle it."""
    others = [action for action in move.values if action != move.action]
    tried = [action for action in others if move.visits[action] > 0]
    if not others:
        return ["the only legal action"]
    if not tried:
        return [f"nothing else was tried in {simulations(move.spent)}"]
    if not move.chances:
        rival = max(tried, key=lambda action: move.values[action])
        lead = move.values[move.action] - move.values[rival]
        words = [ahead(called(rival), number(lead, digits([lead / 10.0])) if lead > 0.0 else "")]
        return [*words, "this algorithm does not say how sure that is"]
    if move.gap is None or math.isnan(move.expected_regret):
        return [f"nothing told the actions apart in {simulations(move.spent)}"]
    rival, lead, margin = move.gap
    known = margin <= NOTHING * scale_of(move)
    if lead <= 0.0 or (known and lead < 0.05 * margin):
        return [ahead(called(rival), ""), *sureness(move)]
    if lead < 0.05 * margin:
        return [f"level with {called(rival)}, give or take {number(margin, digits([margin]))}", *sureness(move)]
    return [ahead(called(rival), lead_in_words(lead, margin, scale_of(move))), *sureness(move)]


def scale_of(move: Move) -> float:
    """The size of values and returns; much smaller differences are rounding errors."""
    sizes = [abs(value) for value in move.values.values() if math.isfinite(value)]
    return max([*sizes, math.sqrt(move.choice.spread) if move.choice.spread > 0.0 else 0.0])


def ahead(rival: str, lead: str) -> str:
    return f"ahead of {rival} by {lead}" if lead else f"level with {rival}"


def sureness(move: Move) -> list[str]:
    """The chance, and how many more simulations the next level would take."""
    if not move.chances:
        return []
    why = "" if move.gap is None else allowing(move.gap, move.p_right, "what was not searched")
    words = [f"{percent(move.p_right)} sure{why}"]
    for level, extra in move.more_budget.items():
        if extra > 0.0:
            far = f"{percent(level)} is out of reach within 1,000 times as many simulations"
            words.append(f"about {about(extra)} more simulations for {percent(level)}" if extra < math.inf else far)
            break
    return words


def simulations(many: int) -> str:
    return f"{many:,} simulation{'' if many == 1 else 's'}"


def worth(move: Move) -> str:
    """The value of the state, and how much was searched."""
    ended = f", ended {ENDED[move.stopped]}" if move.stopped in ENDED else ""
    value, reach = estimate(move.value, move.interval, scale_of(move))
    return f"{simulations(move.spent)}{ended}; the state is worth {value}{reach}"


def estimate(value: float, interval: Interval, scale: float) -> tuple[str, str]:
    """``0.81`` and `` (0.78 … 0.84)``; without an error, a number as it is and no interval."""
    wide = (interval[1] - interval[0]) / 2.0
    if wide <= NOTHING * scale:
        return exact(value, scale), ""
    decimals = digits([wide if wide < math.inf else abs(value) / 10.0])
    reach = between(interval, decimals)
    return number(value, decimals), f" ({reach})" if reach != DASH else ""


def between(interval: Interval, decimals: int | None) -> str:
    if not all(map(math.isfinite, interval)):
        return DASH
    return f"{number(interval[0], decimals)} … {number(interval[1], decimals)}"


def ranked(move: Move) -> list[Any]:
    """The actions: the one to take, then the highest values, those never tried last."""
    worth = {action: value if move.visits[action] else -math.inf for action, value in move.values.items()}
    return sorted(worth, key=lambda action: (action != move.action, -worth[action]))


def decimals_for(values: Sequence[float], spans: Sequence[Interval], taken: Interval) -> int | None:
    """Digits that tell values apart: two of the interval of the recommended one."""
    scale = max(map(abs, values))
    if scale == 0.0:
        return 0
    wide = [(high - low) / 2.0 for low, high in (taken, *spans) if NOTHING * scale < high - low < math.inf]
    return digits(wide[:1] or [(max(values) - min(values)) / 10.0 or scale / 10.0])


def as_text(move: Move) -> str:
    order, tried = ranked(move), [value for action, value in move.values.items() if move.visits[action]]
    decimals = decimals_for(tried, list(move.intervals.values()), move.intervals[move.action])
    heads = ["action", "simulations", "value", *(["95 % interval", "P(best)"] if move.chances else [])]
    lines = []
    for action in order[:SHOWN]:
        cells = [called(action), f"{move.visits[action]:,}", number(move.values[action], decimals)]
        if move.chances:
            cells += [between(move.intervals[action], decimals), percent(move.chances[action])]
        lines.append(cells)
    styles = ["strong"] + ["" if move.visits[action] else "faint" for action in order[1:SHOWN]]
    rest = f"\nand {len(order) - SHOWN:,} more" if len(order) > SHOWN else ""
    return f"{filled(sentence(move))}\n{worth(move)}\n\n{Sheet(heads, lines, left=[0], styles=styles).plain()}{rest}"


def finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def as_json(move: Move) -> dict[str, Any]:
    def text(name: Any) -> str:
        return name if isinstance(name, str) else shown(name, 1000)

    gap = move.gap and {"rival": text(move.gap[0]), "lead": move.gap[1], "margin": finite(move.gap[2])}
    return {
        "action": text(move.action),
        "player": move.player,
        "sentence": sentence(move),
        "value": finite(move.value),
        "interval": [*map(finite, move.interval)],
        "p_right": finite(move.p_right),
        "expected_regret": finite(move.expected_regret),
        "gap": gap,
        "spent": move.spent,
        "stopped": move.stopped,
        "more_budget": {f"{level:g}": finite(extra) for level, extra in move.more_budget.items()},
        "actions": [
            {
                "name": text(row.action),
                "visits": row.visits,
                "value": finite(row.value),
                "interval": [*map(finite, row.interval)],
                "p_best": finite(row.p_best),
            }
            for row in map(move.__getitem__, move)
        ],
    }
