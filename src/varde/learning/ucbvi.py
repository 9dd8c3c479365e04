"""UCBVI (Azar, Osband and Munos 2017), discounted: the best policy of the most optimistic plausible model.

    Q(s, a) = min(top H, r(s, a) + gamma sum_s' P(s'|s, a) max_b Q(s', b) + bonus(s, a)),     top H if never tried,

with the model seen, H = 1 / (1 - gamma), L = log(S A t / delta), and the unit and the top of rewards (``scale.py``):

    Bernstein   bonus = scale (sqrt(2 var L / N) + 7/3 unit H L / N),   var that of r + gamma max_b Q(s', b),
    Hoeffding   bonus = scale unit H sqrt(L / N).

Theory asks for scales of 1 and 7, with which it only explores within any affordable budget.  Values are not recomputed
at every step: the present state is backed up when it is left, and all states are swept from time to time, starting
from their current values, alternately forwards and backwards.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..arrays import first_largest
from ..check import problem_with
from .experience import expectation, share
from .loop import act, due, learn, prepare, report, rescale, think
from .q_learning import horizon_of
from .scale import first_scale, scale_of

SWEEPS = 100  # at most, each time
PRECISE = 1e-6  # of the largest value: sweeps stop when nothing changes by more


class UCBVI(NamedTuple):
    """UCBVI: the larger ``scale``, the longer it explores; 0.001 was chosen on eleven worlds with discount 0.99."""

    scale: float = 0.001
    bernstein: bool = True
    delta: float = 0.1


class Hopes(NamedTuple):
    q: np.ndarray  # [S, A]
    values: np.ndarray  # [S]
    until: np.ndarray  # [1] the step at which to sweep again
    log: np.ndarray  # [1] L


@prepare.of(UCBVI)
def make_hopes(algorithm, task):
    shape, top = (task.discounts.size, task.num_actions), first_scale(task).top * horizon_of(task)
    return Hopes(np.full(shape, top), np.full(shape[0], top), np.zeros(1, np.int64), np.ones(1))


@helper
def bonus(algorithm, memory, task, seen, unit, s, a):
    count, log, horizon = seen.rewards.counts[s, a], memory.log[0], horizon_of(task)
    if not algorithm.bernstein:
        return algorithm.scale * unit * horizon * math.sqrt(log / count)
    mean, spread = expectation(seen, s, a, memory.values), 0.0
    for k in range(seen.kinds[s, a]):
        after, probability = share(seen, s, a, k)
        off = memory.values[after] - mean
        spread += probability * off * off
    variance = task.discount * task.discount * spread + seen.rewards.squares[s, a] / count
    return algorithm.scale * (math.sqrt(2.0 * variance * log / count) + 7.0 / 3.0 * unit * horizon * log / count)


@helper(apart=True)
def back_up(algorithm, memory, task, seen, s):
    """Q(s, .) and its largest from the present values; returns by how much that changed."""
    scale = scale_of(task, seen)
    top, before, best = scale.top * horizon_of(task), memory.values[s], -np.inf
    for a in range(task.widths[s]):
        value = top
        if seen.rewards.counts[s, a] > 0:
            value = seen.rewards.means[s, a] + task.discount * expectation(seen, s, a, memory.values)
            value = min(top, value + bonus(algorithm, memory, task, seen, scale.unit, s, a))
        memory.q[s, a] = value
        best = max(best, value)
    memory.values[s] = best
    return abs(best - before)


@act.of(UCBVI)
def hope_most(algorithm, memory, task, seen, s, t, rng):
    return first_largest(memory.q[s, : task.widths[s]])


@learn.of(UCBVI)
def back_up_here(algorithm, memory, task, seen, step, rng):
    if task.discounts[step.after] == 0.0:
        memory.values[step.after] = 0.0
    memory.log[0] = math.log(task.met[0] * task.num_actions * (step.t + 1.0) / algorithm.delta)
    back_up(algorithm, memory, task, seen, step.state)


@due.of(UCBVI)
def sweep_is_due(algorithm, memory, task, seen, step):
    if step.t < memory.until[0]:
        return False
    memory.until[0] = step.t + max(1 + task.met[0] // 10, int(0.02 * step.t))
    return True


@think.of(UCBVI)
def sweep(algorithm, memory, task, seen, rng):
    size, scale = task.met[0], scale_of(task, seen)
    enough = PRECISE * (scale.top - scale.low) * horizon_of(task)
    for i in range(SWEEPS):
        change = 0.0
        for j in range(size):
            s = j if i % 2 == 1 else size - 1 - j
            if task.discounts[s] > 0.0 and seen.visits[s] > 0:
                change = max(change, back_up(algorithm, memory, task, seen, s))
        if change <= enough:
            return


@rescale.of(UCBVI)
def hope_anew(algorithm, memory, task, seen, before, now):
    top = now.top * horizon_of(task)
    for s in range(memory.values.size):
        memory.values[s] = top if task.discounts[s] > 0.0 else 0.0
        for a in range(memory.q.shape[1]):
            memory.q[s, a] = top
    memory.until[0] = 0


@report.of(UCBVI)
def hopeful_policy(algorithm, memory, task, seen, policy, rng):
    for s in range(policy.size):
        policy[s] = first_largest(memory.q[s, : task.widths[s]])


@problem_with.of(UCBVI)
def hopes_problem(algorithm):
    if not 0.0 <= algorithm.scale < math.inf:
        return f"scale is {algorithm.scale}: write a number, zero or more, such as 0.001"
    return "" if 0.0 < algorithm.delta < 1.0 else f"delta is {algorithm.delta}: write a probability, such as 0.1"
