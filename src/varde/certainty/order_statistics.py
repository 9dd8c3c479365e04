"""Quantiles of an option's results, from order statistics only: nothing is assumed about their distribution.

k of N results lie below the q-quantile Q with Binomial(N, q), so that Q is in the gap after the k-th of them in order.
The leader is put at the lower end of its gap and every rival at the upper end of its own; beyond the last result that
is infinitely far.  With n_j(x) the number of results of j up to x:

    P(b)  >= sum_k Bin(k; N_b, q) prod_j P(Bin(N_j, q) < n_j(x_b(k))),   x_b(0) = -infinity
    P(j)  <= 1 - sum_k Bin(k; N_b, q) P(Bin(N_j, q) < n_j(x_b(k)))

Rejected are the unlikeliest rivals while these upper chances sum to 5 % or less.  Shown are the lower chance of the
leader, and the upper chances of the others scaled to the rest.

Only ``estimate``, which says where to look and what to recommend, goes beyond the last result: with an exponential tail
whose length e is the mean distance of that half of the results from their median, itself as uncertain as a mean of
h = N/2 exponential numbers (Lomax):   P(Q <= x_(N) + e h (exp(t/h) - 1)) = 1 - (1 - (1 - q) exp(t))^N
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .chances import LEVEL

TINY = 1e-300  # the smallest double


@functools.lru_cache(maxsize=1 << 12)
def fewer(count: int, q: float) -> np.ndarray:
    """[N + 2] P(Binomial(N, q) < k) for k from 0 to N + 1."""
    k = np.arange(count + 1.0)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, count + 1.0)))])
    found = np.exp(logs[-1] - logs - logs[::-1] + k * math.log(q) + (count - k) * math.log1p(-q))
    return np.concatenate([[0.0], np.minimum(np.cumsum(found), 1.0)])


def interval(ordered: np.ndarray, q: float) -> tuple[float, float]:
    """The 95 % interval of the quantile: between two results, or infinite if they are too few."""
    chance = fewer(ordered.size, q)[1:-1]  # P(Q <= x_(k)) = P(Bin < k) for k = 1 ... N, 1 - P(Q >= x_(k)) = P(Bin < k)
    low, high = np.flatnonzero(chance <= (1.0 - LEVEL) / 2.0), np.flatnonzero(chance >= (1.0 + LEVEL) / 2.0)
    return (
        float(ordered[low[-1]]) if low.size else -math.inf,
        float(ordered[high[0]]) if high.size else math.inf,
    )


class Compared(NamedTuple):
    """How a leader compares with its rivals."""

    right: float  # at least: the chance that it has the highest quantile
    upper: np.ndarray  # [K] at most: the chance that a rival has a higher one; 0 for the leader
    regret: float  # expected loss at the ends of the gaps; nan where that may be infinite

    @property
    def chances(self) -> np.ndarray:
        """[K] summing to 1."""
        found = self.upper * ((1.0 - self.right) / max(float(self.upper.sum()), TINY))
        return np.where(self.upper == 0.0, 0.0, found)


def compare(ordered: Sequence[np.ndarray], q: float, best: int) -> Compared:
    """The leader ``best`` against all others, each with its results in order; of an untried one nothing is known."""
    mine, size = ordered[best], len(ordered)
    steps, places = np.diff(fewer(mine.size, q)), np.concatenate([[-np.inf], mine])
    behind = np.ones((size, places.size))
    for j, x in enumerate(ordered):
        if j != best:
            behind[j] = fewer(x.size, q)[np.searchsorted(x, places, side="right")] if x.size else 0.5
    upper = np.maximum(1.0 - behind @ steps, 0.0)
    right = float(steps @ behind.prod(axis=0))
    rivals = [j for j in range(size) if j != best and upper[j] > 1e-6]
    return Compared(right, upper, regret([ordered[best], *(ordered[j] for j in rivals)], q))


def regret(ordered: Sequence[np.ndarray], q: float) -> float:
    """E[(max of the others' upper ends - the first one's lower end)+]; nan unless all of these ends are known."""
    low = interval(ordered[0], q)[0] if ordered[0].size else -math.inf
    highs = [interval(x, q)[1] if x.size else math.inf for x in ordered[1:]]
    if not math.isfinite(low) or not all(map(math.isfinite, highs)):
        return math.nan
    x = np.unique(np.concatenate(ordered))
    own = fewer(ordered[0].size, q)[1 + np.searchsorted(ordered[0], x[:-1], side="right")]
    others = [fewer(each.size, q)[np.searchsorted(each, x[:-1], side="right")] for each in ordered[1:]]
    return float(np.diff(x) @ (own * (1.0 - np.prod(others, axis=0))))


# -- where to look -----------------------------------------------------------------------------------


def deviate_of(count: Any, q: float, rank: Any) -> Any:
    """The normal deviate as likely as Q <= x_(rank), 1 <= rank <= N (Paulson 1942); takes fractional ranks."""
    a, b = rank, count - rank + 1.0
    u = (q * b / ((1.0 - q) * a)) ** (1.0 / 3.0)
    return ((1.0 - 1.0 / (9.0 * a)) - (1.0 - 1.0 / (9.0 * b)) * u) / (1.0 / (9.0 * a) + u * u / (9.0 * b)) ** 0.5


class Place(NamedTuple):
    """Where the quantile lies below with the probability of some deviate."""

    rank: float  # from 1 to N
    beyond: float  # lengths of the tail above the highest result; negative: below the lowest


@functools.lru_cache(maxsize=1 << 16)
def place_of(count: int, q: float, deviate: float) -> Place:
    above, under = tail_steps(count, q, deviate), tail_steps(count, 1.0 - q, -deviate)
    if above > 0.0 or under > 0.0:
        return Place(count, above) if above > 0.0 else Place(1.0, -under)
    low, high = 1.0, float(count)
    for _ in range(45):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if deviate_of(count, q, middle) < deviate else (low, middle)
    return Place(0.5 * (low + high), 0.0)


def tail_steps(count: int, q: float, deviate: float) -> float:
    """How far above the highest of ``count`` results, in lengths of the tail; 0 or less if it is below."""
    exceeds = math.log(max(0.5 * math.erfc(deviate / math.sqrt(2.0)), TINY))  # log P(Q > x)
    if exceeds >= 0.0:
        return -math.inf
    half = count / 2.0
    return half * math.expm1(math.log(-math.expm1(exceeds / count) / (1.0 - q)) / half)


def estimate(ordered: Sequence[float], q: float) -> tuple[float, float]:
    """The q-quantile, as likely too high as too low, and its standard error."""
    low, middle, high = (at(ordered, place_of(len(ordered), q, deviate)) for deviate in (-1.0, 0.0, 1.0))
    return middle, 0.5 * (high - low)


def at(ordered: Sequence[float], place: Place) -> float:
    """The value at a place among ordered results."""
    count = len(ordered)
    if place.beyond:
        half = ordered[count // 2 :] if place.beyond > 0.0 else ordered[: (count + 1) // 2]
        median = 0.5 * (ordered[(count - 1) // 2] + ordered[count // 2])
        tail = abs(float(sum(half)) / len(half) - median)
        return ordered[-1 if place.beyond > 0.0 else 0] + place.beyond * tail
    rank = int(place.rank)
    low, high = ordered[rank - 1], ordered[min(rank, count - 1)]
    return low + (place.rank - rank) * (high - low)
