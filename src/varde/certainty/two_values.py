"""Results that are one of two values, such as success and failure: rates.

k_i of N_i at the higher value; the prior has its mean at the common rate and half a result of the rarer value, or more
if the spread of the rates suggests it (shrinkage.py, with rate (1 - rate) as the variance of one result):

    rate = (sum r k + .5) / (sum r N + 1),  n0 = max(.5 / min(rate, 1 - rate), lent)
    mu_i ~ low + (high - low) Beta(k_i + n0 rate, N_i - k_i + n0 (1 - rate))

Intervals after Clopper and Pearson: Beta(k, N - k + 1) below, Beta(k + 1, N - k) above; an end that no result excludes
belongs to them.
"""

from __future__ import annotations

import math

import numpy as np

from .distributions import Beta
from .samples import Sample
from .shrinkage import strength
from .student import DEVIATE

HALF = 0.5  # results of the rarer value in the prior
TAIL = 0.025  # on either side of an interval


def rates(
    sample: Sample, relevant: np.ndarray, ends: tuple[float, float], who: np.ndarray
) -> tuple[Beta, np.ndarray, np.ndarray]:
    """The beliefs about the options ``who``, and their intervals."""
    assert sample.values is not None and sample.owners is not None
    low, width = np.full(who.size, ends[0]), np.full(who.size, ends[1] - ends[0])
    at = (sample.values == ends[1]) * (1.0 if sample.times is None else sample.times)
    hits = np.bincount(sample.owners, at, sample.counts.size)[who]
    tries, weight = sample.counts[who], relevant[who]
    rate = (weight @ hits + HALF) / (weight @ tries + 2.0 * HALF)
    worth = sample.worth[who]
    lent = strength(hits / tries, rate * (1.0 - rate), worth, weight, rate)
    prior = np.maximum(HALF / min(rate, 1.0 - rate), lent)
    more = worth / tries  # results count for more if the mean is nearly known
    hits, misses = hits * more, (tries - hits) * more
    beliefs = Beta(low, width, hits + prior * rate, misses + prior * (1.0 - rate))
    down = below(np.maximum(hits, HALF), misses + 1.0)
    up = 1.0 - below(np.maximum(misses, HALF), hits + 1.0)
    return beliefs, low + width * np.where(hits > 0.0, down, 0.0), low + width * np.where(misses > 0.0, up, 1.0)


def below(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quantile of Beta(a, b) at 2.5 %, exact where a or b is 1."""
    found = Beta(np.zeros(a.size), np.ones(a.size), a, b).quantile(np.array(-DEVIATE))
    found = np.where(b == 1.0, TAIL ** (1.0 / a), found)
    return np.where(a == 1.0, -np.expm1(math.log1p(-TAIL) / b), found)
