"""Exact values of a tabular model: the reference for planning and for learned policies.

Over an infinite horizon the values of a policy satisfy (I - gamma P) V = R, one linear equation per state.  Discounts
are given per state: 0 marks a state in which the episode is over.  Policy iteration alternates this with greedy
improvement; an action changes only if the other is better by ``MARGIN`` of the largest value, since rounding would
otherwise let tied actions alternate for ever.  A model is any record with cases of ``equation`` and ``backup``: the
tables of ``record.World``, dense arrays, or what an agent has seen so far.

Over a finite horizon, by dynamic programming,

    Q_t(s, a) = R(s, a) + discount * sum_s' P(s' | s, a) V_{t+1}(s'),   V_H = 0,   V = 0 where the episode is over

with V_t = max_a Q_t for the best policy and V_t = mean_a Q_t for uniformly random play.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, kernel, verb
from ..check import real, some_numbers
from ..rows import eliminate
from .record import World, is_listed
from .table import Table

MARGIN = 1e-10


@verb
def equation(model, state, action, discount, row):
    """Subtract discount P(.|s, a) from ``row`` and return the expected reward; 0 where the episode is over."""


@verb
def backup(model, state, action, discount, values):
    """Expected reward plus discounted value of the successor; -inf for an action that is not to be taken."""


@equation.of(World)
def table_equation(model, state, action, discount, row):
    if action >= model.states.width[state]:
        return 0.0
    pair = model.states.first[state] + action
    for i in range(model.pairs.first[pair], model.pairs.first[pair] + model.pairs.outcomes[pair]):
        row[model.outcomes.successor[i]] -= discount * model.outcomes.chance[i]
    return model.pairs.expected[pair]


@backup.of(World)
def table_backup(model, state, action, discount, values):
    if action >= model.states.width[state]:
        return -np.inf
    pair, total = model.states.first[state] + action, 0.0
    for i in range(model.pairs.first[pair], model.pairs.first[pair] + model.pairs.outcomes[pair]):
        total += model.outcomes.chance[i] * values[model.outcomes.successor[i]]
    return model.pairs.expected[pair] + discount * total


class Dense(NamedTuple):
    """A model as full arrays."""

    transitions: np.ndarray  # [S, A, S]
    rewards: np.ndarray  # [S, A]


def make_dense(num_states: int, num_actions: int) -> Dense:
    return Dense(np.zeros((num_states, num_actions, num_states)), np.zeros((num_states, num_actions)))


@equation.of(Dense)
def dense_equation(model, state, action, discount, row):
    arrivals = model.transitions[state, action]
    for t in range(row.size):
        row[t] -= discount * arrivals[t]
    return model.rewards[state, action]


@backup.of(Dense)
def dense_backup(model, state, action, discount, values):
    arrivals, total = model.transitions[state, action], 0.0
    for t in range(values.size):
        total += arrivals[t] * values[t]
    return model.rewards[state, action] + discount * total


# -- policies ------------------------------------------------------------------------------------


class Solution(NamedTuple):
    """A policy, its values, and the arrays to compute them in."""

    policy: np.ndarray  # [S]
    values: np.ndarray  # [S] V of that policy
    matrix: np.ndarray  # [S, S + 1] I - gamma P, and the expected rewards


def make_solution(num_states: int) -> Solution:
    return Solution(np.zeros(num_states, np.int64), np.zeros(num_states), np.zeros((num_states, num_states + 1)))


@helper(apart=True)
def evaluate_policy(model, discounts, solution):
    """The values of ``solution.policy``."""
    size, matrix = discounts.size, solution.matrix
    for s in range(size):
        row = matrix[s, :size]
        for t in range(size):
            row[t] = 0.0
        row[s] = 1.0
        matrix[s, size] = equation(model, s, solution.policy[s], discounts[s], row)
    eliminate(matrix, size, size + 1)
    for s in range(size):
        solution.values[s] = matrix[s, size]


@helper
def margin_of(values):
    """By how much an action has to be better."""
    top = 0.0
    for s in range(values.size):
        top = max(top, abs(values[s]))
    return MARGIN * top


@helper(apart=True)
def improve_policy(model, discounts, num_actions, solution):
    """Make the policy greedy in its own values; returns whether an action changed."""
    changed, values, margin = False, solution.values, margin_of(solution.values)
    for s in range(discounts.size):
        before = solution.policy[s]
        present = backup(model, s, before, discounts[s], values)
        best, chosen = present + margin, before
        for a in range(num_actions):
            value = backup(model, s, a, discounts[s], values)
            if value > best:
                best, chosen = value, a
        solution.policy[s] = chosen
        changed = changed or chosen != before
    return changed


@helper(apart=True)
def iterate_policy(model, discounts, num_actions, solution):
    """The best policy and its values, starting from the policy in ``solution``; returns the sweeps it took."""
    for sweep in range(1000):  # a handful in practice; the margin makes cycles impossible but for rounding
        evaluate_policy(model, discounts, solution)
        if not improve_policy(model, discounts, num_actions, solution):
            return sweep + 1
    return 1000


@kernel
def _solve(model, discounts, num_actions, solution):
    return iterate_policy(model, discounts, num_actions, solution)


@kernel
def _evaluate(model, discounts, solution):
    evaluate_policy(model, discounts, solution)


def state_discounts(model: World, discount: float) -> np.ndarray:
    """``discount`` in every state, 0 where the episode is over."""
    return np.where(model.states["width"] > 0, float(discount), 0.0)


def best_policy(world: Table, discount: float) -> tuple[np.ndarray, np.ndarray]:
    """An optimal policy and its values, by policy iteration.

    >>> from varde.environments import river_swim
    >>> policy, values = best_policy(river_swim(5), 0.99)
    >>> policy.tolist(), round(float(values[0]), 4)
    ([1, 1, 1, 1, 1], 19.9171)
    """
    model, discounts = _checked(world, discount)
    solution = make_solution(discounts.size)
    _solve.sized(10.0 * discounts.size**3, model, discounts, int(model.states["width"].max()), solution)
    return solution.policy, solution.values


def policy_values(world: Table, policy: Any, discount: float) -> np.ndarray:
    """The value of every state under ``policy``, one action number per state, by solving S equations."""
    model, discounts = _checked(world, discount)
    solution = make_solution(discounts.size)
    chosen = some_numbers("policy", policy)
    if chosen.shape != (discounts.size,):
        raise ValueError(f"policy has {chosen.size} actions: write one for each of {discounts.size} states")
    legal = np.maximum(model.states["width"], 1)
    wrong = np.flatnonzero((chosen < 0) | (chosen >= legal) | (chosen != np.floor(chosen)))
    if wrong.size:
        s = int(wrong[0])
        raise ValueError(f"policy[{s}] is {chosen[s]:g}: write an action of state {s}, 0 to {legal[s] - 1}")
    solution.policy[:] = chosen
    _evaluate.sized(1.0 * discounts.size**3, model, discounts, solution)
    return solution.values


def _checked(world: Table, discount: float) -> tuple[World, np.ndarray]:
    if not isinstance(world, Table) or not is_listed(world.model):
        raise TypeError(f"a {type(world).__name__} has no tables to solve: write varde.tabulate(...) first")
    check_discount(discount)
    return world.model, state_discounts(world.model, discount)


def check_discount(discount: float) -> None:
    real("discount", discount, "a number above 0 and below 1, such as 0.99", lambda share: 0.0 < share < 1.0)


# -- over a finite horizon -------------------------------------------------------------------------


class Values(NamedTuple):
    """``values[t, s]`` with H - t steps to go, ``pairs[t, p]`` the same for a state and one of its actions."""

    values: np.ndarray  # [H + 1, S]
    pairs: np.ndarray  # [H, P]


def best_values(model: World, horizon: int, discount: float = 1.0) -> Values:
    """V* and Q*."""
    return _backward(model, horizon, discount, np.maximum.reduceat)


def uniform_values(model: World, horizon: int, discount: float = 1.0) -> Values:
    """The value of choosing every action with equal probability."""
    widths = model.states["width"][model.states["width"] > 0]

    def mean(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, starts) / widths

    return _backward(model, horizon, discount, mean)


def _backward(model: World, horizon: int, discount: float, gather) -> Values:
    alive = model.states["width"] > 0
    starts, chances, to = model.states["first"][alive], model.outcomes["chance"], model.outcomes["successor"]
    values = np.zeros((horizon + 1, alive.size))
    pairs = np.zeros((horizon, len(model.pairs)))
    if not alive.any():
        return Values(values, pairs)
    for t in range(horizon - 1, -1, -1):
        future = chances * values[t + 1, to]
        pairs[t] = model.pairs["expected"] + discount * np.add.reduceat(future, model.pairs["first"])
        values[t, alive] = gather(pairs[t], starts)
    return Values(values, pairs)
