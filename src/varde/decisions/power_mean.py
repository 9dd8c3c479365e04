"""The power mean."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..arrays import largest, smallest
from ..check import problem_with
from .decision import influence, value


class PowerMean(NamedTuple):
    """The power mean, (mean of x^p)^(1/p).  If some value is not positive, all are shifted by their minimum less 1e-8.

    The shift is held constant in the gradient, as in the paper.  The paper's weights, scaled to sum to
    one, are ``printed=True``; the rule's choices are the same, since a common factor drops out.
    """

    order: float = 5.0
    printed: bool = False


@helper
def power_shift(values):
    low = smallest(values)
    return 0.0 if low > 0.0 else low - 1e-8


@value.of(PowerMean)
def power_mean(decision, values, weights):
    shift = power_shift(values)
    top, total = largest(values) - shift, 0.0
    for i in range(values.size):
        total += ((values[i] - shift) / top) ** decision.order
    return shift + top * (total / values.size) ** (1.0 / decision.order)


@influence.of(PowerMean)
def power_weights(decision, values, weights):
    shift = power_shift(values)
    top, total, powers = largest(values) - shift, 0.0, 0.0
    for i in range(values.size):
        relative = (values[i] - shift) / top
        weights[i] = relative ** (decision.order - 1.0)
        total += weights[i]
        powers += weights[i] * relative
    if not decision.printed:
        total = values.size * (powers / values.size) ** (1.0 - 1.0 / decision.order)
    for i in range(values.size):
        weights[i] /= total


@problem_with.of(PowerMean)
def order_problem(decision):
    if not 1.0 < decision.order < np.inf:
        return f"order is {decision.order}: write a number above 1, such as 5.0 (Average is the limit at 1)"
    return ""
