"""The plain average: every component matters equally."""

from __future__ import annotations

from typing import NamedTuple

from .decision import influence, log_influence, separable, value


class Average(NamedTuple):
    """The plain average.  With it the rule uses variances only: the ablation Var-Only."""


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
