"""VarDE-Q-learning (Algorithm 3): the rule, applied to the actions of a state.  ``VarDE(LogSumExp(tau))`` in learning.

The values are Q(s, .), the noise is that of the one-step targets y = r + gamma max_b Q(s', b), both in the unit of
rewards (``scale.py``), which is also that of the rule's settings.  With a separable
decision the score of a pair changes only when the pair is sampled, so that scores are kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._compile import helper
from ..arrays import first_largest
from ..beliefs.belief import Belief
from ..beliefs.noise import Floor, own_variance
from ..decisions import LogSumExp
from ..moments import include
from ..rule import VarDE, indexed, log_decrement, next_sample
from .loop import act, learn, needs_model, prepare, report, rescale
from .q_learning import best_value, horizon_of, learning_rate, report_table
from .scale import first_scale, learned, rescale_table, scale_of

PAPER = VarDE(LogSumExp(0.1), Floor(0.1, ddof=0), warm_start=1)  # the one setting of the paper's experiments


class QLearning(NamedTuple):
    """A rule that compares the actions of each state by their Q-values."""

    rule: Any


class Targets(NamedTuple):
    q: np.ndarray  # [S, A]
    means: np.ndarray  # [S, A] of the targets y
    squares: np.ndarray  # [S, A] M2 of the targets
    scores: np.ndarray  # [S, A] log decrements, where each depends on its pair alone
    variances: np.ndarray  # [S, A] in the unit of rewards, likewise
    values: np.ndarray  # [A] Q(s, .) of one state
    errors: np.ndarray  # [A] of the mean targets there
    square: np.ndarray  # [A] w^2


@prepare.of(QLearning)
def make_targets(algorithm, task):
    shape = (task.discounts.size, task.num_actions)
    return Targets(
        np.full(shape, first_scale(task).top * horizon_of(task)),
        np.zeros(shape),
        np.zeros(shape),
        np.full(shape, np.inf),
        np.zeros(shape),
        np.zeros(task.num_actions),
        np.zeros(task.num_actions),
        np.zeros(task.num_actions),
    )


@act.of(QLearning)
def sample_action(algorithm, memory, task, seen, s, t, rng):
    rule, width = algorithm.rule, task.widths[s]
    counts = seen.rewards.counts[s, :width]
    if indexed(rule):
        return first_largest(memory.scores[s, :width])
    for a in range(counts.size):
        if counts[a] < max(rule.warm_start, 1):
            return a
    scale, horizon = scale_of(task, seen), horizon_of(task)
    for a in range(counts.size):
        memory.values[a] = in_units(memory.q[s, a], scale, horizon)
        memory.errors[a] = memory.variances[s, a] / counts[a]
    values = memory.values[:width]
    belief = Belief(counts, values, values, memory.variances[s, :width], memory.errors[:width])
    return next_sample(rule.decision, belief, memory.square[:width])


@helper
def in_units(value, scale, horizon):
    return (value - scale.low * horizon) / scale.unit


@learn.of(QLearning)
def update_pair(algorithm, memory, task, seen, step, rng):
    rule, s, a, q, horizon = algorithm.rule, step.state, step.action, memory.q, horizon_of(task)
    count, ahead = seen.rewards.counts[s, a], best_value(q, task, step.after)
    target = step.reward + task.discounts[step.after] * ahead
    include(memory.means, memory.squares, (s, a), count, target)
    rate = learning_rate(horizon, count)
    q[s, a] = (1.0 - rate) * q[s, a] + rate * target
    score_pair(rule, memory, scale_of(task, seen), s, a, count, horizon)


@helper
def score_pair(rule, memory, scale, s, a, count, horizon):
    squares = memory.squares[s, a] / (scale.unit * scale.unit)
    memory.variances[s, a] = own_variance(rule.noise, 0.0, squares, count)
    if indexed(rule) and count >= rule.warm_start:
        value = in_units(memory.q[s, a], scale, horizon)
        memory.scores[s, a] = log_decrement(rule.decision, value, memory.variances[s, a], count, horizon)


@rescale.of(QLearning)
def score_again(algorithm, memory, task, seen, before, now):
    horizon, counts = horizon_of(task), seen.rewards.counts
    rescale_table(memory.q, seen, before, now, horizon)
    for s in range(counts.shape[0]):
        for a in range(counts.shape[1]):
            if counts[s, a] > 0:
                if before.guessed:  # the targets were hopes
                    memory.squares[s, a] *= now.unit * now.unit
                    memory.means[s, a] = learned(memory.means[s, a], before, now, horizon)
                score_pair(algorithm.rule, memory, now, s, a, counts[s, a], horizon)


@report.of(QLearning)
def greedy_policy(algorithm, memory, task, seen, policy, rng):
    report_table(memory.q, task, policy, rng)


@needs_model.of(QLearning)
def model_free(algorithm):
    return False
