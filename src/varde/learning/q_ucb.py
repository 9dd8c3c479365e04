"""Q-UCB (Jin, Allen-Zhu, Bubeck and Jordan 2018; discounted): Q-learning with a bonus on the target.

target = r + gamma min(H, max_b Q(s', b)) + scale H sqrt(log(S A (t + 1) / delta) / N(s, a))
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..arrays import largest
from ..check import problem_with
from .explore import act, begin, learn, needs_model, prepare, report, settings_problem
from .q_learning import (
    greedy_report,
    horizon_of,
    learning_rate,
    make_table,
    model_free,
    mostly_greedy,
    start_optimistic,
)


class QUCB(NamedTuple):
    """Theory asks for a scale of about 4 sqrt(2); the program of the baselines' authors has 0.001, a bonus
    below 0.5 on a scale of 100, which makes the agent epsilon-Q in practice."""

    delta: float = 1e-3
    scale: float = 1e-3
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


prepare.of(QUCB)(make_table)
begin.of(QUCB)(start_optimistic)
act.of(QUCB)(mostly_greedy)
report.of(QUCB)(greedy_report)
needs_model.of(QUCB)(model_free)


@learn.of(QUCB)
def optimistic_update(agent, q, task, seen, s, a, reward, after, t, rng):
    count, horizon = seen.rewards.counts[s, a], horizon_of(task)
    bonus = agent.scale * horizon * math.sqrt(math.log(q.size * (t + 1.0) / agent.delta) / count)
    target = reward + task.discounts[s] * min(horizon, largest(q[after])) + bonus
    rate = learning_rate(horizon, count)
    q[s, a] = (1.0 - rate) * q[s, a] + rate * target


@problem_with.of(QUCB)
def bonus_problem(agent):
    if not 0.0 <= agent.scale < math.inf:
        return f"scale is {agent.scale}: write a number, zero or more, such as 0.001"
    return settings_problem(agent, "delta")
