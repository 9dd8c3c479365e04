"""EB-TCI (Jourdan, Degenne, Baudry, de Heide and Kaufmann 2022): a top-two rule without posterior draws.

The leader b is the empirical best.  The challenger is the arm with the lowest transportation cost, penalised by the
number of its pulls ("transportation costs, improved"):

    W_j + log N_j,      W_j = (m_b - m_j)^2 / (2 (s_b^2 / N_b + s_j^2 / N_j))

With probability ``leader`` the leader is pulled, otherwise the challenger.  The variances are plugged in (Jourdan,
Degenne and Kaufmann 2023 compare that with costs of their own), with the floor of the other baselines.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..arrays import first_largest
from ..check import problem_with
from ..moments import variance
from ..random import uniform
from .loop import prepare, select, update


class EBTCI(NamedTuple):
    """A top-two rule: pull the empirical best arm or its cheapest challenger."""

    leader: float = 0.5  # probability of pulling the first
    floor: float = 0.01  # variance floor
    warm_start: int = 2


@prepare.of(EBTCI)
def make_errors(algorithm, num_arms):
    """The variance of each mean."""
    return np.zeros(num_arms)


@update.of(EBTCI)
def narrow(algorithm, errors, arms, arm, reward):
    errors[arm] = max(variance(arms, arm, 1), algorithm.floor) / arms.counts[arm]


@select.of(EBTCI)
def best_or_challenger(algorithm, errors, arms, t, rng):
    size = arms.counts.size
    if t < algorithm.warm_start * size:
        return t % size
    leader = first_largest(arms.means)
    if uniform(rng) < algorithm.leader:
        return leader
    cheapest, chosen = np.inf, leader
    for i in range(size):
        lead = arms.means[leader] - arms.means[i]
        cost = 0.5 * lead * lead / (errors[leader] + errors[i]) + math.log(arms.counts[i])
        if cost < cheapest and i != leader:
            cheapest, chosen = cost, i
    return chosen


@problem_with.of(EBTCI)
def ebtci_problem(algorithm):
    if not 0.0 <= algorithm.leader < 1.0:
        return f"leader is {algorithm.leader}: write a probability below 1, such as 0.5"
    if not 0.0 < algorithm.floor < np.inf:
        return f"floor is {algorithm.floor}: write a positive variance, such as 0.01"
    return ""
