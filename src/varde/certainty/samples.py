"""What was seen of every option: three entrances to one model, larger being better.

from_values(values)                        raw results: selections
from_estimates(estimates, errors, counts)  a planner's root, a learned policy: M2 = error^2 N (N - 1)
Sample(counts, means, squares, ...)        moments: streams and stores
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

LEAST = 1e-12  # of the error is left even where a mean is called known


class Sample(NamedTuple):
    """Sufficient statistics of every option."""

    counts: np.ndarray  # [K] N, fractional for effective counts
    means: np.ndarray  # [K] anything where N = 0
    squares: np.ndarray  # [K] M2 = sum of (x - mean)^2
    cubes: np.ndarray | None = None  # [K] sum of (x - mean)^3
    fourths: np.ndarray | None = None  # [K] sum of (x - mean)^4
    values: np.ndarray | None = None  # every raw result, option by option
    owners: np.ndarray | None = None  # whose result it is
    bounds: tuple[float, float] | None = None  # no result lies outside
    kind: str | None = None  # what the results are, if somebody knows: kinds.KINDS
    left: np.ndarray | None = None  # [K] of the error variance of the mean: 0 where it is known, 1 (None) as usual
    rank: int = 1  # the question is who is among so many best
    line: float | None = None  # or who is above this

    @property
    def leader(self) -> int:
        """The highest mean, the first on ties."""
        return int(np.argmax(np.where(self.counts > 0, self.means, -np.inf)))

    @property
    def ranked(self) -> np.ndarray:
        """[K] the options, highest mean first, those never tried last."""
        return np.argsort(-np.where(self.counts > 0, self.means, -np.inf), kind="stable")

    @property
    def worth(self) -> np.ndarray:
        """[K] how many independent results the mean is as good as."""
        many = np.maximum(self.counts, 1.0)
        return many if self.left is None else many / np.maximum(self.left, LEAST)


def from_values(
    values: Sequence[np.ndarray], bounds: tuple[float, float] | None = None, kind: str | None = None
) -> Sample:
    """Moments of raw results, one array per option."""
    counts = np.array([len(x) for x in values])
    flat = np.concatenate([np.asarray(x, dtype=float) for x in values])
    size, owners, tried = counts.size, np.repeat(np.arange(counts.size), counts), np.flatnonzero(counts)
    lowest, highest, origin = np.zeros(size), np.zeros(size), 0.0
    if tried.size:
        starts = np.cumsum(counts)[tried] - counts[tried]
        lowest[tried], highest[tried] = np.minimum.reduceat(flat, starts), np.maximum.reduceat(flat, starts)
        middle = tried.size // 2
        origin = np.partition(lowest[tried], middle)[middle]  # a large shift must not cost digits, nor one far value
    moving = lowest < highest  # rounding must not look like noise
    means = np.bincount(owners, flat - origin, size) / np.maximum(counts, 1)
    means = np.where(moving, origin + means, lowest)
    apart = flat - means[owners]
    with np.errstate(over="ignore"):  # of one far option; its say is none
        squares = apart * apart
        powers = [np.bincount(owners, power, size) for power in (squares, squares * apart, squares * squares)]
    squares, cubes, fourths = (np.where(moving, power, 0.0) for power in powers)
    return Sample(counts.astype(float), means, squares, cubes, fourths, flat, owners, bounds, kind)


def from_estimates(estimates: np.ndarray, errors: np.ndarray, counts: np.ndarray) -> Sample:
    """From estimates, their standard errors, and the number of results each is worth."""
    counts = np.asarray(counts, dtype=float)
    free = np.maximum(counts - 1.0, 0.0)
    tried = counts > 0.0
    squares = np.where(free > 0.0, np.where(tried, errors, 0.0) ** 2 * counts * free, 0.0)
    return Sample(counts, np.where(tried, estimates, 0.0), squares)


def own_variance(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """[K] v = M2 / f, 0 where there is no freedom, and f = N - 1."""
    free = np.maximum(sample.counts - 1.0, 0.0)
    return np.divide(sample.squares, free, out=np.zeros(free.size), where=free > 0.0), free
