"""MF-BPI (Russo and Proutiere 2023): a model-free bound on what to sample, from a bootstrapped ensemble.

Every member e keeps Q_e and M_e, an estimate of E[delta^(2^k)] with delta the deviation of the next state's
value.  At each step one level u is drawn, and the u-quantiles q and m over the members stand for Q and M in

    b(s) = argmax q(s, .),   D(s, a) = q(s, b) - q(s, a),   D_b = (1 - gamma) / (1 + gamma) min D(s', a),
    h(s, a) = (2 + 8 phi^2 m(s, a)) / D(s, a)^2,
    h(s, b) = sqrt(C / D_b^2  sum h(s', a) / S),   C = max_s max(4, 16 gamma^2 phi^2 m(s, b)),

where the minimum and the sum are over the pairs of *all* states with a != b(s'), and actions are drawn in proportion
to h(s, .), all in the unit of rewards (``scale.py``).
Quantiles are read from sorted copies: a step changes one pair.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..random import integer, roulette, shuffle, uniform
from .loop import act, begin, learn, needs_model, prepare, report, rescale, settings_problem
from .q_learning import best_value, explores, horizon_of, learning_rate, report_table
from .scale import first_scale, hoped, learned, rescale_table, scale_of

PHI_SQUARED = (3.0 + math.sqrt(5.0)) / 2.0  # of the golden ratio


class MFBPI(NamedTuple):
    """MF-BPI: an ensemble of ``members``, of which a ``share`` learns from each step."""

    moment: int = 1  # k: moments of order 2^k
    members: int = 50
    share: float = 0.7
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


class Ensemble(NamedTuple):
    q: np.ndarray  # [S, A, E]
    m: np.ndarray  # [S, A, E]
    trials: np.ndarray  # [S, A, E] steps that a member learned from
    sorted_q: np.ndarray  # [S, A, E]
    sorted_m: np.ndarray  # [S, A, E]
    reported: np.ndarray  # [S, A] an ordinary Q table
    members: np.ndarray  # [E] a permutation; the first of them learn
    rates: np.ndarray  # [2, T + 1] alpha_k and alpha_k^1.1
    row: np.ndarray  # [A] h(s, .)
    ranks: np.ndarray  # [E]


@prepare.of(MFBPI)
def make_ensemble(algorithm, task):
    num_states, num_actions, members = task.discounts.size, task.num_actions, algorithm.members
    cells = (num_states, num_actions, members)
    horizon, scale = horizon_of(task), first_scale(task)
    alpha, first = learning_rate(horizon, np.arange(task.budget + 1.0)), scale.low * horizon
    return Ensemble(
        np.zeros(cells),
        np.zeros(cells),
        np.zeros(cells, np.int64),
        np.zeros(cells),
        np.zeros(cells),
        np.full((num_states, num_actions), first + scale.unit * horizon / (num_states * num_actions)),
        np.arange(members),
        np.array([alpha, alpha**1.1]),
        np.zeros(num_actions),
        np.zeros(members, np.int64),
    )


@helper(apart=True)
def spread_evenly(cells, low, width, rng):
    """From ``low`` on in even steps, once for every pair, shuffled over all pairs and members."""
    flat, members = cells.reshape(cells.size), cells.shape[2]
    for i in range(flat.size):
        flat[i] = low + width * (i % members) / (members - 1.0)
    shuffle(flat, flat.size, rng)


@helper(apart=True)
def rank_sort(values, ranks, result):
    """Fill ``result`` with ``values`` in order.  Counting who is below whom takes E^2 steps without a branch,
    in vector code: at E = 50 three times as fast as insertion."""
    for i in range(values.size):
        x, rank = values[i], 0
        for j in range(i):
            rank += 1 if values[j] <= x else 0
        later = values[i + 1 :]
        for j in range(later.size):
            rank += 1 if later[j] < x else 0
        ranks[i] = rank
    for i in range(values.size):
        result[ranks[i]] = values[i]


@begin.of(MFBPI)
def start_spread(algorithm, memory, task, rng):
    horizon, scale = horizon_of(task), first_scale(task)
    spread_evenly(memory.q, scale.low * horizon, scale.unit * horizon, rng)
    spread_evenly(memory.m, 0.0, (scale.unit * horizon) ** (2**algorithm.moment), rng)
    sort_all(memory)


@helper(apart=True)
def sort_all(memory):
    for s in range(memory.q.shape[0]):
        for a in range(memory.q.shape[1]):
            rank_sort(memory.q[s, a], memory.ranks, memory.sorted_q[s, a])
            rank_sort(memory.m[s, a], memory.ranks, memory.sorted_m[s, a])


@rescale.of(MFBPI)
def rescale_ensemble(algorithm, memory, task, seen, before, now):
    horizon, order = horizon_of(task), 2**algorithm.moment
    rescale_table(memory.reported, seen, before, now, horizon)
    for s in range(memory.q.shape[0]):
        for a in range(memory.q.shape[1]):
            for e in range(algorithm.members):
                q = memory.q[s, a, e]
                if memory.trials[s, a, e] == 0:
                    memory.q[s, a, e] = hoped(q, before, now, horizon)
                    memory.m[s, a, e] *= (now.unit / before.unit) ** order
                else:
                    memory.q[s, a, e] = learned(q, before, now, horizon)
                    memory.m[s, a, e] *= now.unit**order if before.guessed else 1.0
    sort_all(memory)


@helper
def quantile(ordered, place, part):
    """Between entry ``place`` and the next."""
    return ordered[place] + part * (ordered[place + 1] - ordered[place])


@helper
def best_quantile(ordered, place, part):
    """The action with the largest quantile and its value."""
    best, top = 0, quantile(ordered[0], place, part)
    for a in range(1, ordered.shape[0]):
        value = quantile(ordered[a], place, part)
        best, top = (a, value) if value > top else (best, top)
    return best, top


@helper
def noise(algorithm, memory, s, a, place, part):
    m = quantile(memory.sorted_m[s, a], place, part)
    return m if algorithm.moment == 1 else m ** (2.0 ** (1 - algorithm.moment))


@act.of(MFBPI)
def draw_by_bound(algorithm, memory, task, seen, s, t, rng):
    if explores(seen, s, algorithm.least, rng):
        return integer(task.widths[s], rng)
    level = uniform(rng) * (algorithm.members - 1)
    place = min(int(level), algorithm.members - 2)
    fill_bound(algorithm, memory, task, seen, s, place, level - place)
    total = 0.0
    for a in range(task.widths[s]):
        total += memory.row[a]
    return roulette(memory.row[: task.widths[s]], total, rng)


@helper(apart=True)
def fill_bound(algorithm, memory, task, seen, s, place, part):
    """Fill h(s, .); that of the best action is the same in every state."""
    unit, ceiling, total, least, states, chosen = scale_of(task, seen).unit, 0.0, 0.0, np.inf, 0, 0
    for i in range(task.met[0]):
        if task.discounts[i] == 0.0:
            continue
        best, top = best_quantile(memory.sorted_q[i, : task.widths[i]], place, part)
        ceiling, states = max(ceiling, noise(algorithm, memory, i, best, place, part)), states + 1
        chosen = best if i == s else chosen
        for a in range(task.widths[i]):
            if a != best:
                gap = max(top - quantile(memory.sorted_q[i, a], place, part), 1e-8 * unit)
                spread = 2.0 * unit * unit + 8.0 * PHI_SQUARED * noise(algorithm, memory, i, a, place, part)
                least, total = min(least, gap), total + spread / (gap * gap)
                if i == s:
                    memory.row[a] = spread / (gap * gap)
    ceiling = max(4.0 * unit * unit, 16.0 * task.discount**2 * PHI_SQUARED * ceiling)
    smallest = least * (1.0 - task.discount) / (1.0 + task.discount)
    memory.row[chosen] = math.sqrt(ceiling / (smallest * smallest) * total / states)


@helper
def best_of_member(q, s, e, width):
    top = q[s, 0, e]
    for a in range(1, width):
        top = max(top, q[s, a, e])
    return top


@learn.of(MFBPI)
def teach_some(algorithm, memory, task, seen, step, rng):
    s, a, reward, after = step.state, step.action, step.reward, step.after
    q, m, discount, size = memory.q, memory.m, task.discounts[after], algorithm.members
    order, pupils, width = 2**algorithm.moment, int(algorithm.share * size), task.widths[after]
    for i in range(size - 1, pupils - 1, -1):  # shuffle out those that do not learn
        j = integer(i + 1, rng)
        memory.members[i], memory.members[j] = memory.members[j], memory.members[i]
    for i in range(pupils):
        e = memory.members[i]
        trials = memory.trials[s, a, e] + 1
        memory.trials[s, a, e] = trials
        if trials < memory.rates.shape[1]:
            alpha, slower = memory.rates[0, trials], memory.rates[1, trials]
        else:  # without a known end
            alpha = learning_rate(horizon_of(task), trials)
            slower = alpha**1.1
        q[s, a, e] = (1.0 - alpha) * q[s, a, e] + alpha * (reward + discount * best_of_member(q, after, e, width))
        off = (reward + discount * best_of_member(q, after, e, width) - q[s, a, e]) / task.discount
        power = off * off if order == 2 else off**order
        m[s, a, e] = (1.0 - slower) * m[s, a, e] + slower * power
    rank_sort(q[s, a], memory.ranks, memory.sorted_q[s, a])
    rank_sort(m[s, a], memory.ranks, memory.sorted_m[s, a])
    table = memory.reported
    rate = learning_rate(horizon_of(task), seen.rewards.counts[s, a])
    table[s, a] = (1.0 - rate) * table[s, a] + rate * (reward + discount * best_value(table, task, after))


@report.of(MFBPI)
def report_ordinary(algorithm, memory, task, seen, policy, rng):
    report_table(memory.reported, task, policy, rng)


@needs_model.of(MFBPI)
def model_free(algorithm):
    return False


@problem_with.of(MFBPI)
def ensemble_problem(algorithm):
    if not 2 <= algorithm.members <= 10_000:
        return f"members is {algorithm.members}: write 2 to 10,000, such as 50"
    if not 1 <= int(algorithm.share * algorithm.members) <= algorithm.members:
        return f"share is {algorithm.share}: write a share of the {algorithm.members} members, such as 0.7"
    return settings_problem(algorithm, "moment")
