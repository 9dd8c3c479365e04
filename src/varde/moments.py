"""Running count, mean and sum of squared deviations (Welford 1962; Algorithm 4 of the paper)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._compile import helper


class Moments(NamedTuple):
    """One entry per component: ``[K]`` for arms, ``[S, A]`` for the actions of states."""

    counts: np.ndarray  # N
    means: np.ndarray  # running mean
    squares: np.ndarray  # M2, the sum of squared deviations from the mean


def make_moments(shape: int | tuple[int, ...]) -> Moments:
    """No samples yet."""
    return Moments(np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape))


@helper
def joined(mean, squares, sample, count):
    """Mean and M2 of ``count`` samples, the last of which is ``sample``, from those of the others.

    The mean is updated incrementally, never as sum / count: with Bernoulli rewards this decides which of two arms
    with equal success counts is ahead, and moves published error rates by percentage points.
    """
    before = sample - mean
    mean += before / count
    return mean, squares + before * (sample - mean)


@helper
def observe(moments, i, sample):
    """Add ``sample`` to component ``i``."""
    moments.counts[i] += 1
    include(moments.means, moments.squares, i, moments.counts[i], sample)


@helper
def include(means, squares, i, count, sample):
    """The same where the samples, this one included, are counted elsewhere."""
    means[i], squares[i] = joined(means[i], squares[i], sample, count)


@helper
def variance(moments, i, ddof):
    """M2 / (N - ddof), or 0 with too few samples."""
    free = moments.counts[i] - ddof
    return moments.squares[i] / free if free > 0 else 0.0


@helper
def clear(moments):
    """Forget every sample."""
    moments.counts.fill(0)
    moments.means.fill(0.0)
    moments.squares.fill(0.0)
