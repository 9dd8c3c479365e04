"""When to look at runs that go on until something is decided, at which level, and what is worth running next.

A verdict at the k-th look is tested at its own level; the levels of all looks add up to 5 %, so that the probability of
*ever* giving a wrong verdict is at most that, whatever the looks and however the next runs are chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from .intervals import LEVEL
from .quantiles import normal_quantile, normal_tail
from .verdict import chance

EARLY = 0.005  # the level of a first look, for obvious differences
START, GROWTH = 3.0, 1.5  # runs of the next look, in units of the least that could decide; from one look to the next
FIRST = {True: 500, False: 30}  # runs of the first look: shares, and other values
AHEAD = 6  # looks to plan ahead
ENOUGH = 25  # runs, for a first look at a claim


def look_level(look: int) -> float:
    """The level of look 0, 1, 2, ...: they add up to 5 % however many there are."""
    return EARLY if look == 0 else (LEVEL - EARLY) / (look * (look + 1))


def claim_level(look: int) -> float:
    """The same for claims."""
    return LEVEL / ((look + 1) * (look + 2))


def claim_runs(look: int, runs: int) -> int:
    """At which number of runs a claim is looked at: a quarter of the study's, 25 or so at least; then twice as many."""
    return max(-(-runs // 4), min(runs, ENOUGH)) * 2**look


def look_runs(look: int, sigma: float, margin: float, shares: bool) -> int:
    """The number of runs at a look of a cell; sigma and margin as they were at look 0."""
    first = FIRST[shares]
    if look == 0:
        return first
    least = (normal_quantile(1.0 - look_level(1) / 2.0) * sigma / margin) ** 2
    return math.ceil(max(START * least, 2.0 * first) * GROWTH ** (look - 1))


def worth(apart: float, n: int, sigma: float, margin: float, look: int, shares: bool, cost: float) -> float:
    """The chance of a verdict per cost, at the best of the next looks; ``apart``: measured less published."""
    best = 0.0
    for k in range(look, look + AHEAD):
        to = look_runs(k, sigma, margin, shares)
        if to > n and sigma > 0.0:
            z = normal_quantile(1.0 - look_level(k) / 2.0)
            best = max(best, chance(apart, n, to, sigma, margin, z) / (cost * (to - n)))
    return best


def claim_worth(t: float, n: int, parts: int, look: int, runs: int, cost: Callable[[int], float]) -> float:
    """The chance that a claim is decided per cost; t of its deciding part after n runs, ``cost`` of so many."""
    best = 0.0
    for k in range(look, look + AHEAD):
        to, level = claim_runs(k, runs), claim_level(k)
        if to <= n:
            continue
        then, sd = t * math.sqrt(to / n), math.sqrt(to / n - 1.0)
        proved = normal_tail((normal_quantile(1.0 - level) - then) / sd)
        refuted = normal_tail((normal_quantile(1.0 - level / parts) + then) / sd)
        best = max(best, (proved + refuted) / max(cost(to), 1.0))
    return best
