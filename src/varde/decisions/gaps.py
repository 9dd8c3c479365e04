"""Gaps: which one is the best, with nothing to tune.

The decision to get right is "b is ahead of j", for b = argmax of the estimates and every other j.  Weigh the variances
of those K - 1 gaps by how open each of them still is, D = sum_j g_j Var(mean_b - mean_j).  A sample of j serves one gap
and a sample of b all of them, so that

    w_j^2 = g_j,      w_b^2 = sum_j g_j,      g_j = exp(-focus z_j),

with z_j the gap in its own standard errors, where the paper's soft maximum has a temperature:

    z_j = (mean_b - mean_j) / sqrt(error_b + wary_error_j)

Every quantity is a ratio, so neither the unit of the samples nor their zero matters.  Where the decrements are equal,
N_b^2 / s2_b = sum_j N_j^2 / s2_j: the leader's share under optimal computing budget allocation (OCBA).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..beliefs.noise import Pooled
from ..beliefs.parts import complete, error, estimate, samples, size, wary_error
from ..check import problem_with, unless_positive
from .decision import usual_noise, usual_warm_start, weigh

TINY = 2.3e-308  # the variance of something known exactly: any gap is then many standard errors
CERTAIN = 25.0  # standard errors at most, of unshared gaps: beyond, weights vanish, in some units sooner than in others


class Gaps(NamedTuple):
    """Which one is the best, by the gaps to the leader: invariant to the unit and the zero of the samples."""

    focus: float = 3.0  # how fast a gap stops mattering, per standard error
    shared: bool = True  # the leader serves every gap; if not, it counts as much as a rival that is level


@helper
def log_weight(decision, gap, variance):
    """log g of a component that is ``gap`` <= 0 behind, the difference having this variance; arrays will do."""
    return decision.focus * gap / np.sqrt(variance)


@weigh.of(Gaps)
def weigh_gaps(decision, parts, square):
    full, many, leader, top = complete(parts), size(parts), 0, -np.inf
    for i in range(many):
        ahead = (full or samples(parts, i) > 0) and estimate(parts, i) > top
        top = estimate(parts, i) if ahead else top
        leader = i if ahead else leader
    base = error(parts, leader)
    if not decision.shared:
        for i in range(many):
            if full or samples(parts, i) > 0:
                behind, variance = estimate(parts, i) - top, max(base + wary_error(parts, i), TINY)
                least = -CERTAIN * decision.focus
                square[i] = math.exp(max(log_weight(decision, behind, variance), least)) if behind < 0.0 else 1.0
            else:
                square[i] = 0.0
        return leader
    for i in range(many):
        square[i] = -np.inf
        if full or samples(parts, i) > 0:
            square[i] = log_weight(decision, estimate(parts, i) - top, max(base + wary_error(parts, i), TINY))
    weights_from(square, leader)
    return leader


@helper
def weights_from(square, leader):
    """w^2 from log g, in place; -inf: not compared.  The leader serves every gap."""
    nearest, total, many = -np.inf, 0.0, square.size
    square[leader] = -np.inf
    for i in range(many):  # relative to the nearest rival, as the leader is: nothing underflows, however clear the case
        nearest = max(nearest, square[i])
    for i in range(many):
        if square[i] > -np.inf:
            square[i] = math.exp(square[i] - nearest)
            total += square[i]
        else:  # exp(-inf) takes as long as any other
            square[i] = 0.0
    square[leader] = total if total > 0.0 else 1.0


@usual_noise.of(Gaps)
def pooled_noise(decision):
    return Pooled()


@usual_warm_start.of(Gaps)
def by_the_budget(decision):
    return 0


@problem_with.of(Gaps)
def gaps_problem(decision):
    return unless_positive("focus", decision.focus, "3.0")
