"""Top-two Thompson sampling (Russo 2020), Gaussian with estimated variances.

Each pull draws a mean for every arm from N(m_i, s_i^2 / n_i) and takes the arm with the highest draw, the
leader.  With probability ``leader`` it is pulled; otherwise draws are repeated until another arm comes
out on top.  After ``patience`` redraws without success, the runner-up of the last draw is pulled: late in a run
waiting for a challenger takes long and changes its distribution little.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..moments import variance
from ..random import normal, uniform
from .loop import prepare, select, update


class TopTwoThompson(NamedTuple):
    """Pull the best arm of a posterior draw, or the best of a redraw in which another arm is best."""

    leader: float = 0.5  # probability of pulling the first
    floor: float = 0.01  # variance floor
    warm_start: int = 2
    patience: int = 100


@prepare.of(TopTwoThompson)
def make_errors(algorithm, num_arms):
    """The standard error of each mean."""
    return np.zeros(num_arms)


@update.of(TopTwoThompson)
def narrow(algorithm, errors, arms, arm, reward):
    errors[arm] = math.sqrt(max(variance(arms, arm, 1), algorithm.floor) / arms.counts[arm])


@helper
def best_draw(errors, arms, besides, rng):
    """The arm on top of one posterior draw, and the best other than ``besides``."""
    top, other, highest, second = 0, 0, -np.inf, -np.inf
    for i in range(arms.means.size):
        draw = arms.means[i] + errors[i] * normal(rng)
        if draw > highest:
            highest, top = draw, i
        if draw > second and i != besides:
            second, other = draw, i
    return top, other


@select.of(TopTwoThompson)
def first_or_challenger(algorithm, errors, arms, t, rng):
    size = arms.counts.size
    if t < algorithm.warm_start * size:
        return t % size
    leader, _ = best_draw(errors, arms, -1, rng)
    if uniform(rng) < algorithm.leader:
        return leader
    top, other = leader, leader
    for _ in range(algorithm.patience):
        top, other = best_draw(errors, arms, leader, rng)
        if top != leader:
            break
    return other


@problem_with.of(TopTwoThompson)
def thompson_problem(algorithm):
    if not 0.0 <= algorithm.leader < 1.0:
        return f"leader is {algorithm.leader}: write a probability below 1, such as 0.5"
    if not 0.0 < algorithm.floor < np.inf:
        return f"floor is {algorithm.floor}: write a positive variance, such as 0.01"
    if not 1 <= algorithm.patience <= 10_000:
        return f"patience is {algorithm.patience}: write the most redraws, 1 to 10,000, such as 100"
    return ""
