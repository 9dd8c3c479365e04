"""Q-UCB (Jin, Allen-Zhu, Bubeck and Jordan 2018; discounted): Q-learning with a bonus on the target.

target = r + gamma min(top H, max_b Q(s', b)) + scale unit H sqrt(log(S A (t + 1) / delta) / N(s, a))

with the unit and the top of rewards (``scale.py``), 1 and 1 in the paper.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..check import problem_with
from .loop import act, learn, needs_model, prepare, report, rescale, settings_problem
from .q_learning import (
    best_value,
    greedy_report,
    horizon_of,
    learning_rate,
    model_free,
    mostly_greedy,
    optimistic_table,
    rescale_values,
)
from .scale import scale_of


class QUCB(NamedTuple):
    """Q-learning with an upper confidence bonus, times ``scale``.

    Theory asks for a scale of about 4 sqrt(2); the program of the baselines' authors has 0.001, a bonus below 0.5 on a
    scale of 100, which makes the algorithm epsilon-Q in practice."""

    delta: float = 1e-3
    scale: float = 1e-3
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


prepare.of(QUCB)(optimistic_table)
act.of(QUCB)(mostly_greedy)
rescale.of(QUCB)(rescale_values)
report.of(QUCB)(greedy_report)
needs_model.of(QUCB)(model_free)


@learn.of(QUCB)
def optimistic_update(algorithm, q, task, seen, step, rng):
    s, a = step.state, step.action
    count, horizon = seen.rewards.counts[s, a], horizon_of(task)
    scale, log = scale_of(task, seen), math.log(q.size * (step.t + 1.0) / algorithm.delta)
    bonus = algorithm.scale * scale.unit * horizon * math.sqrt(log / count)
    ahead = min(scale.top * horizon, best_value(q, task, step.after))
    target = step.reward + task.discounts[step.after] * ahead + bonus
    rate = learning_rate(horizon, count)
    q[s, a] = (1.0 - rate) * q[s, a] + rate * target


@problem_with.of(QUCB)
def bonus_problem(algorithm):
    if not 0.0 <= algorithm.scale < math.inf:
        return f"scale is {algorithm.scale}: write a number, zero or more, such as 0.001"
    if not 0.0 < algorithm.delta < 1.0:
        return f"delta is {algorithm.delta}: write a probability, such as 0.001"
    return settings_problem(algorithm)
