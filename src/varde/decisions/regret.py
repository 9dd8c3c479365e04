"""The regret: which one is the best, with nothing to tune.

The leader b, the highest estimate, is what will be chosen.  Against rival j that costs (mu_j - mu_b)+, on average

    R_j = tau_j log(1 + exp(-x_j)),      x_j = (M_b - M_j) / tau_j,      tau_j = sqrt(3 (e_b + e_j)) / pi

which is the paper's soft maximum of the two, less what the leader is worth.  If the error of the gap is logistic with
its own variance e_b + e_j, R_j is exactly the mean of (mu_j - mu_b)+: so the temperature is not free, it is the
standard error of the comparison.  The gradient of R_j is -w_j for the leader and w_j for the rival, with

    w_j = 1 / (1 + exp x_j),      so      w_j^2 = g_j,      w_b^2 = sum_j g_j      (the variance of all regrets)

Where the decrements are equal, N_b^2 / s2_b = sum_j N_j^2 / s2_j, and with more samples the z_j become equal: the two
conditions for the fastest decay of the chance of error (Glynn and Juneja 2004).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..beliefs.belief import total_of
from ..beliefs.noise import Pooled
from .decision import one_against_all, usual_noise, usual_warm_start, weigh, weigh_arrays
from .pairs import STEEP, bounded, nearest, openness, steepness, weights


class Regret(NamedTuple):
    """The expected regret of the leader against each rival: invariant to the unit and the zero of the samples."""


def expected_regret(gap: Any, variance: Any) -> Any:
    """R, what choosing the leader costs on average against a rival ``gap`` behind; numbers or arrays.

    ``variance`` is that of the estimated gap.

    >>> round(float(expected_regret(0.0, 1.0)), 4), round(float(expected_regret(2.0, 1.0)), 4)
    (0.3821, 0.0145)
    """
    temperature = np.sqrt(variance) / STEEP
    return temperature * np.logaddexp(0.0, -steepness(gap, variance))


@weigh.of(Regret)
def weigh_rivals(decision, belief, square):
    many, leader, top = square.size, 0, -np.inf
    for i in range(many):
        ahead = belief.estimates[i] > top
        top = belief.estimates[i] if ahead else top
        leader = i if ahead else leader
    mean, error, least, total = belief.expected[leader], belief.errors[leader], np.inf, 0.0
    for i in range(many):
        square[i] = bounded(steepness(mean - belief.expected[i], error + belief.errors[i]))
        least = min(least, square[i]) if i != leader else least
    least = nearest(least)
    most = math.exp(-least)
    for i in range(many):
        square[i] = openness(math.exp(least - square[i]), most) if i != leader else 0.0
        total += square[i]
    square[leader] = total if total > 0.0 else 1.0
    return leader


@weigh_arrays.of(Regret)
def weigh_rival_arrays(decision, belief):
    leader = int(belief.estimates.argmax())
    if belief.counts.size == 1:
        return np.ones(1)
    x = steepness(belief.expected[leader] - belief.expected, belief.errors[leader] + belief.errors)
    x[leader] = np.inf
    square = weights(x)
    square[leader] = 0.0
    square[leader] = total_of(square)
    return square


@one_against_all.of(Regret)
def regret_of_every_rival(decision):
    return True


@usual_noise.of(Regret)
def pooled_noise(decision):
    return Pooled()


@usual_warm_start.of(Regret)
def few(decision):
    return 0
