"""MDP-NaS (Al Marjani, Garivier and Proutiere 2021) and its posterior-sampling variant.

In a model with values V, greedy policy pi and gaps Delta(s, a) = V(s) - Q(s, a), let var and sp be the
variance and the span of V after a pair, and sample in the proportions omega that minimise

    max_{a != pi(s)} H(s, a) / omega(s, a)  +  max_s c / omega(s, pi(s))     subject to navigation,

    H = 2 / Delta^2 + max(16 var / Delta^2, 6 sp^(4/3) / Delta^(4/3)),
    c = 2 / (Dmin^2 (1-gamma)^2) + min(27 / (Dmin^2 (1-gamma)^3),
        max(16 var_max / (Dmin^2 (1-gamma)^2), 6 sp_max^(4/3) / (Dmin^(4/3) (1-gamma)^(4/3)))),

maxima over greedy pairs.  The model is the posterior mean, or with ``sampling`` one draw of the posterior.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..worlds.solve import Dense, Solution, backup, iterate_policy, make_dense, make_solution
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
from .loop import act, continuing_only, learn, prepare, report, settings_problem
from .psrl import draw_model, mean_model

PRIOR = 0.5  # weight on each successor and on each of reward 0 and 1


class MDPNaS(NamedTuple):
    """MDP-NaS.  The paper states a ``period`` of 200; in the baselines' program it grows to 4 % of the budget."""

    sampling: bool = False  # True: PS-MDP-NaS
    period: int = 200
    growing: bool = True
    program_exponents: bool = False  # Delta^4 / 3 for Delta^(4/3) and sp for sp^(4/3) in c, as that program has it
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


class Proportions(NamedTuple):
    model: Dense
    greedy: Solution  # of the posterior mean: what is reported
    drawn: Solution  # of the model that the allocation is for
    allocator: Allocator
    schedule: Schedule
    noise: np.ndarray  # [2, S, A] variance and span of V after a pair


@prepare.of(MDPNaS)
def make_proportions(algorithm, task):
    num_states, num_actions = task.discounts.size, task.num_actions
    return Proportions(
        make_dense(num_states, num_actions),
        make_solution(num_states),
        make_solution(num_states),
        make_allocator(num_states, num_actions),
        make_schedule(num_states, num_actions, algorithm.period),
        np.zeros((2, num_states, num_actions)),
    )


@act.of(MDPNaS)
def draw_proportion(algorithm, memory, task, seen, s, t, rng):
    a = allocated_action(memory.schedule, memory.allocator.weights, seen, s, algorithm.least, rng)
    return a if a < task.widths[s] else 0  # which it repeats


@learn.of(MDPNaS)
def allocate_again(algorithm, memory, task, seen, step, rng):
    solves, allocates = step.t % algorithm.period == 0, is_due(memory.schedule, seen, step, False)
    if solves or (allocates and not algorithm.sampling):
        mean_model(seen, PRIOR, memory.model, task)
    if solves:
        iterate_policy(memory.model, task.discounts, task.num_actions, memory.greedy)
    if allocates:
        if algorithm.sampling:
            draw_model(seen, PRIOR, memory.model, task, rng)
        iterate_policy(memory.model, task.discounts, task.num_actions, memory.drawn)
        q = set_bounds(
            algorithm.program_exponents, memory.model, memory.drawn, memory.noise, memory.allocator.bounds, task
        )
        allocate(memory.allocator, memory.model.transitions, q)
        if algorithm.growing:
            lengthen(memory.schedule, algorithm.period, step.t, task.budget)


@report.of(MDPNaS)
def mean_policy(algorithm, memory, task, seen, policy, rng):
    for s in range(policy.size):
        policy[s] = memory.greedy.policy[s]


@helper(apart=True)
def measure_noise(model, values, noise):
    """Variance and span of V after every pair."""
    low, high = values[0], values[0]
    for s in range(values.size):
        low, high = min(low, values[s]), max(high, values[s])
    for s in range(values.size):
        for a in range(model.rewards.shape[1]):
            mean, spread, row = 0.0, 0.0, model.transitions[s, a]
            for t in range(values.size):
                mean += row[t] * values[t]
            for t in range(values.size):
                spread += row[t] * (values[t] - mean) * (values[t] - mean)
            noise[0, s, a], noise[1, s, a] = spread, max(high - mean, mean - low)


@helper(apart=True)
def set_bounds(program, model, solution, noise, bounds, task):
    """Fill H and c; returns a q to start from, the minimiser of sum H / q + S c / (1 - q)."""
    policy, values = solution.policy, solution.values
    num_actions, rest = task.num_actions, 1.0 - task.discount
    measure_noise(model, values, noise)
    least, var_max, span_max, total = np.inf, 0.0, 0.0, 0.0
    for s in range(values.size):
        var_max = max(var_max, noise[0, s, policy[s]])
        span_max = max(span_max, noise[1, s, policy[s]])
        for a in range(num_actions):
            if a >= task.widths[s]:
                bounds.weight[s * num_actions + a], bounds.pole[s * num_actions + a] = 0.0, -1.0
            elif a != policy[s]:
                gap = values[s] - backup(model, s, a, task.discounts[s], values)
                squared = max(gap * gap, 1e-32)
                least = min(least, squared)
                power = squared * squared / 3.0 if program else squared ** (2.0 / 3.0)
                wide = 6.0 * noise[1, s, a] ** (4.0 / 3.0) / power
                j = s * num_actions + a
                bounds.weight[j] = 2.0 / squared + max(16.0 * noise[0, s, a] / squared, wide)
                bounds.pole[j] = 0.0
                total += bounds.weight[j]
    power = least * least / 3.0 if program else least ** (2.0 / 3.0)
    span = span_max if program else span_max ** (4.0 / 3.0)
    wide = max(16.0 * var_max / (least * rest * rest), 6.0 * span / (power * rest ** (4.0 / 3.0)))
    c = 2.0 / (least * rest * rest) + min(27.0 / (least * rest**3), wide)
    for s in range(values.size):
        bounds.weight[s * num_actions + policy[s]] = -c
        bounds.pole[s * num_actions + policy[s]] = 1.0
    bounds.limit[0] = 1.0
    return 1.0 / (1.0 + math.sqrt(values.size * c / total))


@continuing_only.of(MDPNaS)
def needs_circulation(algorithm):
    return True


@problem_with.of(MDPNaS)
def period_problem(algorithm):
    return settings_problem(algorithm, "period")
