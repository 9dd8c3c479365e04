"""When MDP-NaS and O-BPI compute their allocation again, and how they act on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..random import roulette


class Schedule(NamedTuple):
    period: np.ndarray  # [1] steps between computations
    doubled: np.ndarray  # [S, A] N(s, a) at the last doubling
    shares: np.ndarray  # [A] of the actions of a state


def make_schedule(num_states: int, num_actions: int, period: int) -> Schedule:
    doubled = np.zeros((num_states, num_actions), np.int64)
    return Schedule(np.full(1, period, np.int64), doubled, np.zeros(num_actions))


@helper
def is_due(schedule, seen, step, whole):
    """At every period, and when the visits of the pair just used have doubled.

    ``whole``: a doubling resets the reference of every pair, not only of this one.
    """
    s, a, doubled, counts = step.state, step.action, schedule.doubled, seen.rewards.counts
    if counts[s, a] < 2 * doubled[s, a]:
        return step.t % schedule.period[0] == 0
    if whole:
        for i in range(doubled.shape[0]):
            for j in range(doubled.shape[1]):
                doubled[i, j] = counts[i, j]
    doubled[s, a] = counts[s, a]
    return True


@helper
def lengthen(schedule, base, t, budget):
    """The period grows with time: max(base, 0.08 t), at most 0.04 of the budget if there is one."""
    longer = max(base, int(0.08 * t))
    schedule.period[0] = max(1, min(int(0.04 * budget), longer)) if budget > 0 else longer


@helper
def allocated_action(schedule, weights, seen, s, least, rng):
    """Draw from (1 - eps) omega(s, .) + eps / (S A), the *joint* weights, normalised over the actions of s.

    Where omega(s, .) is small, this explores far more than with probability eps.
    """
    eps, shares, total = max(least, 1.0 / seen.visits[s]), schedule.shares, 0.0
    for a in range(shares.size):
        shares[a] = (1.0 - eps) * weights[s, a] + eps / weights.size
        total += shares[a]
    return roulette(shares, total, rng)
