"""The maximum smoothed by a square (Nesterov 2005)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..arrays import largest
from ..check import problem_with, unless_positive
from .decision import influence, value


class Nesterov(NamedTuple):
    """Quadratic smoothing of the maximum: max over the simplex of ``<p, x> - mu/2 |p|^2``; projects x / mu on it."""

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
    return unless_positive("mu", decision.mu, "0.5")


@helper
def project(values: np.ndarray, slope: float, weights: np.ndarray) -> None:
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
