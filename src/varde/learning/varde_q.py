"""VarDE-Q-learning (Algorithm 3): the rule, applied to the actions of a state.

The values are Q(s, .), the noise is that of the one-step targets y = r + gamma max_b Q(s', b).  With a
separable decision the score of a pair changes only when the pair is sampled, so that scores are kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..decisions import LogSumExp, largest, separable
from ..moments import Moments, make_moments, observe, variance
from ..rule import VarDE, log_decrement, next_sample
from .loop import act, learn, needs_model, prepare, report
from .q_learning import first_best, horizon_of, learning_rate, report_table

PAPER = VarDE(LogSumExp(0.1), floor=0.1, warm_start=1, ddof=0)  # the one setting of the paper's experiments


class Targets(NamedTuple):
    q: np.ndarray  # [S, A]
    targets: Moments  # [S, A] of y
    scores: np.ndarray  # [S, A] log decrements, of a separable decision
    variances: np.ndarray  # [S, A] of any other
    weights: np.ndarray  # [A] a place to work in


@prepare.of(VarDE)
def make_targets(rule, task):
    shape = (task.discounts.size, task.num_actions)
    return Targets(
        np.full(shape, horizon_of(task)),
        make_moments(shape),
        np.full(shape, np.inf),
        np.zeros(shape),
        np.zeros(task.num_actions),
    )


@act.of(VarDE)
def sample_action(rule, memory, task, seen, s, t, rng):
    if separable(rule.decision):
        return first_best(memory.scores[s])
    counts = memory.targets.counts[s]
    for a in range(counts.size):
        if counts[a] < rule.warm_start:
            return a
    return next_sample(rule, memory.q[s], memory.variances[s], counts, memory.weights)


@learn.of(VarDE)
def update_pair(rule, memory, task, seen, step, rng):
    s, a, q, targets, horizon = step.state, step.action, memory.q, memory.targets, horizon_of(task)
    target = step.reward + task.discounts[s] * largest(q[step.after])
    observe(targets, (s, a), target)
    count = targets.counts[s, a]
    rate = learning_rate(horizon, count)
    q[s, a] = (1.0 - rate) * q[s, a] + rate * target
    memory.variances[s, a] = variance(targets, (s, a), rule.ddof)
    if separable(rule.decision) and count >= rule.warm_start:
        memory.scores[s, a] = log_decrement(rule, q[s, a], memory.variances[s, a], count, horizon)


@report.of(VarDE)
def greedy_policy(rule, memory, task, seen, policy, rng):
    report_table(memory.q, policy, rng)


@needs_model.of(VarDE)
def model_free(rule):
    return False
