"""The maximum smoothed by an entropy of Tsallis."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..arrays import largest
from ..check import problem_with, unless_positive
from .decision import influence, value
from .nesterov import project


class EntMax(NamedTuple):
    """Tsallis smoothing of the maximum: max over the simplex of <p, x> - mu/(alpha (alpha-1)) sum p^alpha.

    The maximiser is p_i = [c (x_i - theta)]+ ^ (1/(alpha-1)) with c = (alpha-1)/mu.  The constant
    printed in the paper, c = ((alpha-1)/(mu alpha)) ^ (1/(alpha-1)), does not belong to that potential.
    """

    alpha: float = 2.0
    mu: float = 0.1
    printed: bool = False


@value.of(EntMax)
def entmax(decision, values, weights):
    influence(decision, values, weights)
    top, total = largest(values), 0.0
    scale = decision.mu / (decision.alpha * (decision.alpha - 1.0))
    for i in range(values.size):
        total += weights[i] * (values[i] - top) - scale * weights[i] ** decision.alpha
    return top + total


@influence.of(EntMax)
def entmax_weights(decision, values, weights):
    slope = (decision.alpha - 1.0) / decision.mu
    if decision.printed:
        slope = (slope / decision.alpha) ** (1.0 / (decision.alpha - 1.0))
    if decision.alpha == 2.0:
        project(values, slope, weights)
    else:
        tsallis_weights(values, slope, decision.alpha - 1.0, weights)


@helper
def tsallis_weights(values, slope, power, weights):
    """p_i = (s + slope (x_i - top))+ ^ (1/power), with s such that they sum to one.

    The unknown is the weight of the top component, p = s ^ (1/power), in [1/K, 1]: the sum rises in it
    with slope one or more, so halving the bracket is accurate for every power.  At the end the bracket
    is two neighbouring doubles, and interpolating between its ends places a component that sits right at
    the threshold, where its weight may jump by more than the rounding of s.
    """
    top, size = largest(values), values.size
    low, high = 1.0 / size, 1.0
    below, above = tsallis_sum(low, values, slope, power, top), tsallis_sum(high, values, slope, power, top)
    for _ in range(64):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        total = tsallis_sum(middle, values, slope, power, top)
        if total < 1.0:
            low, below = middle, total
        else:
            high, above = middle, total
    share = min(max((1.0 - below) / (above - below), 0.0), 1.0) if above > below else 0.0
    total = 0.0
    for i in range(size):
        offset = slope * (values[i] - top)
        least = tsallis_weight(low, offset, power)
        weights[i] = least + share * (tsallis_weight(high, offset, power) - least)
        total += weights[i]
    for i in range(size):
        weights[i] /= total


@helper
def tsallis_sum(top_weight, values, slope, power, top):
    total = 0.0
    for i in range(values.size):
        total += tsallis_weight(top_weight, slope * (values[i] - top), power)
    return total


@helper
def tsallis_weight(top_weight, offset, power):
    """The weight of a component ``offset`` <= 0 below the top one, whose weight is ``top_weight``."""
    if offset == 0.0:
        return top_weight
    rest = top_weight**power + offset
    return rest ** (1.0 / power) if rest > 0.0 else 0.0


@problem_with.of(EntMax)
def entmax_problem(decision):
    if not 1.0 < decision.alpha < np.inf:
        return f"alpha is {decision.alpha}: write a number above 1, such as 2.0 (LogSumExp is the limit at 1)"
    return unless_positive("mu", decision.mu, "0.1")
