"""The largest and the smallest of a few numbers, in both engines."""

from __future__ import annotations

from ._compile import helper


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
