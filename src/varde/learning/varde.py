"""VarDE in an unknown world: the rule with a model and navigation, and nothing to tune.  The default.

``doubt.py`` gives every pair its influence w^2 on the variance of the policy; one more sample of it is worth
w^2 s2 / (n (n + 1)), the decrement of the rule.  A single trajectory has to travel to where that is large, so the
algorithm plans for it: in the model seen so far, with the decrements as rewards and 2 for a pair never tried,
discounted by 1 - 1/(20 S).  Following that plan is a Frank-Wolfe step on the variance over the allocations
that can be reached.

Plans are made anew when a state is seen for the first time, and every max(S, 0.02 t) steps; in between, decrements
follow the counts and the plan's values are brought up to date where the trajectory passes.  Units and origin of the
rewards drop out, and the budget is not used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..rule import decrement
from ..worlds.solve import Solution, evaluate_policy, iterate_policy, make_solution
from .doubt import Contrasts, Doubts, make_doubts, weigh_pairs
from .experience import Known, expectation, model_report, take_means
from .loop import act, due, mixed_actions, prepare, report, think

NOVELTY = 2.0  # of a pair never tried; a decrement is at most 1/2


class Travel(NamedTuple):
    """``VarDE()`` in learning: travel to where one more sample most lowers the variance of the policy."""


class Plans(NamedTuple):
    doubts: Doubts
    plan: Solution  # of exploration; its values are kept up to date along the way
    reported: Solution
    rewards: np.ndarray  # [S, A] of ``Known``: those seen, then the decrements
    open: np.ndarray  # [1] of ``Known``
    patience: np.ndarray  # [S] the discount of the plan
    until: np.ndarray  # [1] the step at which to plan again
    valuing: np.ndarray  # [1] 1: value the policy in ``reported`` instead of planning


@prepare.of(Travel)
def make_plans(algorithm, task):
    size = task.discounts.size
    return Plans(
        make_doubts(size, task.num_actions),
        make_solution(size),
        make_solution(size),
        np.zeros((size, task.num_actions)),
        np.zeros(1, np.int64),
        np.zeros(size),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
    )


@helper
def drop(memory, seen, s, a):
    """By how much one more sample of a pair that was tried lowers the variance of the policy."""
    return decrement(memory.doubts.square[s, a], 1.0, seen.rewards.counts[s, a])


@helper
def worth(memory, task, seen, s, a):
    """What one more sample of the pair is worth."""
    if task.discounts[s] == 0.0:  # the episode is over: there is nothing to learn
        return 0.0
    if seen.rewards.counts[s, a] == 0:
        return NOVELTY if seen.visits[s] > 0 else 0.0
    return drop(memory, seen, s, a)


@act.of(Travel)
def travel(algorithm, memory, task, seen, s, t, rng):
    if task.discounts[s] == 0.0:
        return 0
    values, best, chosen = memory.plan.values, -np.inf, 0
    for a in range(task.widths[s]):
        if seen.kinds[s, a] == 0:
            return a
        value = drop(memory, seen, s, a) + memory.patience[s] * expectation(seen, s, a, values)
        if value > best:
            best, chosen = value, a
    values[s] = best
    return chosen


@due.of(Travel)
def plan_is_due(algorithm, memory, task, seen, step):
    if step.t < memory.until[0] and seen.visits[step.after] > 1:
        return False
    later = int(0.02 * step.t)
    memory.until[0] = step.t + (later if later > task.met[0] else task.met[0])
    return True


@think.of(Travel)
def weigh_and_plan(algorithm, memory, task, seen, rng):
    known, doubts = Known(seen, memory.rewards, memory.open), memory.doubts
    take_means(known)
    if memory.valuing[0] == 1:
        evaluate_policy(known, task.discounts, memory.reported)
    iterate_policy(known, task.discounts, task.num_actions, doubts.solution)
    weigh_pairs(Contrasts(known, task, doubts))
    if memory.valuing[0] == 1:
        return
    for s in range(task.discounts.size):
        memory.patience[s] = 1.0 - 1.0 / (20.0 * task.met[0])
        for a in range(task.num_actions):
            known.rewards[s, a] = worth(memory, task, seen, s, a) if a < task.widths[s] else -np.inf
    known.open[0] = 1
    iterate_policy(known, memory.patience, task.num_actions, memory.plan)


@report.of(Travel)
def best_of_model(algorithm, memory, task, seen, policy, rng):
    model_report(Known(seen, memory.rewards, memory.open), task, memory.reported)
    for s in range(policy.size):
        policy[s] = memory.reported.policy[s]


@mixed_actions.of(Travel)
def any_actions(algorithm):
    return True
