"""The rule with nothing to tune: VarDE applied to the gaps between the leader and the others.

The decision to get right is "b is ahead of j", for b = argmax of the means and every other j.  Weigh the variances of
those K - 1 gaps by how open each of them still is, D = sum_j g_j Var(mean_b - mean_j).  A sample of j serves one gap
and a sample of b all of them, so the rule's decrement is

    w_i^2 s2_i / (N_i (N_i + 1)),      w_j^2 = g_j,      w_b^2 = sum_j g_j,

with g_j = exp(-focus z_j), the gap measured in its own standard errors where the paper's soft maximum has a
temperature:

    sp2  = sum M2_i / sum (N_i - 1)                              noise pooled over all components
    s2_i = (prior sp2 + M2_i) / (prior + N_i - 1)                a component's own, drawn towards it: needs no floor
    u_i  = max(s2_i, s2_i + (sp2 - s2_i) guard / (guard + N_i))  in z only: a variance that looks small may be luck
    z_j  = (mean_b - mean_j) / sqrt(s2_b / N_b + u_j / N_j)

Every quantity is a ratio, so neither the unit of the samples nor their zero matters.  Where the scores are equal,
N_b^2 / s2_b = sum_j N_j^2 / s2_j: the leader's share under optimal computing budget allocation (OCBA).

The formulas are written once: compiled into the bandit engine, on whole arrays for ask/tell.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._compile import helper
from .decisions import problem_with
from .rule import shrinkage


class GapVarDE(NamedTuple):
    """VarDE on the gaps to the leader: the same choices whatever the unit and the zero of the samples."""

    focus: float = 3.0  # how fast a gap stops mattering, per standard error
    prior: float = 5.0  # samples that the pooled variance counts for in each component's own
    guard: float = 20.0  # samples until a variance below the pooled one is believed
    warm_start: int = 0  # samples of every component before the rule begins; 0: ``automatic_warm_start``


@helper
def own_variance(rule, pooled, squares, count):
    """s2: the variance of one component, drawn towards the pooled one."""
    return (rule.prior * pooled + squares) / (rule.prior - 1.0 + count)


@helper
def wary_variance(rule, pooled, variance, count):
    """A component's variance, drawn towards the pooled one once more."""
    return variance + (pooled - variance) * (rule.guard / (rule.guard + count))


@helper
def guarded(rule, pooled, variance, count):
    """u: a component's variance, not yet trusted where it is below the pooled one."""
    return np.maximum(variance, wary_variance(rule, pooled, variance, count))


@helper
def automatic_warm_start(budget, size):
    """Samples of each of ``size`` components to begin with: a third of the budget, at least 3 each, at most half.

    A ``budget`` of 0 is one that nobody knows: 3.
    """
    if budget == 0:
        return 3
    third = (2 * budget + 3 * size) // (6 * size)
    return max(min(max(third, 3), budget // (2 * size)), 1)


@problem_with.of(GapVarDE)
def gap_problem(rule):
    for name in ("focus", "prior", "guard"):
        given = getattr(rule, name)
        if not 0.0 < given < np.inf:
            return f"{name} is {given}: write a positive number; the default is a good one"
    if rule.warm_start < 0:
        return f"warm_start is {rule.warm_start}: write 1 or more, or 0 for one that suits the budget"
    return ""


# -- all components at once, for ask/tell --------------------------------------------------------


def gap_noise(rule: GapVarDE, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[K] w_i^2 s2_i: all of the score but its count, up to a factor common to all.

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
    variances = own_variance(rule, pooled, squares, counts)
    errors = guarded(rule, pooled, variances, counts) / counts + variances[leader] / counts[leader]
    return weigh(rule.focus * (means - means[leader]) / np.sqrt(errors), leader, seen) * variances


def weigh(logs: np.ndarray, leader: int, seen: np.ndarray | None = None) -> np.ndarray:
    """[K] w^2 from log g, in place.  A component without samples is level with the leader."""
    if logs.size == 1:  # nobody to be ahead of
        return np.ones(1)
    if seen is not None:
        logs[~seen] = 0.0
    logs[leader] = -np.inf
    logs -= logs.item(logs.argmax())  # relative to the nearest rival: nothing underflows, however clear the case is
    weights = np.exp(logs, out=logs)
    weights[leader] = total_of(weights)
    return weights


ONES = np.ones(256)


def total_of(numbers: np.ndarray) -> float:
    """The sum; of few numbers as a dot product, which takes a third of the time (of many it may depend on threads)."""
    return float(numbers.dot(ONES[: numbers.size]) if numbers.size <= ONES.size else np.add.reduce(numbers))


def gap_scores(
    rule: GapVarDE,
    counts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    pending: np.ndarray | int = 0,
    costs: np.ndarray | None = None,
) -> np.ndarray:
    """[K] the score of every component, up to a factor common to all: sample the highest.

    ``pending`` samples, asked for and not yet known, count in N and in nothing else.  ``costs`` per sample turn the
    decrement into one per unit of cost.  Infinite where nothing was asked for yet.

    >>> counts, means, squares = np.full(3, 10.0), np.array([3.0, 2.5, 0.0]), np.full(3, 9.0)
    >>> scores = gap_scores(GapVarDE(), counts, means, squares)
    >>> (scores / scores.max()).round(3)
    array([1., 1., 0.])
    """
    with np.errstate(divide="ignore"):
        scores = gap_noise(rule, counts, means, squares) * shrinkage(counts + pending)
    return scores if costs is None else scores / costs


class GapTable:
    """``gap_noise`` for components that change one at a time: the same numbers, up to rounding, in a third of the time.

    s2_i and both candidates for u_i are straight lines in the pooled variance.  Slopes and offsets depend on one
    component alone and are kept, which leaves a handful of passes over the arrays.

    >>> table = GapTable(GapVarDE(), 3)
    >>> for i, mean in enumerate([3.0, 2.5, 0.0]):
    ...     table.put(i, 10, mean, 9.0)
    >>> noise = table.noise()
    >>> (noise / noise.max()).round(3)
    array([1., 1., 0.])
    """

    def __init__(self, rule: GapVarDE, size: int):
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
        """Slopes and offsets in the pooled variance: of s2, and of s2 / N and its wary form / N over focus^2."""
        rule, share = self.rule, 1.0 / (self.rule.focus * self.rule.focus * count)
        slope, offset = own_variance(rule, 1.0, 0.0, count), own_variance(rule, 0.0, squares, count)
        wary_slope, wary_offset = wary_variance(rule, 1.0, slope, count), wary_variance(rule, 0.0, offset, count)
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
        np.multiply(self._slopes, total / self._free, out=self._at)
        np.add(self._at, self._offsets, out=self._at)
        variances, errors, wary = self._rows
        leader = int(self.means.argmax())
        error = errors.item(leader)
        np.maximum(errors, wary, out=errors)
        np.add(errors, error, out=errors)
        np.sqrt(errors, out=errors)
        logs = self.means - self.means.item(leader)
        np.divide(logs, errors, out=logs)
        weights = weigh(logs, leader, self.counts > 0 if self._unseen else None)
        return np.multiply(weights, variances, out=weights)
