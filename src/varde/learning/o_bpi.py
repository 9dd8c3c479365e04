"""O-BPI (Russo and Proutiere 2023): Q-learning for the bound, a model only for navigation.

With Q and M learned as by one member of MF-BPI, b(s) = argmax Q(s, .) and gaps Delta, sample in the
proportions omega that minimise, subject to navigation,

    max_{s, a != b} [ (2 + 8 phi^2 M(s, a)) / (Delta^2 omega(s, a))
                      + max_s' 4 max(1, 4 phi^2 M(s', b)) ((1+gamma) / (1-gamma))^2 / (Delta^2 omega(s', b)) ],

Q and M in the unit of rewards (``scale.py``).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..worlds.solve import Dense, make_dense
from .allocation import (
    Allocator,
    Schedule,
    allocate,
    allocated_action,
    is_due,
    lengthen,
    make_allocator,
    make_schedule,
)
from .loop import act, continuing_only, learn, prepare, report, rescale, settings_problem
from .mf_bpi import PHI_SQUARED
from .psrl import mean_model
from .q_learning import any_best, best_value, horizon_of, learning_rate, report_table
from .scale import first_scale, rescale_table, scale_of


class OBPI(NamedTuple):
    """O-BPI.  The paper states a ``period`` of 200; in the baselines' program it grows to 4 % of the budget."""

    moment: int = 1  # k: moments of order 2^k
    period: int = 200
    growing: bool = True
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


class Bound(NamedTuple):
    q: np.ndarray  # [S, A]
    m: np.ndarray  # [S, A]
    best: np.ndarray  # [S] b(s)
    model: Dense
    allocator: Allocator
    schedule: Schedule


@prepare.of(OBPI)
def make_bound(algorithm, task):
    num_states, num_actions = task.discounts.size, task.num_actions
    return Bound(
        np.full((num_states, num_actions), first_scale(task).low * horizon_of(task)),
        np.zeros((num_states, num_actions)),
        np.zeros(num_states, np.int64),
        make_dense(num_states, num_actions),
        make_allocator(num_states, num_actions),
        make_schedule(num_states, num_actions, algorithm.period),
    )


@act.of(OBPI)
def draw_proportion(algorithm, memory, task, seen, s, t, rng):
    a = allocated_action(memory.schedule, memory.allocator.weights, seen, s, algorithm.least, rng)
    return a if a < task.widths[s] else 0  # which it repeats


@learn.of(OBPI)
def learn_bound(algorithm, memory, task, seen, step, rng):
    s, a, reward, after = step.state, step.action, step.reward, step.after
    q, m, discount = memory.q, memory.m, task.discounts[after]
    alpha = learning_rate(horizon_of(task), seen.rewards.counts[s, a])
    slower = alpha**1.1
    q[s, a] = (1.0 - alpha) * q[s, a] + alpha * (reward + discount * best_value(q, task, after))
    off = (reward + discount * best_value(q, task, after) - q[s, a]) / task.discount
    m[s, a] = (1.0 - slower) * m[s, a] + slower * off ** (2**algorithm.moment)
    if is_due(memory.schedule, seen, step, True):
        mean_model(seen, 1.0, memory.model, task)
        start = set_bounds(algorithm, memory, task, scale_of(task, seen).unit, rng)
        allocate(memory.allocator, memory.model.transitions, start)
        if algorithm.growing:
            lengthen(memory.schedule, algorithm.period, step.t, task.budget)


@report.of(OBPI)
def greedy_report(algorithm, memory, task, seen, policy, rng):
    report_table(memory.q, task, policy, rng)


@rescale.of(OBPI)
def rescale_bound(algorithm, memory, task, seen, before, now):
    rescale_table(memory.q, seen, before, now, horizon_of(task))
    for s in range(memory.m.shape[0]):
        for a in range(memory.m.shape[1]):
            memory.m[s, a] *= now.unit ** (2**algorithm.moment) if before.guessed else 1.0


@helper
def noise(algorithm, memory, s, a, unit):
    m = memory.m[s, a] if algorithm.moment == 1 else memory.m[s, a] ** (2.0 ** (1 - algorithm.moment))
    return m / (unit * unit)


@helper
def inverse_gap(memory, s, a, unit):
    """1 / Delta^2."""
    gap = (memory.q[s, memory.best[s]] - memory.q[s, a]) / unit
    return 1.0 / max(gap * gap, 1e-9)


@helper(apart=True)
def set_bounds(algorithm, memory, task, unit, rng):
    """nu >= A q / (q - d) with d = 1 / Delta^2, and nu >= C q for b; in q - max d.  Returns a q to start from."""
    bounds, num_states, num_actions = memory.allocator.bounds, memory.q.shape[0], memory.q.shape[1]
    top = 0.0
    for s in range(num_states):
        memory.best[s] = any_best(memory.q[s, : task.widths[s]], rng)
        for a in range(task.widths[s]):
            if a != memory.best[s]:
                top = max(top, inverse_gap(memory, s, a, unit))
    ratio = (1.0 + task.discount) / (1.0 - task.discount)
    falling, rising = 0.0, 0.0
    for s in range(num_states):
        for a in range(num_actions):
            j = s * num_actions + a
            if a >= task.widths[s]:
                bounds.slope[j], bounds.base[j], bounds.weight[j], bounds.pole[j] = 0.0, 0.0, 0.0, -1.0
            elif a == memory.best[s]:
                price = 4.0 * max(1.0, 4.0 * PHI_SQUARED * noise(algorithm, memory, s, a, unit)) * ratio * ratio
                bounds.slope[j], bounds.base[j], bounds.weight[j], bounds.pole[j] = price, price * top, 0.0, -1.0
                rising += price
            else:
                d = inverse_gap(memory, s, a, unit)
                cost = (2.0 + 8.0 * PHI_SQUARED * noise(algorithm, memory, s, a, unit)) * d
                bounds.slope[j], bounds.base[j], bounds.weight[j], bounds.pole[j] = 0.0, cost, cost * d, d - top
                falling += cost * d
    bounds.limit[0] = np.inf
    return math.sqrt(falling / rising)


@continuing_only.of(OBPI)
def needs_circulation(algorithm):
    return True


@problem_with.of(OBPI)
def bound_problem(algorithm):
    return settings_problem(algorithm, "moment", "period")
