"""UGapE, fixed budget (Gabillon, Ghavamzadeh and Lazaric 2012)."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..decisions import problem_with
from ..tournament import Tournament, best_besides, enter, make_tournament, play, put, score_of, winner
from .loop import prepare, select, update
from .ucbe import exploration_problem


class UGapE(NamedTuple):
    """Play the arm whose gap to the others is surely smallest against its strongest rival.

    U, L = mean +- sqrt(alpha / n); B_i = max over j != i of U_j, less L_i; J = argmin B, u = argmax over
    i != J of U.  Pull the one of the two with the wider interval, J on ties.
    """

    alpha: float = 2.0
    warm_start: int = 1


class Bounds(NamedTuple):
    upper: Tournament
    lower: Tournament


@prepare.of(UGapE)
def make_bounds(algorithm, num_arms):
    return Bounds(make_tournament(num_arms), make_tournament(num_arms))


@select.of(UGapE)
def wider_of_two(algorithm, bounds, arms, t, rng):
    size = arms.counts.size
    if t < algorithm.warm_start * size:
        return t % size
    upper, lower = bounds.upper, bounds.lower
    if t == algorithm.warm_start * size:
        play(upper)
        play(lower)
    top = winner(upper)
    second = best_besides(upper, top)
    # Every arm but the top one faces U_top, so the best of them is the one with the highest L.
    other = best_besides(lower, top)
    gap_top = score_of(upper, second) - score_of(lower, top)
    gap_other = score_of(upper, top) - score_of(lower, other)
    beaten = (gap_other < gap_top) | ((gap_other == gap_top) & (other < top))
    leader = other if beaten else top
    challenger = top if beaten else second
    return leader if arms.counts[leader] <= arms.counts[challenger] else challenger


@update.of(UGapE)
def rebound(algorithm, bounds, arms, arm, reward):
    radius = math.sqrt(algorithm.alpha / arms.counts[arm])
    high, low = arms.means[arm] + radius, arms.means[arm] - radius
    if arms.counts[arm] > algorithm.warm_start:
        put(bounds.upper, arm, high)
        put(bounds.lower, arm, low)
    else:
        enter(bounds.upper, arm, high)
        enter(bounds.lower, arm, low)


@problem_with.of(UGapE)
def ugape_problem(algorithm):
    return exploration_problem(algorithm)
