"""Policy iteration in K worlds, or one policy evaluated in each: one loop on the sparse solver of ``rows.py``.

A world differs from the model of the data by a share of every pair that leads to another successor.  Its chain is
written without steps that stay in place: divided by 1 - gamma P(s|s), the equations of a state that is hard to leave
are as well-conditioned as the others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper, kernel
from ..rows import Chain, largest_size, make_chain, solve

MARGIN = 1e-10  # of the largest value: an action is changed for one that is better by more
ROUNDS = 50  # of policy iteration
ITERATIONS, RESTARTS = 400, 4  # of the solver
PASSES = 300.0  # over the entries of a chain, about, that a world takes


class Worlds(NamedTuple):
    """K worlds as columns: with a share x, a pair leads to another successor than those of the model."""

    discount: float
    first: np.ndarray  # [S + 1] the pairs of a state
    rows: np.ndarray  # [P + 1] the outcomes of a pair
    to: np.ndarray  # [E] S is the end
    likely: np.ndarray  # [E] how likely an outcome of its pair is in the model
    shares: np.ndarray  # [K, P] x
    others: np.ndarray  # [K, P] that successor; S is the end


class Policies(NamedTuple):
    """A policy of each world, and its values; both are overwritten."""

    rewards: np.ndarray  # [K, P]
    pairs: np.ndarray  # [K, S]
    values: np.ndarray  # [K, S]


class Desk(NamedTuple):
    """Room to work in."""

    chain: Chain
    right: np.ndarray  # [S]
    solver: np.ndarray  # [5, S]


@helper(apart=True)
def fill_world(worlds, policies, k, size, desk):
    """gamma P of the policy of world k without steps that stay in place, and what it pays on the right."""
    chain, shares, others, j = desk.chain, worlds.shares[k], worlds.others[k], 0
    for s in range(size):
        chain.first[s] = j
        p = policies.pairs[k, s]
        usual, stays = worlds.discount * (1.0 - shares[p]), 0.0
        for o in range(worlds.rows[p], worlds.rows[p + 1]):
            if worlds.to[o] == s:
                stays += usual * worlds.likely[o]
            elif worlds.to[o] < size:
                chain.to[j], chain.share[j] = worlds.to[o], usual * worlds.likely[o]
                j += 1
        if shares[p] > 0.0 and others[p] == s:
            stays += worlds.discount * shares[p]
        elif shares[p] > 0.0 and others[p] < size:
            chain.to[j], chain.share[j] = others[p], worlds.discount * shares[p]
            j += 1
        for o in range(chain.first[s], j):
            chain.share[o] /= 1.0 - stays
        desk.right[s] = policies.rewards[k, p] / (1.0 - stays)
    chain.first[size] = j


@helper(apart=True)
def solve_world(values, size, desk, close):
    """To a residual of ``close``, relative to the right side and to what rounding leaves of the solution."""
    top = largest_size(desk.right, size) + 1e-300
    solve(desk.chain, size, 1.0, values, desk.right, close * top, ITERATIONS, desk.solver)
    for _ in range(RESTARTS):
        slack = 10.0 * close * (top + 1e-3 * largest_size(values, size))
        if solve(desk.chain, size, 1.0, values, desk.right, slack, ITERATIONS, desk.solver) <= 1.0:
            break


@helper
def worth_in_world(worlds, rewards, values, k, p, size):
    """Q of a pair in world k."""
    total, share, other = 0.0, worlds.shares[k, p], worlds.others[k, p]
    for o in range(worlds.rows[p], worlds.rows[p + 1]):
        if worlds.to[o] < size:
            total += worlds.likely[o] * values[worlds.to[o]]
    total *= 1.0 - share
    if other < size:
        total += share * values[other]
    return rewards[p] + worlds.discount * total


@helper(apart=True)
def improve_in_world(worlds, policies, k, size, scale):
    """Make the policy of world k greedy in its values, the first action on ties; returns whether it changed."""
    rewards, pairs, values, changed = policies.rewards[k], policies.pairs[k], policies.values[k], False
    margin = MARGIN * max(scale, largest_size(values, size), 1e-300)
    for s in range(size):
        own = pairs[s]
        best = worth_in_world(worlds, rewards, values, k, own, size) + margin
        for p in range(worlds.first[s], worlds.first[s + 1]):
            if p != own:
                value = worth_in_world(worlds, rewards, values, k, p, size)
                if value > best:
                    best, pairs[s], changed = value, p, True
    return changed


@kernel
def solve_worlds(worlds, policies, desk, close, improved, scale):
    """The values of the policy of each world; with ``improved``, of the best one, which takes its place."""
    size = desk.right.size
    for k in range(policies.pairs.shape[0]):
        for _ in range(ROUNDS):
            fill_world(worlds, policies, k, size, desk)
            solve_world(policies.values[k], size, desk, close)
            if not improved or not improve_in_world(worlds, policies, k, size, scale):
                break


def policy_values(
    worlds: Worlds, rewards: np.ndarray, pairs: np.ndarray, guess: np.ndarray, close: float
) -> np.ndarray:
    """[S, K] the values of the policy ``pairs [S, K]`` with ``rewards [P, K]``, from a ``guess [S, K]``."""
    return _solved(worlds, rewards, pairs, guess, close, False, 0.0)[1]


def best_policies(
    worlds: Worlds, rewards: np.ndarray, pairs: np.ndarray, scale: float, close: float
) -> tuple[np.ndarray, np.ndarray]:
    """[S, K] the best policies, from ``pairs`` on, and their values, which are about ``scale``."""
    return _solved(worlds, rewards, pairs, np.zeros(pairs.shape), close, True, scale)


def _solved(
    worlds: Worlds, rewards: np.ndarray, pairs: np.ndarray, values: np.ndarray, close: float, best: bool, scale: float
) -> tuple[np.ndarray, np.ndarray]:
    columns = Policies(*(np.array(given.T, order="C") for given in (rewards, pairs, values)))
    (draws, size), widest = columns.pairs.shape, int(np.diff(worlds.rows).max()) + 1
    desk = Desk(make_chain(size, size * widest), np.zeros(size), np.zeros((5, size)))
    solve_worlds.sized(PASSES * draws * size, worlds, columns, desk, float(close), bool(best), float(scale))
    return np.array(columns.pairs.T, order="C"), np.array(columns.values.T, order="C")
