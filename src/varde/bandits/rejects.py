"""Successive Rejects (Audibert, Bubeck and Munos 2010), and code shared by the rejecting rules."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from .loop import begin, prepare, select


class Survivors(NamedTuple):
    """The arms still in play, in order of index, and whose turn it is.

    Pulling the survivor with the fewest pulls, the lowest index on ties, means going round this list: those
    before the turn have one pull more than the others.
    """

    alive: np.ndarray  # [K] of which the first ``num_alive[0]`` count
    num_alive: np.ndarray  # [1]
    turn: np.ndarray  # [1] a position in ``alive``


def make_survivors(num_arms: int) -> Survivors:
    return Survivors(np.zeros(num_arms, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))


@helper
def revive(survivors):
    """Bring all arms back."""
    for i in range(survivors.alive.size):
        survivors.alive[i] = i
    survivors.num_alive[0] = survivors.alive.size
    survivors.turn[0] = 0


@helper
def whose_turn(survivors):
    """The survivor with the fewest pulls."""
    return survivors.alive[survivors.turn[0]]


@helper
def take_turn(survivors):
    """The survivor with the fewest pulls; the turn passes on."""
    arm = whose_turn(survivors)
    following = survivors.turn[0] + 1
    survivors.turn[0] = following if following < survivors.num_alive[0] else 0
    return arm


@helper
def drop(survivors, position):
    """Take the arm at ``position`` out of the list."""
    size = survivors.num_alive[0] - 1
    for i in range(position, size):
        survivors.alive[i] = survivors.alive[i + 1]
    turn = survivors.turn[0]
    turn = turn - 1 if turn > position else turn
    survivors.num_alive[0] = size
    survivors.turn[0] = turn if turn < size else 0


@helper
def lowest(survivors, arms):
    """The position of the survivor with the lowest mean, the lowest index on ties."""
    worst, low = 0, np.inf
    for i in range(survivors.num_alive[0]):
        mean = arms.means[survivors.alive[i]]
        worst = i if mean < low else worst
        low = min(low, mean)
    return worst


@helper
def log_bar(size):
    """1/2 + 1/2 + 1/3 + ... + 1/K."""
    total = 0.5
    for j in range(2, size + 1):
        total += 1.0 / j
    return total


class SuccessiveRejects(NamedTuple):
    """The worst arm leaves whenever each of the J survivors has T / (logbar(K) J) pulls.

    Published with T - K for T, which the rows of the VarDE paper do not fit.
    """


class Phases(NamedTuple):
    survivors: Survivors
    quota: np.ndarray  # [1] T / logbar(K)


@prepare.of(SuccessiveRejects)
def make_phases(algorithm, num_arms):
    return Phases(make_survivors(num_arms), np.zeros(1))


@begin.of(SuccessiveRejects)
def first_phase(algorithm, memory, num_arms, budget):
    revive(memory.survivors)
    memory.quota[0] = budget / log_bar(num_arms)


@select.of(SuccessiveRejects)
def reject_then_pull(algorithm, memory, arms, t, rng):
    survivors = memory.survivors
    size, fewest = survivors.num_alive[0], arms.counts[whose_turn(survivors)]
    if size > 2 and fewest * size >= memory.quota[0] and t >= arms.counts.size:
        drop(survivors, lowest(survivors, arms))
    return take_turn(survivors)
