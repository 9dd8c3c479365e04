"""Agents that sample in proportions which a trajectory can keep (``allocation.py``): MDP-NaS, PS-MDP-NaS, O-BPI.

MDP-NaS (Al Marjani, Garivier and Proutiere 2021).  In a model with values V, greedy policy pi and gaps Delta(s, a) =
V(s) - Q(s, a), let var and sp be the variance and the span of V after a pair.  The proportions omega minimise

    max_{a != pi(s)} H(s, a) / omega(s, a)  +  max_s c / omega(s, pi(s))     subject to navigation,

    H = 2 / Delta^2 + max(16 var / Delta^2, 6 sp^(4/3) / Delta^(4/3)),
    c = 2 / (Dmin^2 (1-gamma)^2) + min(27 / (Dmin^2 (1-gamma)^3),
        max(16 var_max / (Dmin^2 (1-gamma)^2), 6 sp_max^(4/3) / (Dmin^(4/3) (1-gamma)^(4/3)))),

maxima over greedy pairs.  The model is the posterior mean, or with ``sampling`` one draw of the posterior.

O-BPI (Russo and Proutiere 2023) has a model only for navigation.  With Q and M learned as by one member of MF-BPI,
b(s) = argmax Q(s, .) and gaps Delta, both in the unit of rewards (``scale.py``), the proportions minimise

    max_{s, a != b} [ (2 + 8 phi^2 M(s, a)) / (Delta^2 omega(s, a))
                      + max_s' 4 max(1, 4 phi^2 M(s', b)) ((1+gamma) / (1-gamma))^2 / (Delta^2 omega(s', b)) ].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..random import roulette
from ..worlds.solve import Dense, Solution, backup, iterate_policy, make_dense, make_solution
from .allocation import Allocator, allocate, make_allocator
from .loop import act, continuing_only, learn, prepare, report, rescale, settings_problem
from .mf_bpi import PHI_SQUARED
from .psrl import draw_model, mean_model
from .q_learning import any_best, best_value, horizon_of, learning_rate, report_table
from .scale import first_scale, rescale_table, scale_of

PRIOR = 0.5  # of MDP-NaS: weight on each successor and on each of reward 0 and 1


class MDPNaS(NamedTuple):
    """MDP-NaS.  The paper states a ``period`` of 200; in the baselines' program it grows to 4 % of the budget."""

    sampling: bool = False  # True: PS-MDP-NaS
    period: int = 200
    growing: bool = True
    program_exponents: bool = False  # Delta^4 / 3 for Delta^(4/3) and sp for sp^(4/3) in c, as that program has it
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


class OBPI(NamedTuple):
    """O-BPI.  The paper states a ``period`` of 200; in the baselines' program it grows to 4 % of the budget."""

    moment: int = 1  # k: moments of order 2^k
    period: int = 200
    growing: bool = True
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


# -- when to compute it again, and how to act on it -------------------------------------------------


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


@act.of(MDPNaS, OBPI)
def draw_proportion(algorithm, memory, task, seen, s, t, rng):
    a = allocated_action(memory.schedule, memory.allocator.weights, seen, s, algorithm.least, rng)
    return a if a < task.widths[s] else 0  # which it repeats


@continuing_only.of(MDPNaS, OBPI)
def needs_circulation(algorithm):
    return True


@problem_with.of(MDPNaS)
def period_problem(algorithm):
    return settings_problem(algorithm, "period")


@problem_with.of(OBPI)
def bound_problem(algorithm):
    return settings_problem(algorithm, "moment", "period")


# -- MDP-NaS ---------------------------------------------------------------------------------------


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
        q = set_costs(
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
def set_costs(program, model, solution, noise, bounds, task):
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


# -- O-BPI -----------------------------------------------------------------------------------------


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
