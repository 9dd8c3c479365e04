"""PSRL (Osband, Russo and Van Roy 2013): act greedily in a model drawn from the posterior.

Transitions have a Dirichlet(1, ..., 1) prior over all states, mean rewards a Beta(1, 1).  A model is drawn
every ``period`` steps, and when the visits of the pair just used have doubled since it last caused a draw.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..random import beta, dirichlet, integer
from ..worlds.solve import Dense, Solution, iterate_policy, make_dense, make_solution
from .experience import count_successors
from .loop import act, learn, prepare, report, settings_problem
from .q_learning import explores, horizon_of
from .scale import scale_of


class PSRL(NamedTuple):
    """Posterior sampling: act greedily in a model drawn from the posterior.

    The program of the baselines' authors draws up to 30 models until the policy changes, and reports the policy of the
    last draw; ``redraws = 1`` with ``report_mean`` is the textbook version."""

    period: int = 100
    redraws: int = 30
    report_mean: bool = False  # report the best policy of the posterior mean instead of the sampled one
    least: float = 1e-3  # exploration: max(least, 1 / N(s))


class Draws(NamedTuple):
    model: Dense
    solution: Solution
    policy: np.ndarray  # [S] to act by
    doubled: np.ndarray  # [S, A] N(s, a) when it last caused a draw


@prepare.of(PSRL)
def make_draws(algorithm, task):
    num_states, num_actions = task.discounts.size, task.num_actions
    return Draws(
        make_dense(num_states, num_actions),
        make_solution(num_states),
        np.zeros(num_states, np.int64),
        np.zeros((num_states, num_actions), np.int64),
    )


@act.of(PSRL)
def sampled_action(algorithm, memory, task, seen, s, t, rng):
    return integer(task.widths[s], rng) if explores(seen, s, algorithm.least, rng) else memory.policy[s]


@helper
def has_doubled(doubled, seen, s, a):
    """Whether the visits of the pair just used are twice what they were when this was last true."""
    if seen.rewards.counts[s, a] < 2 * doubled[s, a]:
        return False
    doubled[s, a] = seen.rewards.counts[s, a]
    return True


@helper
def as_share(mean, count, scale):
    """Where a mean reward lies between the lowest and the highest."""
    return (mean - scale.low) / (scale.top - scale.low) if count > 0 else 0.0


@helper(apart=True)
def repeat_first(model, task):
    """Let actions that a state does not have repeat its first."""
    for s in range(task.widths.size):
        for a in range(task.widths[s], task.num_actions):
            model.rewards[s, a] = model.rewards[s, 0]
            for t in range(task.widths.size):
                model.transitions[s, a, t] = model.transitions[s, 0, t]


@helper
def worthless_ends(model, task, scale):
    """Set the value of terminal states to 0, on the scale between the lowest and the highest value."""
    for s in range(task.discounts.size):
        if task.discounts[s] == 0.0:
            for a in range(task.num_actions):
                model.rewards[s, a] = -scale.low * horizon_of(task) / (scale.top - scale.low)


@helper(apart=True)
def draw_model(seen, prior, model, task, rng):
    """A model from the posterior with weight ``prior`` on each successor and on each of reward 0 and 1."""
    scale = scale_of(task, seen)
    for s in range(model.rewards.shape[0]):
        for a in range(model.rewards.shape[1]):
            row = model.transitions[s, a]
            count_successors(seen, s, a, row)
            dirichlet(row, prior, row, rng)
            ones = as_share(seen.rewards.means[s, a], seen.rewards.counts[s, a], scale) * seen.rewards.counts[s, a]
            model.rewards[s, a] = beta(ones + prior, max(seen.rewards.counts[s, a] - ones, 0.0) + prior, rng)
    worthless_ends(model, task, scale)
    repeat_first(model, task)


@helper(apart=True)
def mean_model(seen, prior, model, task):
    """The mean of the same posterior."""
    size, scale = model.rewards.shape[0], scale_of(task, seen)
    for s in range(size):
        for a in range(model.rewards.shape[1]):
            count, row = seen.rewards.counts[s, a], model.transitions[s, a]
            count_successors(seen, s, a, row)
            for t in range(size):
                row[t] = (row[t] + prior) / (count + size * prior)
            mean = as_share(seen.rewards.means[s, a], count, scale)
            model.rewards[s, a] = (mean * count + prior) / (count + 2.0 * prior)
    worthless_ends(model, task, scale)
    repeat_first(model, task)


@learn.of(PSRL)
def draw_again(algorithm, memory, task, seen, step, rng):
    doubled = has_doubled(memory.doubled, seen, step.state, step.action)
    if not doubled and step.t % algorithm.period != 0:
        return
    solution = memory.solution
    for _ in range(algorithm.redraws):
        draw_model(seen, 1.0, memory.model, task, rng)
        iterate_policy(memory.model, task.discounts, task.num_actions, solution)
        differs = False
        for i in range(memory.policy.size):
            differs = differs or solution.policy[i] != memory.policy[i]
        if differs:
            break
    for i in range(memory.policy.size):
        memory.policy[i] = solution.policy[i]


@report.of(PSRL)
def sampled_policy(algorithm, memory, task, seen, policy, rng):
    if algorithm.report_mean:
        mean_model(seen, 1.0, memory.model, task)
        iterate_policy(memory.model, task.discounts, task.num_actions, memory.solution)
    for s in range(policy.size):
        policy[s] = memory.solution.policy[s] if algorithm.report_mean else memory.policy[s]


@problem_with.of(PSRL)
def draws_problem(algorithm):
    return settings_problem(algorithm, "period", "redraws")
