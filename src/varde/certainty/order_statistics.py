"""Quantiles of an option's results, from order statistics only.

Of N results in order, the q-quantile Q of their distribution lies below the k-th with the probability that fewer than k
of N fall below it, whatever the distribution:

    P(Q <= x_(k)) = P(Binomial(N, q) < k) = P(Beta(k, N - k + 1) > q)

Between two results rank k and x are interpolated.  Nothing is known beyond the lowest and the highest of them; there
the distribution continues with an exponential tail whose length e is the mean distance of that half of the results from
their median.  The share of the distribution above x_(N) is Beta(1, N); e is as uncertain as a mean of h = N/2
exponential numbers, which makes the tail heavier if results are few (Lomax):

    P(Q <= x_(N) + e h (exp(t/h) - 1)) = 1 - (1 - (1 - q) exp(t))^N

Intervals do not use tails: they end at a result, or are infinite.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .noise import lead_over_the_next
from .student import DEVIATE, log_phi, normal_score, student_score

LENT = 5.0  # weight of the usual tail length, in results
TINY, LOWEST = 1e-300, -690.0  # the smallest double, and its logarithm


def deviate_of(count: Any, q: float, rank: Any) -> Any:
    """The normal deviate as likely as Q <= x_(rank), 1 <= rank <= N (Paulson 1942); takes arrays too."""
    a, b = rank, count - rank + 1.0
    u = (q * b / ((1.0 - q) * a)) ** (1.0 / 3.0)
    return ((1.0 - 1.0 / (9.0 * a)) - (1.0 - 1.0 / (9.0 * b)) * u) / (1.0 / (9.0 * a) + u * u / (9.0 * b)) ** 0.5


class Place(NamedTuple):
    """Where the quantile lies below with the probability of some deviate."""

    rank: float  # from 1 to N
    beyond: float  # lengths of the tail above the highest result; negative: below the lowest


@functools.lru_cache(maxsize=1 << 16)
def place_of(count: int, q: float, deviate: float) -> Place:
    above, below = tail_steps(count, q, deviate), tail_steps(count, 1.0 - q, -deviate)
    if above > 0.0 or below > 0.0:
        return Place(count, above) if above > 0.0 else Place(1.0, -below)
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
    if place.beyond > 0.0:
        return ordered[-1] + place.beyond * upper_tail(ordered)
    if place.beyond < 0.0:
        return ordered[0] + place.beyond * lower_tail(ordered)
    below = int(place.rank)
    low, high = ordered[below - 1], ordered[min(below, len(ordered) - 1)]
    return low + (place.rank - below) * (high - low)


def upper_tail(ordered: Sequence[float]) -> float:
    """The mean distance of the upper half of the results from their median."""
    half = ordered[len(ordered) // 2 :]
    return float(sum(half)) / len(half) - median(ordered)


def lower_tail(ordered: Sequence[float]) -> float:
    half = ordered[: (len(ordered) + 1) // 2]
    return median(ordered) - float(sum(half)) / len(half)


def median(ordered: Sequence[float]) -> float:
    count = len(ordered)
    return 0.5 * (ordered[(count - 1) // 2] + ordered[count // 2])


def interval(ordered: np.ndarray, q: float) -> tuple[float, float]:
    """The distribution-free 95 % interval of the quantile; infinite if results are too few."""
    ranks = np.arange(1, ordered.size + 1)
    below = deviate_of(ordered.size, q, ranks)
    low, high = np.flatnonzero(below <= -DEVIATE), np.flatnonzero(below >= DEVIATE)
    return (
        float(ordered[low[-1]]) if low.size else -math.inf,
        float(ordered[high[0]]) if high.size else math.inf,
    )


class Ordered(NamedTuple):
    """The results of an option."""

    values: np.ndarray  # in order
    lower: float  # lengths of the tails
    upper: float


class Orders:
    """Beliefs about the q-quantiles of all options, as ``Beliefs`` are about means.

    Tails are shrunk towards the usual length, which has the weight of ``LENT`` results.  An option without results is
    taken to be like the rest.
    """

    def __init__(self, values: Sequence[np.ndarray], q: float):
        ordered = [np.sort(x) for x in values]
        tried = [x.tolist() for x in ordered if x.size]
        self.size, self.q = len(values), q
        several = [x for x in tried if len(x) > 1] or tried
        usual = [float(np.mean([tail(x) for x in several])) for tail in (lower_tail, upper_tail)]
        if not any(usual):  # nothing varies: the lead over the next is the only known distance
            lead = lead_over_the_next(np.concatenate(ordered))
            usual = [lead if math.isfinite(lead) else 1.0] * 2
        self.parts = [Ordered(x, *lent(x.tolist(), *usual)) if x.size else None for x in ordered]
        found = np.array([estimate(x, q) for x in tried])
        self.center = float(found[:, 0].mean())
        single = float(np.mean([np.var(x) for x in tried]))
        self.wide = math.sqrt(float(np.mean((found[:, 0] - self.center) ** 2 + found[:, 1] ** 2)) + single) or 1.0

    def take(self, who: np.ndarray) -> Orders:
        """Of the options ``who``."""
        some = Orders.__new__(Orders)
        some.__dict__ |= {**self.__dict__, "size": len(who), "parts": [self.parts[int(i)] for i in who]}
        return some

    def log_below(self, x: np.ndarray) -> np.ndarray:
        """[M, K] log P(Q_i <= x_m)."""
        return np.column_stack([self.log_below_of(part, x) for part in self.parts])

    def log_below_of(self, part: Ordered | None, x: np.ndarray) -> np.ndarray:
        if part is None:
            return log_phi(normal_score((x - self.center) / self.wide, np.array(2.0)))
        values, count, q = part.values, part.values.size, self.q
        distinct, before = np.unique(values[::-1], return_index=True)
        ranks = np.interp(x, distinct, count - before)  # of equal results the last one's
        inside = log_phi(deviate_of(count, q, ranks))
        with np.errstate(over="ignore", divide="ignore"):
            above = np.log(-np.expm1(count * np.log1p(-beyond(x - values[-1], part.upper, count, 1.0 - q))))
            below = count * np.log1p(-beyond(values[0] - x, part.lower, count, q))
        found = np.where(x > values[-1], np.maximum(above, inside), np.where(x < values[0], below, inside))
        return np.maximum(found, LOWEST)

    def quantile(self, deviates: np.ndarray) -> np.ndarray:
        """[M, K] the quantile of Q_i at the probability of the normal deviate."""
        return np.column_stack([self.quantile_of(part, np.asarray(deviates, dtype=float)) for part in self.parts])

    def quantile_of(self, part: Ordered | None, deviates: np.ndarray) -> np.ndarray:
        if part is None:
            return self.center + self.wide * student_score(deviates, np.array(2.0))
        values = part.values
        ranks, steps = np.array([place_of(values.size, self.q, z) for z in deviates.tolist()]).T
        inside = np.interp(ranks, np.arange(1.0, values.size + 1.0), values)
        return np.asarray(inside + steps * np.where(steps > 0.0, part.upper, part.lower))


def beyond(distance: np.ndarray, tail: float, count: int, share: float) -> np.ndarray:
    """``share`` times exp(t), at most 1, at a distance beyond the last result."""
    half = count / 2.0
    return np.minimum(share * np.exp(half * np.log1p(np.maximum(distance, 0.0) / tail / half)), 1.0)


def lent(ordered: list[float], lower: float, upper: float) -> tuple[float, float]:
    """The lengths of the tails, shrunk towards the usual one."""
    share = LENT / (len(ordered) + LENT)
    own = lower_tail(ordered), upper_tail(ordered)
    return own[0] + share * (lower - own[0]) or TINY, own[1] + share * (upper - own[1]) or TINY
