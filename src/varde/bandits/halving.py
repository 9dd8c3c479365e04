"""Sequential Halving (Karnin, Koren and Somekh 2013); the paper calls it Successive Halving, SH."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..random import shuffle
from .loop import begin, prepare, select, update
from .rejects import Survivors, make_survivors, revive, take_turn


class SequentialHalving(NamedTuple):
    """ceil(log2 K) rounds of T/rounds pulls shared by the survivors; the better half survives.

    A round is judged by its own samples, ties at random.  Survivors are pulled in turn rather than one after the
    other, which only affects the error in the middle of a round.  The last two share what is left.
    """


class Rounds(NamedTuple):
    survivors: Survivors
    sums: np.ndarray  # [K] reward of each arm in this round
    steps: np.ndarray  # [2] when this round ends; the pulls that a round may take


ENDS, LENGTH = 0, 1


@prepare.of(SequentialHalving)
def make_rounds(algorithm, num_arms):
    return Rounds(make_survivors(num_arms), np.zeros(num_arms), np.zeros(2, np.int64))


@begin.of(SequentialHalving)
def first_round(algorithm, memory, num_arms, budget):
    revive(memory.survivors)
    memory.sums.fill(0.0)
    rounds, size = 0, num_arms
    while size > 1:
        size = (size + 1) // 2
        rounds += 1
    memory.steps[LENGTH] = budget // rounds
    memory.steps[ENDS] = num_arms * max(1, memory.steps[LENGTH] // num_arms)


@helper
def keep_better_half(memory, rng):
    """Move the survivors with the higher sums to the front (Hoare's selection) and forget the rest.

    Shuffled first, so that ties are broken at random.
    """
    survivors, sums = memory.survivors, memory.sums
    alive, size = survivors.alive, survivors.num_alive[0]
    shuffle(alive, size, rng)
    kept = (size + 1) // 2
    low, high = 0, size - 1
    while low < high:
        pivot = sums[alive[(low + high) // 2]]
        i, j = low, high
        while i <= j:
            while sums[alive[i]] > pivot:
                i += 1
            while sums[alive[j]] < pivot:
                j -= 1
            if i <= j:
                alive[i], alive[j] = alive[j], alive[i]
                i += 1
                j -= 1
        if kept - 1 <= j:
            high = j
        elif kept - 1 >= i:
            low = i
        else:
            break
    survivors.num_alive[0] = kept
    sums.fill(0.0)


@select.of(SequentialHalving)
def halve_then_pull(algorithm, memory, arms, t, rng):
    survivors, steps = memory.survivors, memory.steps
    if t == steps[ENDS] and survivors.num_alive[0] > 2:
        keep_better_half(memory, rng)
        size = survivors.num_alive[0]
        steps[ENDS] += size * max(1, steps[LENGTH] // size)
    return take_turn(survivors)


@update.of(SequentialHalving)
def add_up(algorithm, memory, arms, arm, reward):
    memory.sums[arm] += reward
