"""The belief about things that are sampled one by one: arms, options.

From N results of each, their mean m and M2, the sum of squared deviations; n results in all, K things, low the lowest
result of all:

    pooled = sum M2 / (n - K)        common = sum of all results / n
    h      = 2 max(pooled / (common - low)^2 - 1, 0)
    M_i    = (N_i m_i + h common) / (N_i + h)                          the mean that is expected
    e_i    = ((5 + h) pooled + M2_i) / (4 + N_i + h) / (N_i + h)       its error
    s2_i   = ((5 + h) pooled + M2_i) / (4 + N_i)                       the noise of one more result

h is for results that are mostly one lowest value: purchases, prizes, rare successes.  There an option that has not
shown anything else yet looks worthless and noiseless, and may still be the best.  A mean of non-negative results is
of the order of the common mean, so nothing is known of an option before about pooled / (common - low)^2 results.
Each gets h more, with the common mean and noise; for 0/1 results with rate p that is 2 (1 - 2p) / p, two successes.
Where results vary less than exponential ones do, measured from the lowest, h is 0, and M, e and s2 are the plain ones.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper
from .noise import extra_results, own_variance


class Common(NamedTuple):
    """What the results of all say about each."""

    pooled: float  # sp2
    mean: float  # of all results
    extra: float  # h


NOTHING = Common(0.0, 0.0, 0.0)  # each for itself


@helper
def common_of(model, pooled, mean, low):
    """What all have in common; without a lowest result (infinite) h is 0."""
    return Common(pooled, mean, extra_results(model, pooled, mean - low))


@helper
def believed(model, common, count, mean, squares):
    """M, s2 and e of one, or of all as arrays."""
    extra = common.extra
    if extra == 0.0:
        noise = own_variance(model, common.pooled, squares, count)
        return mean, noise, noise / count
    squares, more = squares + extra * common.pooled, count + extra
    error = own_variance(model, common.pooled, squares, more) / more
    return mean + (common.mean - mean) * (extra / more), own_variance(model, common.pooled, squares, count), error


class Belief(NamedTuple):
    """What a decision compares: arms, options, the actions of a state; each has results."""

    counts: np.ndarray  # [K] N
    estimates: np.ndarray  # [K] plain means
    expected: np.ndarray  # [K] M
    noise: np.ndarray  # [K] s2
    errors: np.ndarray  # [K] e


# -- on arrays, for ask/tell, which never compiles -------------------------------------------------
# Sums stay numpy's own numbers: with an array those take half the time of Python's.

ones = functools.cache(np.ones)


def total_of(numbers: np.ndarray) -> Any:
    """The sum; of few numbers as a dot product, which takes a third of the time (of many it may depend on threads)."""
    size = numbers.size
    return numbers.dot(ones(size)) if size <= 256 else np.add.reduce(numbers)


def product_of(one: np.ndarray, other: np.ndarray) -> Any:
    """The sum of the products, in the same way."""
    return one.dot(other) if one.size <= 256 else np.add.reduce(one * other)


class Beyond(NamedTuple):
    """What those that are not in the arrays add to the sums over all."""

    tried: int = 0
    total: float = 0.0  # of their results
    squares: float = 0.0  # of M2


def belief_of(
    model: Any,
    counts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    low: float = np.inf,
    samples: float | None = None,
    beyond: Beyond = Beyond(),  # noqa: B008
) -> Belief | None:
    """The belief about all; None where no two results of one differ.  Without results mean and M2 are 0.

    Nothing is expected (nan) of one without results, which is behind all others and as noisy as they are on average.
    ``low`` and ``samples``, how many there are, include those ``beyond`` the arrays.
    """
    total, samples = total_of(squares) + beyond.squares, counts.sum() if samples is None else samples
    if not total > 0.0:
        return None
    tried = np.count_nonzero(counts)
    mean = (float(product_of(counts, means)) + beyond.total) / samples
    common = common_of(model, total / max(samples - tried - beyond.tried, 1.0), mean, low)
    plain = means
    if tried < counts.size:
        seen, counts = counts > 0, np.maximum(counts, 1.0)
        plain, means = np.where(seen, means, -np.inf), np.where(seen, means, np.nan)
    return Belief(counts, plain, *believed(model, common, counts, means, squares))
