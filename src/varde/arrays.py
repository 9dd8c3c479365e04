"""The largest and the smallest of a few numbers, in both engines; those of many; the arrays of a record, in Python."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from ._compile import helper

T = TypeVar("T")


@helper
def largest(values):
    top = values[0]
    for i in range(1, values.size):
        top = max(top, values[i])
    return top


@helper
def smallest(values):
    low = values[0]
    for i in range(1, values.size):
        low = min(low, values[i])
    return low


@helper
def first_largest(values):
    """The index of the largest, the lowest such index on ties."""
    best, top = 0, values[0]
    for i in range(1, values.size):
        higher = values[i] > top
        best = i if higher else best
        top = values[i] if higher else top
    return best


def highest(scores: np.ndarray, many: int) -> np.ndarray:
    """[K] which are the ``many`` highest, the first of equal ones; without sorting them."""
    if many >= scores.size:
        return np.ones(scores.size, bool)
    last = np.partition(scores, scores.size - many)[scores.size - many]
    chosen: np.ndarray = scores > last
    chosen[np.flatnonzero(scores == last)[: many - np.count_nonzero(chosen)]] = True
    return chosen


def arrays_of(record: Any) -> list[np.ndarray]:
    """All arrays in a record, in order."""
    if isinstance(record, np.ndarray):
        return [record]
    return [array for part in record for array in arrays_of(part)] if isinstance(record, tuple) else []


def refill(new: T, old: T) -> T:
    """A record of larger arrays that begin with the contents of the old ones.

    A part that is a different kind of record now is left unchanged.
    """
    if isinstance(new, np.ndarray) and isinstance(old, np.ndarray):
        new[tuple(map(slice, old.shape))] = old
    elif isinstance(new, tuple) and isinstance(old, tuple) and type(new) is type(old):
        for larger, smaller in zip(new, old, strict=True):
            refill(larger, smaller)
    return new
