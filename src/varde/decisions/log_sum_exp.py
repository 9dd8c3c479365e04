"""Log-sum-exp: the soft maximum of the paper."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..arrays import largest
from ..check import problem_with, unless_positive
from .decision import influence, log_influence, separable, value


class LogSumExp(NamedTuple):
    """The paper's soft maximum, tau log sum_i exp(x_i / tau), which becomes the maximum as tau -> 0."""

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
    return unless_positive("temperature", decision.temperature, "0.1")
