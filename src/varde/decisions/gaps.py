"""Gaps: which one is the best, with nothing to tune.

The pairs are "b is ahead of j", for b = argmax of the estimates and every other j.  A sample of j serves one of them
and a sample of b all, so that

    w_j^2 = g_j,      w_b^2 = sum_j g_j,      g_j = exp(-focus z_j)

with z_j the gap in its own standard errors, where the paper's soft maximum has a temperature.  Where the decrements are
equal, N_b^2 / s2_b = sum_j N_j^2 / s2_j: the leader's share under optimal computing budget allocation (OCBA).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..beliefs.belief import total_of
from ..beliefs.noise import Pooled
from ..check import problem_with, unless_positive
from .decision import usual_noise, usual_warm_start, weigh, weigh_arrays
from .pairs import FOCUS, TINY, log_weight, log_weights, relative


class Gaps(NamedTuple):
    """Which one is the best, by the gaps to the leader: invariant to the unit and the zero of the samples."""

    focus: float = FOCUS


@weigh.of(Gaps)
def weigh_gaps(decision, belief, square):
    many, leader, top = square.size, 0, -np.inf
    for i in range(many):
        ahead = belief.estimates[i] > top
        top = belief.estimates[i] if ahead else top
        leader = i if ahead else leader
    mean, base, highest, total = belief.expected[leader], belief.errors[leader] + TINY, -np.inf, 0.0
    for i in range(many):
        square[i] = log_weight(decision.focus, mean - belief.expected[i], base + belief.errors[i])
        highest = max(highest, square[i]) if i != leader else highest
    for i in range(many):
        square[i] = math.exp(square[i] - highest) if i != leader else 0.0
        total += square[i]
    square[leader] = total if total > 0.0 else 1.0
    return leader


@weigh_arrays.of(Gaps)
def weigh_rivals(decision, belief):
    leader = int(belief.estimates.argmax())
    if belief.counts.size == 1:
        return np.ones(1)
    logs = log_weights(decision.focus, belief, leader, slice(None))
    logs[leader] = -np.inf
    square = relative(logs)
    square[leader] = total_of(square)
    return square


@usual_noise.of(Gaps)
def pooled_noise(decision):
    return Pooled()


@usual_warm_start.of(Gaps)
def few(decision):
    return 0


@problem_with.of(Gaps)
def gaps_problem(decision):
    return unless_positive("focus", decision.focus, "3.0")
