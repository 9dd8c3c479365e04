"""A policy as a sentence, and as a table for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..._table import Sheet
from ...planning.text import between, called, estimate
from ...selection.text import DASH, NOTHING, about, digits, filled, number, percent
from ..certificate.certify import GOOD, LEVELS

if TYPE_CHECKING:
    from .policy import Policy

SHOWN = 10  # states in a printed table; the rest is counted
ENDED = {"seconds": "when the time was up", "interrupted": "when it was interrupted", "sure": "as soon as it was sure"}
HEADS = ("state", "action", "P(best)", "rival", "value", "95 % interval", "tries")


def brief(policy: Policy) -> str:
    states = f"{len(policy):,} state{'' if len(policy) == 1 else 's'}"
    return f"<Policy: {states}, {policy.spent:,} steps, {'; '.join(sureness(policy))}>"


def sentence(policy: Policy) -> str:
    """``worth 8.1 from the start (7.9 … 8.2); within 1 % of the best with a chance of 87 %; 12 of 400 states in doubt;
    about 3,000 more steps for 95 %``."""
    return "; ".join([worth(policy), *sureness(policy), in_doubt(policy), *more(policy)])


def worth(policy: Policy) -> str:
    begun = int((policy.seen.starts > 0).sum())
    where = "the start" if begun <= 1 else f"{begun:,} starts"
    scale = max(policy.certified.span, float(np.abs(policy.certified.solved.values).max(initial=0.0)))
    value, reach = estimate(policy.value, policy.interval, scale)
    return f"worth {value} from {where}{reach}"


def sureness(policy: Policy) -> list[str]:
    if policy.certified.span == 0.0:
        return ["nothing told the actions apart"]
    chance, extra = percent(policy.p_right), policy.untested_gain
    if not (policy.certified.model.untried > 0).any():
        return [f"within 1 % of the best with a chance of {chance}"]
    said = [f"within 1 % of the best of what was tried with a chance of {chance}"]
    if extra > GOOD * policy.certified.span:
        said.append(f"what was never tried might add {number(extra, digits([extra]))}")
    return said


def in_doubt(policy: Policy) -> str:
    many, states = len(policy.uncertain), len(policy)
    never = int((policy.certified.model.untried > 0).sum())
    if never == many > 0:
        return f"{many:,} of {states:,} states have actions never tried"
    tried = f", {never:,} with actions never tried" if never else ""
    return f"{many:,} of {states:,} states in doubt{tried}" if many else "no state in doubt"


def more(policy: Policy) -> list[str]:
    """How many more steps would reach the next level; nothing if that depends on actions never tried."""
    sure = policy.certified
    if sure.span == 0.0 or sure.untested_gain > GOOD * sure.span:
        return []
    for level in LEVELS:
        extra = sure.forecast(level)
        if extra == math.inf:
            return [f"{percent(level)} is out of reach within 1,000 times as many steps"]
        if extra > 0.0:
            return [f"about {about(extra)} more steps for {percent(level)}"]
    return []


def lines(policy: Policy, states: Sequence[int]) -> list[list[str]]:
    """One for each of the ``states``, by number."""
    sure, first = policy.certified, policy.seen.first
    lows, highs = sure.intervals
    halves = (highs - lows)[list(states)] / 2.0
    known = halves[halves > NOTHING * np.abs(sure.solved.values).max(initial=0.0)].tolist()
    decimals = digits(known or [float(np.ptp(sure.solved.values)) / 10.0])
    found = []
    for s in states:
        pairs = slice(int(first[s]), int(first[s + 1]))
        chances, tries, taken = sure.chances[pairs], policy.seen.tried[pairs], int(policy.choices[s])
        rivals = np.where(np.arange(chances.size) == taken, -1.0, chances)
        rival = int(rivals.argmax())
        worth = sure.solved.values[s] if tries.any() else math.nan
        names = policy.legal[s]
        found.append(
            [
                called(policy.states[s]),
                called(names[taken]) if tries.any() else DASH,
                percent(float(chances[taken])),
                rival_in_words(called(names[rival]), float(rivals[rival]), tries[rival]) if len(names) > 1 else DASH,
                number(float(worth), decimals),
                between((float(lows[s]), float(highs[s])), decimals) if tries.any() else DASH,
                f"{int(tries[taken]):,} of {int(tries.sum()):,}",
            ]
        )
    return found


def rival_in_words(name: str, chance: float, tries: int) -> str:
    return f"{name} ({percent(chance)})" if tries else f"{name}, never tried"


def as_text(policy: Policy) -> str:
    ended = f", ended {ENDED[policy.stopped]}" if policy.stopped in ENDED else ""
    head = f"{filled(sentence(policy))}\na policy for {len(policy):,} states from {policy.spent:,} steps{ended}"
    shown = [s for s in policy.by_doubt[:SHOWN] if policy.doubts[s] > 0.05] or policy.by_doubt[:3]
    rest = len(policy.uncertain) - len(shown)
    table = Sheet(HEADS, lines(policy, shown), left=[0, 1, 3]).plain()
    return f"{head}\n\n{table}" + (f"\nand {rest:,} more in doubt" if rest > 0 else "")
