"""Tabular Q-learning, and the algorithm that explores with a small probability.

    Q(s, a) <- (1 - alpha) Q(s, a) + alpha (r + gamma max_b Q(s', b)),    alpha = (H + 1) / (H + N(s, a)),

with H = 1 / (1 - gamma).  The first visit forgets the initial value, Q = H times the highest reward (``scale.py``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..arrays import first_largest, largest
from ..check import problem_with
from ..random import integer, uniform
from .loop import act, learn, needs_model, prepare, report, rescale, settings_problem
from .scale import first_scale, rescale_table


class EpsilonQ(NamedTuple):
    """Epsilon-greedy Q-learning: uniform with probability max(least, 1 / N(s)); the baselines use least = 0.001."""

    least: float = 1e-3


@helper
def horizon_of(task):
    return 1.0 / (1.0 - task.discount)


@helper
def learning_rate(horizon, count):
    return (horizon + 1.0) / (horizon + count)


@helper
def explores(seen, s, least, rng):
    """Whether to take a random action: always at the first visit of a state, then less and less."""
    return uniform(rng) < max(least, 1.0 / seen.visits[s])


@helper
def any_best(row, rng):
    """The index of a largest entry, each equally likely."""
    top, ties = largest(row), 0
    for a in range(row.size):
        ties += 1 if row[a] == top else 0
    skipped = integer(ties, rng) if ties > 1 else 0
    for a in range(row.size):
        if row[a] == top:
            if skipped == 0:
                return a
            skipped -= 1
    return 0


@helper
def report_table(table, task, policy, rng):
    for s in range(policy.size):
        policy[s] = any_best(table[s, : task.widths[s]], rng)


@helper
def best_value(table, task, s):
    """The largest value of the actions that a state has."""
    return largest(table[s, : task.widths[s]])


@prepare.of(EpsilonQ)
def optimistic_table(algorithm, task):
    """Q(s, a)."""
    return np.full((task.discounts.size, task.num_actions), first_scale(task).top * horizon_of(task))


@act.of(EpsilonQ)
def mostly_greedy(algorithm, q, task, seen, s, t, rng):
    if explores(seen, s, algorithm.least, rng):
        return integer(task.widths[s], rng)
    return first_largest(q[s, : task.widths[s]])


@learn.of(EpsilonQ)
def q_update(algorithm, q, task, seen, step, rng):
    s, a = step.state, step.action
    rate = learning_rate(horizon_of(task), seen.rewards.counts[s, a])
    target = step.reward + task.discounts[step.after] * best_value(q, task, step.after)
    q[s, a] = (1.0 - rate) * q[s, a] + rate * target


@rescale.of(EpsilonQ)
def rescale_values(algorithm, q, task, seen, before, now):
    rescale_table(q, seen, before, now, horizon_of(task))


@report.of(EpsilonQ)
def greedy_report(algorithm, q, task, seen, policy, rng):
    report_table(q, task, policy, rng)


@needs_model.of(EpsilonQ)
def model_free(algorithm):
    return False


@problem_with.of(EpsilonQ)
def epsilon_problem(algorithm):
    return settings_problem(algorithm)
