"""UGapE, fixed budget (Gabillon, Ghavamzadeh and Lazaric 2012)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..check import problem_with
from ..tournament import Podium, best_besides, make_podium, put_pair, winner
from .loop import begin, prepare, select, update
from .ucbe import exploration_problem


class UGapE(NamedTuple):
    """Pull the arm with the best gap bound, or its strongest rival.

    U, L = mean +- sqrt(alpha / n); B_i = max over j != i of U_j, less L_i; J = argmin B, u = argmax over
    i != J of U.  Pull the one of the two with the wider interval, J on ties.
    """

    alpha: float = 2.0
    warm_start: int = 1


class Intervals(NamedTuple):
    upper: Podium
    lower: Podium
    lows: np.ndarray  # [K] L of each arm


@prepare.of(UGapE)
def make_bounds(algorithm, num_arms):
    return Intervals(make_podium(num_arms), make_podium(num_arms), np.zeros(num_arms))


@begin.of(UGapE)
def forget(algorithm, bounds, num_arms, budget):
    # Not yet pulled: surely neither the best above nor the best below.
    for i in range(num_arms):
        put_pair(bounds.upper, i, -np.inf)
        put_pair(bounds.lower, i, -np.inf)


@select.of(UGapE)
def wider_of_two(algorithm, bounds, arms, t, rng):
    size = arms.counts.size
    if t < algorithm.warm_start * size:
        return t % size
    top = winner(bounds.upper.first)
    second, rival_bound = best_besides(bounds.upper, top)
    # Every arm but the top one faces U_top, so the best of them is the one with the highest L.
    other, other_low = best_besides(bounds.lower, top)
    gap_top = rival_bound - bounds.lows[top]
    gap_other = bounds.upper.first.scores[1] - other_low
    beaten = (gap_other < gap_top) | ((gap_other == gap_top) & (other < top))
    leader = other if beaten else top
    challenger = top if beaten else second
    return leader if arms.counts[leader] <= arms.counts[challenger] else challenger


@update.of(UGapE)
def rebound(algorithm, bounds, arms, arm, reward):
    radius = math.sqrt(algorithm.alpha / arms.counts[arm])
    low = arms.means[arm] - radius
    bounds.lows[arm] = low
    put_pair(bounds.upper, arm, arms.means[arm] + radius)
    put_pair(bounds.lower, arm, low)


@problem_with.of(UGapE)
def ugape_problem(algorithm):
    return exploration_problem(algorithm)
