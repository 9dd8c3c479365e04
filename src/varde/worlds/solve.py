"""Exact values of a tabular model over an infinite horizon: the reference for learned policies.

The values of a policy satisfy (I - gamma P) V = R, one linear equation per state.  Discounts are given per
state: 0 marks a state in which the episode is over.  Policy iteration alternates this with greedy
improvement; an action changes only if the other is better by ``MARGIN`` of the largest value, since
rounding would otherwise let tied actions alternate for ever.

A model is any record with cases of ``equation`` and ``backup``: the tables of ``table.MDP``, dense arrays, or
what an agent has seen so far.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, kernel, verb
from ..check import real, refuse_problem, some_numbers
from .table import MDP, Table

MARGIN = 1e-10


@verb
def equation(model, state, action, discount, row):
    """Subtract discount P(.|s, a) from ``row`` and return the expected reward."""


@verb
def backup(model, state, action, discount, values):
    """Expected reward plus discounted value of the successor; -inf for an action that is not to be taken."""


@equation.of(MDP)
def table_equation(model, state, action, discount, row):
    pair = model.pairs[state] + action
    for i in range(model.outcomes[pair], model.outcomes[pair + 1]):
        row[model.successors[i]] -= discount * model.probabilities[i]
    return model.means[pair]


@backup.of(MDP)
def table_backup(model, state, action, discount, values):
    pair = model.pairs[state] + action
    if pair >= model.pairs[state + 1]:
        return -np.inf
    total = 0.0
    for i in range(model.outcomes[pair], model.outcomes[pair + 1]):
        total += model.probabilities[i] * values[model.successors[i]]
    return model.means[pair] + discount * total


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


# -- linear equations ----------------------------------------------------------------------------


@helper(apart=True)
def eliminate(matrix, right):
    """Solve matrix x = right in place.  I - gamma P is diagonally dominant: no pivoting is needed.

    Factors of zero are skipped: a chain that moves to its neighbours costs S^2 rather than S^3.
    """
    size = right.size
    for i in range(size):
        inverse, row = 1.0 / matrix[i, i], matrix[i, i + 1 :]
        for k in range(i + 1, size):
            if matrix[k, i] != 0.0:
                factor, below = matrix[k, i] * inverse, matrix[k, i + 1 :]
                for c in range(row.size):
                    below[c] -= factor * row[c]
    for i in range(size):
        inverse, x = 1.0 / matrix[i, i], right[i]
        for k in range(i + 1, size):
            if matrix[k, i] != 0.0:
                right[k] -= matrix[k, i] * inverse * x
    for i in range(size - 1, -1, -1):
        x = right[i] / matrix[i, i]
        right[i] = x
        for k in range(i):
            right[k] -= matrix[k, i] * x


# -- policies ------------------------------------------------------------------------------------


class Solution(NamedTuple):
    """A policy, its values, and the arrays to compute them in."""

    policy: np.ndarray  # [S]
    values: np.ndarray  # [S] V of that policy
    matrix: np.ndarray  # [S, S]


def make_solution(num_states: int) -> Solution:
    return Solution(np.zeros(num_states, np.int64), np.zeros(num_states), np.zeros((num_states, num_states)))


@helper
def policy_matrix(model, discounts, policy, matrix, rewards):
    """Fill I - gamma P of a policy, and its expected rewards."""
    for s in range(discounts.size):
        row = matrix[s]
        for t in range(row.size):
            row[t] = 0.0
        row[s] = 1.0
        rewards[s] = equation(model, s, policy[s], discounts[s], row)


@helper(apart=True)
def evaluate_policy(model, discounts, solution):
    """The values of ``solution.policy``."""
    policy_matrix(model, discounts, solution.policy, solution.matrix, solution.values)
    eliminate(solution.matrix, solution.values)


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


def state_discounts(model: MDP, discount: float) -> np.ndarray:
    """``discount`` in every state, 0 where the episode is over."""
    return np.where(np.diff(model.pairs) > 0, float(discount), 0.0)


def closed(model: MDP) -> MDP:
    """The same model with an action in every state: one that stays, without reward, where there was none."""
    over = np.flatnonzero(np.diff(model.pairs) == 0)
    if not over.size:
        return model
    at, first = model.pairs[over], model.outcomes[model.pairs[over]]
    counts = np.insert(np.diff(model.outcomes), at, 1)
    pairs = np.diff(model.pairs)
    pairs[over] = 1
    return MDP(
        np.concatenate([[0], np.cumsum(pairs)]),
        np.concatenate([[0], np.cumsum(counts)]),
        np.insert(model.labels, at, 0),
        np.insert(model.means, at, 0.0),
        np.insert(model.successors, first, over),
        np.insert(model.probabilities, first, 1.0),
        np.insert(model.cumulative, first, 1.0),
        np.insert(model.rewards, first, 0.0),
        np.insert(model.deviations, first, 0.0),
        model.noise,
    )


def best_policy(world: Table | MDP, discount: float) -> tuple[np.ndarray, np.ndarray]:
    """An optimal policy and its values, by policy iteration.

    >>> from varde.environments import river_swim
    >>> policy, values = best_policy(river_swim(5), 0.99)
    >>> policy.tolist(), round(float(values[0]), 4)
    ([1, 1, 1, 1, 1], 19.9171)
    """
    model, discounts = _checked(world, discount)
    solution = make_solution(discounts.size)
    _solve.sized(10.0 * discounts.size**3, model, discounts, int(np.diff(model.pairs).max()), solution)
    return solution.policy, solution.values


def policy_values(world: Table | MDP, policy: Any, discount: float) -> np.ndarray:
    """The value of every state under ``policy``, one action number per state, by solving S equations."""
    model, discounts = _checked(world, discount)
    solution = make_solution(discounts.size)
    chosen = some_numbers("policy", policy)
    if chosen.shape != (discounts.size,):
        raise ValueError(f"policy has {chosen.size} actions: write one for each of {discounts.size} states")
    legal = np.maximum(np.diff(model.pairs), 1)
    wrong = np.flatnonzero((chosen < 0) | (chosen >= legal) | (chosen != np.floor(chosen)))
    if wrong.size:
        s = int(wrong[0])
        raise ValueError(f"policy[{s}] is {chosen[s]:g}: write an action of state {s}, 0 to {legal[s] - 1}")
    solution.policy[:] = chosen
    _evaluate.sized(1.0 * discounts.size**3, model, discounts, solution)
    return solution.values


def proximity(values: np.ndarray, best: np.ndarray) -> float:
    """1 - max |V* - V| / max V*: the paper's score of a policy, 1 for an optimal one."""
    return float(1.0 - np.abs(best - values).max() / best.max())


def _checked(world: Table | MDP, discount: float) -> tuple[MDP, np.ndarray]:
    model = world.model if isinstance(world, Table) else world
    if not isinstance(model, MDP):
        raise TypeError(f"a {type(world).__name__} has no tables to solve: write varde.tabulate(...) first")
    refuse_problem(model)
    check_discount(discount)
    return closed(model), state_discounts(model, discount)


def check_discount(discount: float) -> None:
    real("discount", discount, "a number above 0 and below 1, such as 0.99", lambda share: 0.0 < share < 1.0)
