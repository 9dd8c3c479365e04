"""The data of every option, in three forms; larger is better.

from_values(values, blocks=...)            raw results, counts and summaries: selections
from_estimates(estimates, errors, counts)  a planner's root, a learned policy: M2 = error^2 N (N - 1)
Sample(counts, means, squares, ...)        moments: streams and stores
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

LEAST = 1e-12  # share of the error that remains even if a mean is known


class Sample(NamedTuple):
    """Sufficient statistics of every option."""

    counts: np.ndarray  # [K] N, fractional for effective counts
    means: np.ndarray  # [K] anything where N = 0
    squares: np.ndarray  # [K] M2 = sum of (x - mean)^2
    cubes: np.ndarray | None = None  # [K] sum of (x - mean)^3
    fourths: np.ndarray | None = None  # [K] sum of (x - mean)^4
    values: np.ndarray | None = None  # every raw result, option by option
    owners: np.ndarray | None = None  # whose result it is
    times: np.ndarray | None = None  # how often it came; None: once each
    summed: np.ndarray | None = None  # [K] whether some results came as a summary, without their values
    bounds: tuple[float, float] | None = None  # no result lies outside
    kind: str | None = None  # the kind of results, if given: kinds.KINDS
    left: np.ndarray | None = None  # [K] remaining share of the error variance: 0 if the mean is known, None: 1
    rank: int = 1  # the question is which are the best so many
    line: float | None = None  # or which are above this line

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
        """[K] the effective number of independent results."""
        many = np.maximum(self.counts, 1.0)
        return many if self.left is None else many / np.maximum(self.left, LEAST)


class Block(NamedTuple):
    """Some results of an option without their values: equal ones, or a mean and a spread."""

    value: float  # the result, or the mean of those that came together
    times: int  # how many there are
    squares: float = 0.0  # M2 of them


def from_values(
    values: Sequence[np.ndarray],
    bounds: tuple[float, float] | None = None,
    kind: str | None = None,
    blocks: Sequence[Sequence[Block]] = (),
) -> Sample:
    """A sample from raw results, one array per option, and from ``blocks``, if any, a list per option.

    Third and fourth moments, which a summary lacks, are taken to be Gaussian.
    """
    sizes = np.array([len(x) for x in values])
    flat = np.concatenate([np.asarray(x, dtype=float) for x in values])
    size, owners = sizes.size, np.repeat(np.arange(sizes.size), sizes)
    times = inner = None
    if any(blocks):
        flat, owners, times, inner = with_blocks(flat, owners, blocks)
        sizes = np.bincount(owners, minlength=size)
    tried, counts = np.flatnonzero(sizes), np.bincount(owners, times, size).astype(float)
    lowest, highest, origin = np.zeros(size), np.zeros(size), 0.0
    if tried.size:
        starts = np.cumsum(sizes)[tried] - sizes[tried]
        lowest[tried], highest[tried] = np.minimum.reduceat(flat, starts), np.maximum.reduceat(flat, starts)
        middle = tried.size // 2
        origin = np.partition(lowest[tried], middle)[middle]  # a large shift, or one far value, must not cost digits
    within = np.zeros(size) if inner is None else np.bincount(owners, inner, size)
    moving = (lowest < highest) | (within > 0.0)  # rounding must not look like noise

    def total(x: np.ndarray) -> np.ndarray:
        return np.bincount(owners, x if times is None else times * x, size)

    means = total(flat - origin) / np.maximum(counts, 1.0)
    means = np.where(moving, origin + means, lowest)
    apart = flat - means[owners]
    with np.errstate(over="ignore"):  # of one far option, which is not relevant
        squares = apart * apart
        powers = [total(power) for power in (squares, squares * apart, squares * squares)]
        if inner is not None and times is not None:
            beside = (inner, 3.0 * apart * inner, (6.0 * squares + 3.0 * inner / times) * inner)
            powers = [power + np.bincount(owners, more, size) for power, more in zip(powers, beside, strict=True)]
        hits = total((flat == highest[owners]).astype(float))
        two = (within == 0.0) & moving & (hits + total((flat == lowest[owners]).astype(float)) == counts)
        if two.any():  # the same in any order, or counted
            exact = of_two_values(lowest[two], highest[two], hits[two], counts[two])
            for column, found in zip((means, *powers), exact, strict=True):
                column[two] = found
    squares, cubes, fourths = (np.where(moving, power, 0.0) for power in powers)
    known = np.ones(flat.size, dtype=bool) if inner is None else inner == 0.0
    summed = None if known.all() else within > 0.0
    flat, owners, times = flat[known], owners[known], None if times is None else times[known]
    return Sample(counts, means, squares, cubes, fourths, flat, owners, times, summed, bounds, kind)


def with_blocks(
    flat: np.ndarray, owners: np.ndarray, blocks: Sequence[Sequence[Block]]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Results and means, whose they are, how many each is, and M2 of those; option by option."""
    more = np.array([block for each in blocks for block in each if block.times], dtype=float).reshape(-1, 3)
    whose = np.repeat(np.arange(len(blocks)), [sum(block.times > 0 for block in each) for each in blocks])
    every = np.concatenate([owners, whose])
    order = np.argsort(every, kind="stable")
    columns = zip((flat, np.ones(flat.size), np.zeros(flat.size)), more.T, strict=True)
    x, times, squares = (np.concatenate(pair)[order] for pair in columns)
    return x, every[order], times, squares


def of_two_values(low: np.ndarray, high: np.ndarray, hits: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, ...]:
    """Mean and sums of powers of ``counts`` results, ``hits`` of them ``high`` and the others ``low``."""
    width, share = high - low, hits / counts
    both = share * (1.0 - share)
    squares = counts * both * width * width
    cubes = counts * both * (1.0 - 2.0 * share) * width * width * width
    return low + width * share, squares, cubes, squares * (1.0 - 3.0 * both) * width * width


def from_estimates(estimates: np.ndarray, errors: np.ndarray, counts: np.ndarray) -> Sample:
    """A sample from estimates, their standard errors, and the number of results each is worth."""
    counts = np.asarray(counts, dtype=float)
    free = np.maximum(counts - 1.0, 0.0)
    tried = counts > 0.0
    squares = np.where(free > 0.0, np.where(tried, errors, 0.0) ** 2 * counts * free, 0.0)
    return Sample(counts, np.where(tried, estimates, 0.0), squares)


def own_variance(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """[K] v = M2 / f, 0 where there is no freedom, and f = N - 1."""
    free = np.maximum(sample.counts - 1.0, 0.0)
    return np.divide(sample.squares, free, out=np.zeros(free.size), where=free > 0.0), free
