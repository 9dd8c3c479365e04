"""The gaps of all components at once, on arrays: for ask/tell, which never compiles.

The formulas are those of ``gaps`` and ``noise``; only the loops are numpy's.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..noise import drawn_variance, guarded_variance, shrunk_variance
from ..rule import VarDE, shrinkage
from .gaps import log_weight


def weigh_all(logs: np.ndarray, leader: int, seen: np.ndarray | None = None) -> np.ndarray:
    """[K] w^2 from log g, in place.  A component without samples is level with the leader."""
    if logs.size == 1:  # no rivals
        return np.ones(1)
    if seen is not None:
        logs[~seen] = 0.0
    logs[leader] = -np.inf
    logs -= logs.item(logs.argmax())  # relative to the nearest rival: nothing underflows, however clear the case is
    weights = np.exp(logs, out=logs)
    weights[leader] = total_of(weights)
    return weights


ones = functools.cache(np.ones)


def total_of(numbers: np.ndarray) -> float:
    """The sum; of few numbers as a dot product, which takes a third of the time (of many it may depend on threads)."""
    size = numbers.size
    return float(numbers.dot(ones(size)) if size <= 256 else np.add.reduce(numbers))


def gap_scores(
    rule: VarDE,
    counts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    pending: np.ndarray | int = 0,
    costs: np.ndarray | None = None,
) -> np.ndarray:
    """[K] the decrement of every component, up to a factor common to all: sample the highest.

    ``pending`` samples, asked for and not yet known, count in N and in nothing else.  ``costs`` per sample turn the
    decrement into one per unit of cost.  Infinite where nothing was asked for yet.

    >>> counts, means, squares = np.full(3, 10.0), np.array([3.0, 2.5, 0.0]), np.full(3, 9.0)
    >>> scores = gap_scores(VarDE(), counts, means, squares)
    >>> (scores / scores.max()).round(3)
    array([1., 1., 0.])
    """
    with np.errstate(divide="ignore"):
        scores = gap_noise(rule, counts, means, squares) * shrinkage(counts + pending)
    return scores if costs is None else scores / costs


def gap_noise(rule: VarDE, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[K] w_i^2 s2_i, up to a factor common to all.

    A component without samples is level with the leader and as noisy as the others are on average.  Where no noise was
    seen at all, equal: the rule then allocates equally.
    """
    seen = counts > 0
    free = counts.sum() - np.count_nonzero(seen)
    pooled = squares.sum() / free if free > 0 else 0.0
    if not pooled > 0.0:
        return np.ones(counts.size)
    counts, means = np.maximum(counts, 1), np.where(seen, means, -np.inf)
    leader = int(means.argmax())
    variances = shrunk_variance(rule.noise, pooled, squares, counts)
    errors = guarded_variance(rule.noise, pooled, variances, counts) / counts + variances[leader] / counts[leader]
    return weigh_all(log_weight(rule.decision, means - means[leader], errors), leader, seen) * variances


class GapTable:
    """``gap_noise`` of components that change one at a time: the same numbers, up to rounding, in a third of the time.

    s2_i and both candidates for u_i are straight lines in the pooled variance.  Slopes and offsets depend on one
    component alone and are kept, which leaves a handful of passes over the arrays.

    >>> table = GapTable(VarDE(), 3)
    >>> for i, mean in enumerate([3.0, 2.5, 0.0]):
    ...     table.put(i, 10, mean, 9.0)
    >>> noise = table.noise()
    >>> (noise / noise.max()).round(3)
    array([1., 1., 0.])
    """

    def __init__(self, rule: VarDE, size: int):
        self.rule = rule
        self.fill(*np.zeros((3, size)))

    def fill(self, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> None:
        """Begin with these moments; where there are no samples, mean and squares are not read."""
        seen = counts > 0
        self.counts = np.array(counts, float)
        self.means = np.where(seen, means, -np.inf)  # never the leader before its first sample
        self.squares = np.where(seen, squares, 0.0)
        self._lines = np.array(self._lines_of(np.maximum(self.counts, 1.0), self.squares))
        self._slopes, self._offsets = self._lines[:3], self._lines[3:]
        self._at = np.empty_like(self._slopes)
        self._rows = tuple(self._at)
        self._unseen = counts.size - int(np.count_nonzero(seen))
        self._free = float((self.counts - seen).sum())  # degrees of freedom; whole numbers, so no rounding gathers

    def _lines_of(self, count: Any, squares: Any) -> tuple[Any, ...]:
        """Slopes and offsets in the pooled variance: of s2, and of s2 / N and its wary form / N."""
        model, share = self.rule.noise, 1.0 / count
        slope, offset = shrunk_variance(model, 1.0, 0.0, count), shrunk_variance(model, 0.0, squares, count)
        wary_slope, wary_offset = drawn_variance(model, 1.0, slope, count), drawn_variance(model, 0.0, offset, count)
        return slope, slope * share, wary_slope * share, offset, offset * share, wary_offset * share

    def put(self, i: int, count: float, mean: float, squares: float) -> None:
        """Component ``i`` now has ``count`` samples, 1 or more, with these moments."""
        before = self.counts.item(i)
        self._unseen -= before == 0.0
        self._free += count - max(before, 1.0)
        self.counts[i], self.means[i], self.squares[i] = count, mean, squares
        self._lines[:, i] = self._lines_of(count, squares)

    def noise(self) -> np.ndarray:
        """[K] the same as ``gap_noise`` of all moments."""
        total = total_of(self.squares)
        if total <= 0.0:
            return np.ones(self.counts.size)
        np.multiply(self._slopes, total / max(self._free, 1.0), out=self._at)
        np.add(self._at, self._offsets, out=self._at)
        variances, errors, wary = self._rows
        leader = int(self.means.argmax())
        error = errors.item(leader)
        np.maximum(errors, wary, out=errors)
        np.add(errors, error, out=errors)
        logs = log_weight(self.rule.decision, self.means - self.means.item(leader), errors)
        weights = weigh_all(logs, leader, self.counts > 0 if self._unseen else None)
        return np.multiply(weights, variances, out=weights)
