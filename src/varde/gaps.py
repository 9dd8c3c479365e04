"""The rule with nothing to tune: VarDE applied to the gaps between the leader and the others.

The decision to get right is "b is ahead of j", for b = argmax of the means and every other j.  Weigh the variances of
those K - 1 gaps by how open each of them still is, D = sum_j g_j Var(mean_b - mean_j).  A sample of j serves one gap
and a sample of b all of them, so the rule's decrement is

    w_i^2 s2_i / (N_i (N_i + 1)),      w_j^2 = g_j,      w_b^2 = sum_j g_j,

with g_j = exp(-focus z_j), the gap measured in its own standard errors where the paper's soft maximum has a
temperature:

    sp2  = sum M2_i / sum (N_i - 1)                           noise pooled over all components
    s2_i = (prior sp2 + M2_i) / (prior + N_i - 1)             a component's own, drawn towards it; there is no floor
    u_i  = s2_i + max(0, sp2 - s2_i) guard / (guard + N_i)    in z only: a variance that looks too small may be luck
    z_j  = (mean_b - mean_j) / sqrt(s2_b / N_b + u_j / N_j)

Every quantity is a ratio, so neither the unit of the samples nor their zero matters.  Where the scores are equal,
N_b^2 / s2_b = sum_j N_j^2 / s2_j: the leader's share under optimal computing budget allocation (OCBA).

The scalar formulas are compiled into the bandit engine and serve whole arrays here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._jit import helper
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
def guarded(rule, pooled, variance, count):
    """u: the same, not yet trusted where it is below the pooled one."""
    return variance + np.maximum(pooled - variance, 0.0) * (rule.guard / (rule.guard + count))


@helper
def openness(rule, gap, error, variance, count):
    """log g: minus ``focus`` times the gap in standard errors; ``error`` is s2_b / N_b."""
    return gap / np.sqrt(error + variance / count) * -rule.focus


@helper
def automatic_warm_start(budget, size):
    """Samples of each of ``size`` components to begin with: a third of the budget, at least 3 each, at most half.

    A ``budget`` of 0 is one that nobody knows.
    """
    if budget == 0:
        return 3
    third = (2 * budget + 3 * size) // (6 * size)
    return max(min(max(third, 3), budget // (2 * size)), 1)


BLOCK = 8192  # components at a time: what is made on the way stays in the processor's cache


def gap_noise(rule: GapVarDE, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[K] w_i^2 s2_i of every component: all of the score but its count, up to a factor common to all.

    A component without samples is level with the leader and as noisy as the others are on average.  Where no noise was
    seen at all, equal: the rule then allocates equally.
    """
    size, seen = counts.size, np.count_nonzero(counts)
    free = np.add.reduce(counts) - seen
    pooled = float(np.add.reduce(squares) / free) if free > 0 else 0.0
    if not pooled > 0.0:
        return np.ones(size)
    if seen < size:
        means = np.where(counts > 0, means, np.max(means, where=counts > 0, initial=-np.inf))
        counts = np.maximum(counts, 1)
    leader = means.argmax()
    noise = float(own_variance(rule, pooled, squares[leader], counts[leader]))
    known = rule, pooled, noise / float(counts[leader]), float(means[leader])
    if size <= BLOCK:
        logs, variances = log_openness(*known, counts, means, squares)
    else:
        cuts = [slice(first, first + BLOCK) for first in range(0, size, BLOCK)]
        parts = [log_openness(*known, counts[cut], means[cut], squares[cut]) for cut in cuts]
        logs, variances = (np.concatenate(part) for part in zip(*parts, strict=True))
    logs[leader] = -np.inf
    logs -= logs[logs.argmax()]  # relative to the nearest rival: nothing underflows, however clear the case is
    weights = np.exp(logs, out=logs)
    weights[leader] = np.add.reduce(weights)
    weights *= variances
    return weights


def log_openness(
    rule: GapVarDE,
    pooled: float,
    error: float,
    top: float,
    counts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """log g and s2 of some components, for a leader of mean ``top`` with squared standard error ``error``."""
    variances = own_variance(rule, pooled, squares, counts)
    wary = guarded(rule, pooled, variances, counts)
    return openness(rule, top - means, error, wary, counts), variances


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
    scores, total = gap_noise(rule, counts, means, squares), counts + pending
    if np.count_nonzero(total) == total.size:
        scores *= shrinkage(total)
    else:
        with np.errstate(divide="ignore"):
            scores *= shrinkage(total)
    if costs is not None:
        scores /= costs
    return scores


@problem_with.of(GapVarDE)
def gap_problem(rule):
    for name in ("focus", "prior", "guard"):
        given = getattr(rule, name)
        if not 0.0 < given < np.inf:
            return f"{name} is {given}: write a positive number; the default is a good one"
    if rule.warm_start < 0:
        return f"warm_start is {rule.warm_start}: write 1 or more, or 0 for one that suits the budget"
    return ""
