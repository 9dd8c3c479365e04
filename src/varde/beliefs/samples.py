"""The data of every option: its results, and the moments of raw results, counts and summaries; larger is better."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

LEAST = 1e-12  # share of the error that remains even if a mean is known


class Ragged:
    """An array of results per option, all of them in one: there may be 100,000 options."""

    _parts = ("flat", "sizes")  # what it is made of, for files

    def __init__(self, flat: np.ndarray, sizes: np.ndarray):
        self.flat, self.sizes, self.ends = flat, sizes, np.cumsum(sizes)

    @classmethod
    def of(cls, arrays: Ragged | Sequence[Any]) -> Ragged:
        if isinstance(arrays, Ragged):
            return arrays
        columns = [np.asarray(x, dtype=float) for x in arrays]
        sizes = np.array([x.size for x in columns], dtype=np.int64)
        return cls(np.concatenate(columns) if columns else np.zeros(0), sizes)

    def __len__(self) -> int:
        return self.sizes.size

    def __getitem__(self, i: int) -> np.ndarray:
        return self.flat[self.ends[i] - self.sizes[i] : self.ends[i]]

    def __iter__(self) -> Iterator[np.ndarray]:
        ends = self.ends.tolist()
        return map(self.flat.__getitem__, map(slice, [0, *ends[:-1]], ends))

    @functools.cached_property
    def owners(self) -> np.ndarray:
        """Whose result each is."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @functools.cached_property
    def distinct(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every different result of every option, in order: whose it is, the result, and how often it came."""
        every, number = np.unique(self.flat, return_inverse=True)
        pairs, times = np.unique(self.owners * max(every.size, 1) + number, return_counts=True)
        owners = pairs // max(every.size, 1)
        return owners, every[pairs - owners * every.size], times.astype(float)

    def take(self, who: np.ndarray) -> Ragged:
        """The results of the options ``who``, in increasing order."""
        if who.size == len(self):
            return self
        kept = np.zeros(len(self), dtype=bool)
        kept[who] = True
        return Ragged(self.flat[kept[self.owners]], self.sizes[who])


class Sample(NamedTuple):
    """Sufficient statistics of every option."""

    counts: np.ndarray  # [K] N, fractional for effective counts
    means: np.ndarray  # [K] anything where N = 0
    squares: np.ndarray  # [K] M2 = sum of (x - mean)^2
    cubes: np.ndarray | None = None  # [K] M3 = sum of (x - mean)^3
    lows: np.ndarray | None = None  # [K] the lowest result; inf where results are not known one by one
    highs: np.ndarray | None = None  # [K] the highest; -inf
    bounds: tuple[float, float] | None = None  # no result lies outside
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
    def effective(self) -> np.ndarray:
        """[K] the number of independent results that a mean is as good as."""
        many = np.where(self.counts > 0.0, self.counts, 1.0)
        return many if self.left is None else many / np.maximum(self.left, LEAST)

    def thinned(self, factors: np.ndarray) -> Sample:
        """The same as if only one of ``factors`` [K] results were new: M2 of dependent results is as much too low."""
        cubes = None if self.cubes is None else self.cubes / factors
        return self._replace(counts=self.counts / factors, squares=self.squares / factors, cubes=cubes)

    def take(self, who: np.ndarray | slice) -> Sample:
        """The moments of the options ``who``."""
        columns = ("counts", "means", "squares", "cubes", "lows", "highs", "left")
        some: dict[str, Any] = {name: None if (x := getattr(self, name)) is None else x[who] for name in columns}
        return self._replace(**some)


class Block(NamedTuple):
    """Some results of an option without their values: equal ones, or a mean and a spread."""

    value: float  # the result, or the mean of those that came together
    times: int  # how many there are
    squares: float = 0.0  # M2 of them


def from_values(
    values: Ragged | Sequence[Any],
    bounds: tuple[float, float] | None = None,
    blocks: Sequence[Sequence[Block]] = (),
) -> Sample:
    """A sample from raw results, one array per option, and from ``blocks``, if any, a list per option.

    The same bits in any order, and for results that were counted.  The third moment of a summary is taken to be 0.
    """
    raw = Ragged.of(values)
    size, (owners, flat, times) = len(raw), raw.distinct
    inner = np.zeros(flat.size)
    if any(blocks):
        more = np.array([block for each in blocks for block in each if block.times], dtype=float).reshape(-1, 3)
        flat, times, inner = (np.concatenate(x) for x in zip((flat, times, inner), more.T, strict=True))
        owner = np.repeat(np.arange(size), [sum(block.times > 0 for block in each) for each in blocks])
        owners = np.concatenate([owners, owner])
        order = np.lexsort((inner, flat, owners))
        flat, owners, times, inner = flat[order], owners[order], times[order], inner[order]
        new = np.ones(flat.size, dtype=bool)
        new[1:] = (np.diff(flat) != 0.0) | (np.diff(owners) != 0) | (inner[1:] > 0.0) | (inner[:-1] > 0.0)
        starts = np.flatnonzero(new)
        flat, owners, inner, times = flat[starts], owners[starts], inner[starts], np.add.reduceat(times, starts)
    counts, within = np.bincount(owners, times, size), np.bincount(owners, inner, size)
    lows, highs = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(lows, owners, flat)
    np.maximum.at(highs, owners, flat)
    varied, tried = (lows < highs) | (within > 0.0), counts > 0.0
    origin = np.where(tried, np.clip(0.0, lows, highs), 0.0)  # so that a large shift costs no digits
    means = origin + np.bincount(owners, times * (flat - origin[owners]), size) / np.maximum(counts, 1.0)
    means = np.where(varied, means, np.where(tried, lows, 0.0))  # rounding must not look like noise
    apart = flat - means[owners]
    with np.errstate(over="ignore"):  # of one far option, which is not relevant
        squares = np.bincount(owners, times * apart * apart + inner, size)
        cubes = np.bincount(owners, apart * (times * apart * apart + 3.0 * inner), size)
    squares, cubes = np.where(varied, squares, 0.0), np.where(varied, cubes, 0.0)
    hidden = within > 0.0
    lows, highs = np.where(hidden, np.inf, lows), np.where(hidden, -np.inf, highs)
    return Sample(counts, means, squares, cubes, lows, highs, bounds)


def own_variance(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """[K] v = M2 / f, 0 where there is no freedom, and f = N - 1."""
    free = np.maximum(sample.counts - 1.0, 0.0)
    return np.divide(sample.squares, free, out=np.zeros(free.size), where=free > 0.0), free
