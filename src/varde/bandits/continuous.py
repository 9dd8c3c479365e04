"""Continuous Rejects (Wang, Tzeng and Proutiere 2023): an arm leaves when its gap is large enough."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from .loop import begin, prepare, select, update
from .rejects import Survivors, drop, log_bar, lowest, make_survivors, revive, take_turn


class ContinuousRejects(NamedTuple):
    """Drop the lowest arm once its gap exceeds G = 1/sqrt(beta) - 1, with beta the share of the budget used,
    logbar(J) n(alive) / (T - n(dropped)), where J arms are alive.

    The gap is measured to the average of the other survivors (CR-A) or, if ``conservative``, to the lowest of them
    (CR-C).  An arm is dropped only with more pulls than every arm dropped before it.  With very many arms that makes
    the rule uniform; with ``strict=False`` as many pulls are enough.
    """

    conservative: bool = False
    strict: bool = True


class Race(NamedTuple):
    survivors: Survivors
    means: np.ndarray  # [K] as last summed up
    counts: np.ndarray  # [K] likewise
    total: np.ndarray  # [1] sum of the survivors' means
    pace: np.ndarray  # [1] logbar(J) / (T - n(dropped))
    pulls: np.ndarray  # [3] of all survivors; still to share among them; most of any dropped arm
    worst: np.ndarray  # [1] position of the lowest survivor, or UNKNOWN


ALIVE, SHARED, DROPPED = 0, 1, 2
UNKNOWN = -1


@prepare.of(ContinuousRejects)
def make_race(algorithm, num_arms):
    return Race(
        make_survivors(num_arms),
        np.zeros(num_arms),
        np.zeros(num_arms, np.int64),
        np.zeros(1),
        np.zeros(1),
        np.zeros(3, np.int64),
        np.zeros(1, np.int64),
    )


@begin.of(ContinuousRejects)
def start_race(algorithm, race, num_arms, budget):
    revive(race.survivors)
    race.means.fill(0.0)
    race.counts.fill(0)
    race.total[0] = 0.0
    race.pace[0] = log_bar(num_arms) / budget
    race.pulls[ALIVE], race.pulls[SHARED], race.pulls[DROPPED] = 0, budget, 0
    race.worst[0] = UNKNOWN


@update.of(ContinuousRejects)
def sum_up(algorithm, race, arms, arm, reward):
    mean = arms.means[arm]
    change = mean - race.means[arm]
    race.means[arm] = mean
    race.total[0] += change
    race.pulls[ALIVE] += arms.counts[arm] - race.counts[arm]
    race.counts[arm] = arms.counts[arm]
    if race.worst[0] != UNKNOWN:
        low = race.survivors.alive[race.worst[0]]
        if (arm == low and change > 0.0) or (arm != low and mean <= arms.means[low]):
            race.worst[0] = UNKNOWN


@helper
def next_lowest(survivors, arms, worst):
    """The lowest mean among the survivors other than the one at position ``worst``."""
    low = np.inf
    for i in range(survivors.num_alive[0]):
        if i != worst:
            low = min(low, arms.means[survivors.alive[i]])
    return low


@helper
def leaves(algorithm, race, arms):
    """Whether the lowest survivor drops out now."""
    survivors, worst = race.survivors, race.worst[0]
    arm, others = survivors.alive[worst], survivors.num_alive[0] - 1
    margin = arms.counts[arm] - race.pulls[DROPPED]
    if margin < 0 or (margin == 0 and algorithm.strict):
        return False
    enough = 1.0 / math.sqrt(race.pace[0] * race.pulls[ALIVE]) - 1.0
    mean = arms.means[arm]
    gap = (race.total[0] - mean) / others - mean
    # The lowest of the others is not above their average: look for it only if the average would do.
    if algorithm.conservative and gap > enough:
        gap = next_lowest(survivors, arms, worst) - mean
    return gap > enough


@helper
def let_go(race, arms, position):
    """Drop the survivor at ``position``, and its share of the budget."""
    survivors, pulls = race.survivors, race.pulls
    arm = survivors.alive[position]
    drop(survivors, position)
    race.worst[0] = UNKNOWN
    race.total[0] -= arms.means[arm]
    pulls[ALIVE] -= arms.counts[arm]
    pulls[SHARED] -= arms.counts[arm]
    pulls[DROPPED] = max(pulls[DROPPED], arms.counts[arm])
    race.pace[0] = log_bar(survivors.num_alive[0]) / pulls[SHARED]


@select.of(ContinuousRejects)
def reject_then_pull(algorithm, race, arms, t, rng):
    survivors = race.survivors
    if t >= arms.counts.size and survivors.num_alive[0] > 2:
        if race.worst[0] == UNKNOWN:
            race.worst[0] = lowest(survivors, arms)
        if leaves(algorithm, race, arms):
            let_go(race, arms, race.worst[0])
    return take_turn(survivors)
