"""Smooth decision functions Y = f(values) and their influence weights w = grad f (Section 3.2).

Each decision is a record with two verbs, ``value`` and ``influence``.  ``influence`` is the exact
gradient.  Where the paper prints another form, ``printed=True`` selects that form, so that its
figures can be drawn as they were; the difference is stated in each docstring.

Everything is computed relative to the largest value, so nothing overflows at any temperature or
scale.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ._compile import helper, verb


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


@verb
def value(decision, values, weights):
    """The decision variable Y at ``values``; ``weights`` is a place to work in, of the same size."""


@verb
def influence(decision, values, weights):
    """Fill ``weights`` with the gradient of Y at ``values``: how much each component matters."""


@verb(fallback=True)
def separable(decision):
    """Whether the weights are g(values[i]) / sum_j g(values[j]), so that ``log_influence`` exists."""
    return False


@verb(fallback=True)
def log_influence(decision, value, origin):
    """log g(value): the log weight of one component, up to a constant common to all.

    ``origin`` is any number near the values, the same for all of them.  Measured from it, values of 1e12
    that differ in the last digits still compare.
    """
    return np.nan


@verb(fallback=True)
def problem_with(decision):
    """What is wrong with the parameters of ``decision``, in words; empty when nothing is."""
    return ""


def evaluate(decision: NamedTuple, values: ArrayLike) -> float:
    """Y at ``values``.

    >>> round(evaluate(LogSumExp(0.1), [0.3, 0.2, 0.1]), 4)
    0.3408
    """
    array = _checked(decision, values)
    return float(value(decision, array, np.empty(array.size)))


def gradient(decision: NamedTuple, values: ArrayLike) -> np.ndarray:
    """The influence weights at ``values``.

    >>> gradient(LogSumExp(0.1), [0.3, 0.2, 0.1]).round(3)
    array([0.665, 0.245, 0.09 ])
    """
    array = _checked(decision, values)
    weights = np.empty(array.size)
    influence(decision, array, weights)
    return weights


def _checked(decision: NamedTuple, values: ArrayLike) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"values has shape {array.shape}: write a list of one or more numbers")
    if not np.isfinite(array).all():
        raise ValueError(f"values[{int(np.argmin(np.isfinite(array)))}] is not finite: write finite numbers")
    problem = problem_with(decision)
    if problem:
        raise ValueError(f"{type(decision).__name__}: {problem}")
    return array


# -- LogSumExp -----------------------------------------------------------------------------------


class LogSumExp(NamedTuple):
    """tau log sum_i exp(x_i / tau): the paper's soft maximum, hard as tau -> 0."""

    temperature: float = 0.1


@value.of(LogSumExp)
def log_sum_exp(decision, values, weights):
    top, total = largest(values), 0.0
    for i in range(values.size):
        total += math.exp((values[i] - top) / decision.temperature)
    return top + decision.temperature * math.log(total)


@influence.of(LogSumExp)
def softmax(decision, values, weights):
    top, total = largest(values), 0.0
    for i in range(values.size):
        weights[i] = math.exp((values[i] - top) / decision.temperature)
        total += weights[i]
    for i in range(values.size):
        weights[i] /= total


@separable.of(LogSumExp)
def softmax_is_separable(decision):
    return True


@log_influence.of(LogSumExp)
def softmax_exponent(decision, value, origin):
    return (value - origin) / decision.temperature


@problem_with.of(LogSumExp)
def temperature_problem(decision):
    return _unless_positive("temperature", decision.temperature, "0.1")


# -- Average -------------------------------------------------------------------------------------


class Average(NamedTuple):
    """The plain average.  With it the rule looks at variance alone: the ablation Var-Only."""


@value.of(Average)
def average(decision, values, weights):
    total = 0.0
    for i in range(values.size):
        total += values[i] / values.size
    return total


@influence.of(Average)
def equal_weights(decision, values, weights):
    weights.fill(1.0 / values.size)


@separable.of(Average)
def average_is_separable(decision):
    return True


@log_influence.of(Average)
def no_preference(decision, value, origin):
    return 0.0


# -- Nesterov ------------------------------------------------------------------------------------


class Nesterov(NamedTuple):
    """max over the simplex of <p, x> - mu/2 |p|^2; the maximiser projects x / mu on the simplex."""

    mu: float = 0.5


@value.of(Nesterov)
def nesterov(decision, values, weights):
    influence(decision, values, weights)
    # Relative to the top: at values of 1e12, mu/2 |p|^2 would be lost in the rounding of <p, x>.
    top, total = largest(values), 0.0
    for i in range(values.size):
        total += weights[i] * (values[i] - top) - 0.5 * decision.mu * weights[i] * weights[i]
    return top + total


@influence.of(Nesterov)
def nesterov_weights(decision, values, weights):
    project(values, 1.0 / decision.mu, weights)


@problem_with.of(Nesterov)
def mu_problem(decision):
    return _unless_positive("mu", decision.mu, "0.5")


@helper
def project(values, slope, weights):
    """The point of the simplex nearest to ``slope * values``: (slope x_i - theta)+, summing to one.

    Theta rises until no component below it is counted (Michelot 1986), in two or three passes as a rule,
    where sorting would cost K log K.
    """
    top, size = largest(values), values.size
    theta, kept = -np.inf, size + 1
    while True:
        total, above = 0.0, 0
        for i in range(size):
            x = slope * (values[i] - top)
            inside = x > theta
            total += x if inside else 0.0
            above += 1 if inside else 0
        if above >= kept:  # rounding may let one back in: that is the end, not a reason to go round again
            break
        kept, theta = above, (total - 1.0) / above
    for i in range(size):
        weights[i] = max(slope * (values[i] - top) - theta, 0.0)


# -- EntMax --------------------------------------------------------------------------------------


class EntMax(NamedTuple):
    """max over the simplex of <p, x> - mu/(alpha (alpha-1)) sum p^alpha (Tsallis smoothing).

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
    return _unless_positive("mu", decision.mu, "0.1")


# -- PairwiseSoftplus ----------------------------------------------------------------------------


class PairwiseSoftplus(NamedTuple):
    """Neighbours merged by m(a, b) = (a+b)/2 + sqrt(((a-b)/2)^2 + delta^2), level by level.

    The derivative of m in a is 1/2 + (a-b) / (4 sqrt(...)).  The paper prints 2 for the 4, which gives
    weights below 0 and above 1.
    """

    delta: float = 0.1
    printed: bool = False


@helper
def merge_pairs(decision, values, weights):
    """Merge level by level in place: node i of level l lives at place i 2^l, and the derivative of each
    merger in its left side takes the place of its right side.  An odd one out is carried up by itself.
    """
    size, step = values.size, 1
    for i in range(size):
        weights[i] = values[i]
    share = 1.0 if decision.printed else 0.5
    while step < size:
        for i in range(0, size - step, 2 * step):
            left, right = weights[i], weights[i + step]
            half = 0.5 * (left - right)
            root = math.sqrt(half * half + decision.delta * decision.delta)
            weights[i] = right + half + root
            weights[i + step] = 0.5 + share * half / root
        step *= 2
    return step


@value.of(PairwiseSoftplus)
def pairwise_softplus(decision, values, weights):
    merge_pairs(decision, values, weights)
    return weights[0]


@influence.of(PairwiseSoftplus)
def softplus_weights(decision, values, weights):
    step = merge_pairs(decision, values, weights)
    weights[0] = 1.0
    while step > 1:
        step //= 2
        for i in range(0, values.size - step, 2 * step):
            slope = weights[i + step]
            weights[i + step] = weights[i] * (1.0 - slope)
            weights[i] *= slope


@problem_with.of(PairwiseSoftplus)
def delta_problem(decision):
    return _unless_positive("delta", decision.delta, "0.1")


# -- PowerMean -----------------------------------------------------------------------------------


class PowerMean(NamedTuple):
    """(mean of x^p)^(1/p).  Unless every value is positive they are shifted by their minimum less 1e-8.

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


def _unless_positive(name: str, given: float, example: str) -> str:
    return "" if 0.0 < given < np.inf else f"{name} is {given}: write a positive number, such as {example}"
