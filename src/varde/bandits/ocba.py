"""Optimal Computing Budget Allocation (Chen, Lin, Yucesan and Chick 2000), one pull at a time.

With b the arm of the highest mean, d_i its lead over arm i and s_i^2 the variances, the optimal
allocation satisfies

    N_i / (s_i / d_i)^2 equal for all i != b,      (N_b / s_b)^2 = sum over i != b of (N_i / s_i)^2.

Each pull corrects the condition that is violated: the leader if its left side is too small, otherwise the
rival whose ratio is smallest (Chen and Ryzhov 2023 analyse this balancing form).  Variances are M2/(n-1)
with a floor, after the same warm start as VarDE.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..check import problem_with
from ..moments import variance
from .loop import prepare, recommend, select, update


class OCBA(NamedTuple):
    """Optimal computing budget allocation: balance the leader against its rivals, and the rivals against each other."""

    floor: float = 0.01  # variance floor
    warm_start: int = 2


class Balance(NamedTuple):
    precisions: np.ndarray  # [K] N / s^2
    squares: np.ndarray  # [K] (N / s)^2


@prepare.of(OCBA)
def make_balance(algorithm, num_arms):
    return Balance(np.zeros(num_arms), np.zeros(num_arms))


@update.of(OCBA)
def weigh(algorithm, balance, arms, arm, reward):
    precision = arms.counts[arm] / max(variance(arms, arm, 1), algorithm.floor)
    balance.precisions[arm] = precision
    balance.squares[arm] = precision * arms.counts[arm]


@select.of(OCBA)
def most_starved(algorithm, balance, arms, t, rng):
    size = arms.counts.size
    if t < algorithm.warm_start * size:
        return t % size
    leader = recommend(algorithm, balance, arms)
    top = arms.means[leader]
    total, least, chosen = 0.0, np.inf, leader
    for i in range(size):
        total += balance.squares[i]
        lead = top - arms.means[i]
        ratio = balance.precisions[i] * lead * lead
        starved = ratio < least and i != leader
        least = ratio if starved else least
        chosen = i if starved else chosen
    mine = balance.squares[leader]
    return leader if mine < total - mine else chosen


@problem_with.of(OCBA)
def floor_problem(algorithm):
    if not 0.0 < algorithm.floor < np.inf:
        return f"floor is {algorithm.floor}: write a positive variance, such as 0.01"
    return ""
