"""95 % intervals of measured numbers, valid for few runs too.

Shares: Clopper and Pearson's.  Means: per side the wider of Student's and the bootstrap-t's.  If the values have known
bounds and the runs are few or mostly equal: Gaffke's, whose weights are uniform on the simplex with the bound as one
more value.  If the runs do not suffice there is no interval, rather than one of width 0.
"""

from __future__ import annotations

import functools
import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from ..extra import needed

if TYPE_CHECKING:
    from ..study import Outcome, Study

LEVEL = 0.05
FEW = 5  # with fewer runs nothing is resampled, and only shares and bounded values get a verdict
GROUPS = 256  # more runs than this are averaged in groups
DRAWS, LARGE = 1999, 100  # resamples; with more runs than this an expansion is exact enough
HALVINGS = 30  # of the range, to find a quantile

Span = tuple[float, float]
Ends = tuple[np.ndarray, np.ndarray]


def interval(study: Study, row: Outcome) -> Span | None:
    """Of a row: what its runs gave; where only mean and error are known, the same rule without the runs."""
    if row.low is not None and row.high is not None:
        return row.low, row.high
    if not (math.isfinite(row.value) and math.isfinite(row.stderr)):
        return None
    if study.percent and 0.0 <= row.value <= 100.0:
        low, high = share_of(round(row.value / 100.0 * row.runs), row.runs)
        return 100.0 * low, 100.0 * high
    if row.runs < 2 or row.stderr == 0.0:
        return None
    half = student_quantile(1.0 - LEVEL / 2.0, row.runs - 1) * row.stderr
    low, high = study.span or (-math.inf, math.inf)
    return min(max(row.value - half, low), row.value), max(min(row.value + half, high), row.value)


@functools.lru_cache(maxsize=4096)
def student_quantile(q: float, freedom: int) -> float:
    return float(needed("scipy.stats").t.ppf(q, freedom))


@functools.lru_cache(maxsize=4096)
def share_of(ones: int, runs: int) -> Span:
    low, high = share_ends(np.array([ones]), runs)
    return float(low[0]), float(high[0])


def share_ends(ones: np.ndarray, runs: int) -> Ends:
    """[J] of shares, from how many runs of each gave 1."""
    ones, back = np.unique(np.asarray(ones, float), return_inverse=True)
    quantile = needed("scipy.stats").beta.ppf
    low = np.where(ones > 0, quantile(LEVEL / 2, np.maximum(ones, 1.0), runs - ones + 1.0), 0.0)
    high = np.where(ones < runs, quantile(1 - LEVEL / 2, ones + 1.0, np.maximum(runs - ones, 1.0)), 1.0)
    return low[back], high[back]


def mean_ends(values: np.ndarray, span: Span | None = None) -> Ends:
    """[J] of the means of the columns of [n, J] values; NaN where the runs do not tell."""
    values = np.asarray(values, float)
    n, columns = values.shape
    numbers = values[np.isfinite(values)]
    if span is not None and numbers.size and not (span[0] <= numbers.min() and numbers.max() <= span[1]):
        raise ValueError(
            f"values from {numbers.min():g} to {numbers.max():g} lie outside the span: write a wider one than {span}"
        )
    low, high = np.full(columns, np.nan), np.full(columns, np.nan)
    known = np.isfinite(values).all(axis=0) if n else np.zeros(columns, bool)
    usual = known & (n >= 2) & (values != values[:1]).any(axis=0)
    if usual.any():
        low[usual], high[usual] = usual_ends(values[:, usual])
    if span is not None and known.any():
        low, high = np.maximum(low, span[0]), np.minimum(high, span[1])
        sure = np.full((2, columns), np.nan)
        sure[:, known] = bounded_ends(values[:, known], span)
        with np.errstate(invalid="ignore"):
            take = (n < FEW) | mostly_equal(values) | ~usual | (sure[1] - sure[0] <= high - low)
        low, high = np.where(take, sure[0], low), np.where(take, sure[1], high)
    return low, high


def mostly_equal(values: np.ndarray) -> np.ndarray:
    """[J] whether more than half of the runs [n, J] have one and the same value, which then is the middle one too."""
    n = len(values)
    return np.asarray(2 * (values == np.sort(values, axis=0)[n // 2]).sum(axis=0) > n)


def usual_ends(values: np.ndarray) -> Ends:
    """Student's, or the bootstrap-t's where that is wider."""
    values = grouped(values)
    n, mean = len(values), values.mean(axis=0)
    centred = values - mean
    unit = np.abs(centred).max(axis=0)  # squares of very small or large values leave the range of doubles
    centred = centred / unit
    error = unit * np.sqrt((centred * centred).sum(axis=0) / (n - 1) / n)
    above = np.full(mean.shape, student_quantile(1.0 - LEVEL / 2.0, n - 1))
    below = above.copy()
    if n >= FEW:
        ends = np.quantile(resampled(centred), [LEVEL / 2, 1 - LEVEL / 2], axis=0)
        above, below = np.maximum(above, -ends[0]), np.maximum(below, ends[1])
    return mean - below * error, mean + above * error


def grouped(values: np.ndarray) -> np.ndarray:
    """[n, J] as means of at most 256 equal groups of successive runs; the rest is left out."""
    size = -(-len(values) // GROUPS)
    count = len(values) // size
    return np.asarray(values[: size * count].reshape(count, size, -1).mean(axis=1), float) if size > 1 else values


@functools.lru_cache(maxsize=8)
def counts_again(n: int) -> np.ndarray:
    """[draws, n] the share of each run in a resample."""
    return np.random.default_rng(1).multinomial(n, np.full(n, 1.0 / n), DRAWS) / n


def resampled(columns: np.ndarray) -> np.ndarray:
    """[draws, J] t of centred columns whose runs are resampled with replacement, whole rows at a time."""
    n, weights, squares = len(columns), counts_again(len(columns)), columns * columns
    mean, square = weights @ columns, np.maximum(weights @ squares, 1e-12 * squares.mean(axis=0))
    floor = 1e-12 * square + 1e-300  # keeps constant columns finite
    return np.asarray(mean / np.sqrt(np.maximum(square - mean * mean, floor) / (n - 1)))


def bounded_ends(values: np.ndarray, span: Span) -> Ends:
    """Gaffke's: the quantiles of the mean with weights uniform on the simplex, an end of the span being one more."""
    low, high = span
    width, n = high - low, len(values)
    scaled = (values - low) / width
    first, last = (simplex_quantile(np.vstack([scaled, np.full(scaled.shape[1], end)]), q)
                   for end, q in ((0.0, LEVEL / 2), (1.0, 1 - LEVEL / 2)))  # fmt: skip
    two = np.isin(scaled, (0.0, 1.0)).all(axis=0)
    if two.any():
        first[two], last[two] = share_ends(scaled[:, two].sum(axis=0), n)
    return low + width * np.maximum(first, 0.0), low + width * np.minimum(last, 1.0)


def simplex_quantile(values: np.ndarray, q: float) -> np.ndarray:
    """[J] quantile of sum_i w_i y_i over w uniform on the simplex."""
    n = len(values)
    if n <= LARGE:
        points = np.sort(values, axis=0)
        low, high = points[0], points[-1]
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            beyond = simplex_tail(points, middle) > 1.0 - q
            low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
        return np.asarray(high)
    mean = values.mean(axis=0)
    centred, z = values - mean, NormalDist().inv_cdf(q)
    sd = np.sqrt((centred**2).sum(axis=0) / (n * (n + 1)))
    skew = 2.0 * (centred**3).sum(axis=0) / (n * (n + 1) * (n + 2)) / np.maximum(sd, 1e-100) ** 3  # all alike: 0
    return np.asarray(mean + sd * (z + (z * z - 1.0) * skew / 6.0))


def simplex_tail(points: np.ndarray, at: np.ndarray) -> np.ndarray:
    """[J] the chance that sum_i w_i y_i exceeds a number, for sorted y.

    It is a divided difference of a truncated power, as a B-spline is, and has the same recurrence: the chance with all
    points is between those without the first and without the last one.
    """
    tail = (points > at).astype(float)
    for k in range(1, len(points)):
        first, width = points[:-k], points[k:] - points[:-k]
        share = np.divide(at - first, width, out=np.zeros_like(width), where=width > 0.0)
        tail = tail[1:] + np.clip(share, 0.0, 1.0) * (tail[:-1] - tail[1:])
    return np.asarray(tail[0])
