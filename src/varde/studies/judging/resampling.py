"""Resampling runs (bootstrap): the spread of a statistic."""

from __future__ import annotations

import functools

import numpy as np

FEW = 5  # with fewer runs nothing is resampled, and only shares and bounded values get a verdict
GROUPS = 256  # more runs than this are averaged in groups


def group_size(runs: int) -> int:
    """Of the groups that so many runs are averaged in: at most 256 groups, of one run each if that suffices."""
    return -(-runs // GROUPS)


def grouped(values: np.ndarray, size: int | None = None) -> np.ndarray:
    """[n, J] as means of equal groups of successive runs; the rest is left out."""
    size = group_size(len(values)) if size is None else size
    if size <= 1:
        return np.asarray(values, float)
    count = len(values) // size
    return np.asarray(values[: size * count].reshape(count, size, -1).mean(axis=1), float)


def studentised(mean: np.ndarray, square: np.ndarray, n: int) -> np.ndarray:
    """t of columns from mean and mean square; the floor keeps constant columns finite."""
    return np.asarray(mean / np.sqrt(np.maximum(square - mean * mean, 1e-12 * square + 1e-300) / (n - 1)))


def centred(values: np.ndarray) -> np.ndarray:
    """Columns less their means; exactly 0 without spread, where rounding would pass for it."""
    return np.where((values == values[0]).all(axis=0), 0.0, values - values.mean(axis=0))


@functools.lru_cache(maxsize=8)
def counts_again(n: int, draws: int, seed: int) -> np.ndarray:
    """[draws, n] the share of each run in a resample."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1.0 / n), draws) / n


def drawn_again(columns: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """[draws, J] t of centred columns whose runs are resampled with replacement, whole rows at a time."""
    weights, squares = counts_again(len(columns), draws, seed), columns * columns
    again = np.maximum(weights @ squares, 1e-12 * squares.mean(axis=0))
    return studentised(weights @ columns, again, len(columns))
