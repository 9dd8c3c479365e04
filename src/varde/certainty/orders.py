"""Quantiles of an option's results, by their order alone.

Of N results in order, the q-quantile of their distribution lies below the k-th with the probability that fewer than k
of N fall below it,

    P(Q <= x_(k)) = P(Binomial(N, q) < k) = P(Beta(k, N - k + 1) > q),

whatever the distribution.  Between two results the rank k is a fraction, and x is in between as well.  Nothing is known
beyond the lowest and the highest of them; there an exponential tail goes on, as long as the half of the results on that
side is from their median.  Intervals do without: they end at a result, or nowhere.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from .student import DEVIATE

EDGE = 1e-9  # of a rank: nothing is as far away as rank 0 or N + 1


def deviate_of(count: Any, q: float, rank: Any) -> Any:
    """The normal deviate as likely as Q <= x_(rank), 0 < rank < N + 1 (Paulson 1942); arrays will do."""
    a, b = rank, count - rank + 1.0
    u = (q * b / ((1.0 - q) * a)) ** (1.0 / 3.0)
    return ((1.0 - 1.0 / (9.0 * a)) - (1.0 - 1.0 / (9.0 * b)) * u) / (1.0 / (9.0 * a) + u * u / (9.0 * b)) ** 0.5


@functools.lru_cache(maxsize=1 << 16)
def rank_of(count: int, q: float, deviate: float) -> float:
    """The rank below which the quantile lies with the probability of that normal deviate."""
    low, high = EDGE, count + 1.0 - EDGE
    for _ in range(45):
        middle = 0.5 * (low + high)
        if deviate_of(count, q, middle) < deviate:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


def at_rank(ordered: Sequence[float], rank: float, tail: float | None = None) -> float:
    """What stands at a rank among ordered results; ``tail`` overrides how far the exponential tails go."""
    count = len(ordered)
    if rank >= count:
        scale = upper_tail(ordered) if tail is None else tail
        return float(ordered[-1] - scale * np.log(max(count + 1.0 - rank, EDGE)))
    if rank <= 1.0:
        scale = lower_tail(ordered) if tail is None else tail
        return float(ordered[0] + scale * np.log(max(rank, EDGE)))
    below = int(rank)
    low, high = ordered[below - 1], ordered[below]
    return float(low + (rank - below) * (high - low))


def upper_tail(ordered: Sequence[float]) -> float:
    """How far the upper half of the results is from their median, on average."""
    half = ordered[len(ordered) // 2 :]
    return sum(half) / len(half) - median(ordered)


def lower_tail(ordered: Sequence[float]) -> float:
    half = ordered[: (len(ordered) + 1) // 2]
    return median(ordered) - sum(half) / len(half)


def median(ordered: Sequence[float]) -> float:
    count = len(ordered)
    return 0.5 * (ordered[(count - 1) // 2] + ordered[count // 2])


def estimate(ordered: Sequence[float], q: float) -> tuple[float, float]:
    """The q-quantile, as likely too high as too low, and its standard error."""
    count = len(ordered)
    low, middle, high = (at_rank(ordered, rank_of(count, q, deviate)) for deviate in (-1.0, 0.0, 1.0))
    return middle, 0.5 * (high - low)


def interval(ordered: np.ndarray, q: float) -> tuple[float, float]:
    """Within which the quantile lies with at least 95 %, whatever the distribution; infinite where results are few."""
    count = ordered.size
    ranks = np.arange(1, count + 1)
    below = deviate_of(count, q, ranks) if count else np.zeros(0)
    low, high = np.flatnonzero(below <= -DEVIATE), np.flatnonzero(below >= DEVIATE)
    return (
        float(ordered[low[-1]]) if low.size else -np.inf,
        float(ordered[high[0]]) if high.size else np.inf,
    )
