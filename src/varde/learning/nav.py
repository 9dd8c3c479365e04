"""VarDE-Nav: the rule with navigation and a model, and nothing to tune.

``doubt.py`` gives every pair its weight c in the variance of the policy; one more sample of it is worth
c / (n (n + 1)), the decrement of the rule.  A single trajectory has to travel to where that is large, so the
agent plans for it: in the model seen so far, with the decrements as rewards and 2 for a pair never tried,
discounted by 1 - 1/(20 S).  Following that plan is a Frank-Wolfe step on the variance over the allocations
that can be reached.

Plans are made anew when a state is seen for the first time, and every max(S, 0.02 t) steps; in between, decrements
follow the counts and the plan's values are brought up to date where the agent passes.  Units and origin of the
rewards drop out, and the budget is not used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..worlds.solve import Solution, backup, equation, iterate_policy, make_solution
from .doubt import Doubts, doubt, make_doubts
from .experience import Experience, expectation, share
from .explore import act, begin, learn, model_report, prepare, report, unit_rewards

NOVELTY = 2.0  # of a pair never tried; a decrement is at most 1/2


class VarDENav(NamedTuple):
    """Travel to where one more sample most lowers the variance of the policy."""


class Voyage(NamedTuple):
    """The model to plan exploration in."""

    seen: Experience
    weights: np.ndarray  # [S, A] c
    discounts: np.ndarray  # [S] 0 where the episode is over: there is nothing to learn there


@helper
def worth(voyage, s, a):
    """What one more sample of the pair is worth."""
    if voyage.discounts[s] == 0.0:
        return 0.0
    count = voyage.seen.rewards.counts[s, a]
    if count == 0:
        return NOVELTY if voyage.seen.visits[s] > 0 else 0.0
    return voyage.weights[s, a] / (count * (count + 1.0))


@equation.of(Voyage)
def voyage_equation(voyage, state, action, discount, row):
    if voyage.seen.kinds[state, action] == 0:
        row[state] -= discount
    for k in range(voyage.seen.kinds[state, action]):
        after, probability = share(voyage.seen, state, action, k)
        row[after] -= discount * probability
    return worth(voyage, state, action)


@backup.of(Voyage)
def voyage_backup(voyage, state, action, discount, values):
    if voyage.seen.kinds[state, action] == 0:
        return worth(voyage, state, action) + discount * values[state]
    return worth(voyage, state, action) + discount * expectation(voyage.seen, state, action, values)


class Plans(NamedTuple):
    doubts: Doubts
    plan: Solution
    reported: Solution
    patience: np.ndarray  # [S] the discount of the plan
    until: np.ndarray  # [1] the step at which to plan again


@prepare.of(VarDENav)
def make_plans(agent, task):
    size = task.discounts.size
    return Plans(
        make_doubts(size, task.num_actions),
        make_solution(size),
        make_solution(size),
        np.full(size, 1.0 - 1.0 / (20.0 * size)),
        np.zeros(1, np.int64),
    )


@begin.of(VarDENav)
def start_blank(agent, memory, task, rng):
    memory.doubts.solution.policy.fill(0)
    memory.doubts.weights.fill(1.0)
    memory.plan.policy.fill(0)
    memory.plan.values.fill(0.0)
    memory.until[0] = 0


@act.of(VarDENav)
def travel(agent, memory, task, seen, s, t, rng):
    if task.discounts[s] == 0.0:
        return 0
    for a in range(task.num_actions):
        if seen.kinds[s, a] == 0:
            return a
    voyage, values = Voyage(seen, memory.doubts.weights, task.discounts), memory.plan.values
    best, chosen = -np.inf, 0
    for a in range(task.num_actions):
        value = backup(voyage, s, a, memory.patience[s], values)
        if value > best:
            best, chosen = value, a
    values[s] = best
    return chosen


@learn.of(VarDENav)
def plan_again(agent, memory, task, seen, s, a, reward, after, t, rng):
    if t < memory.until[0] and seen.visits[after] > 1:
        return
    memory.until[0] = t + max(task.discounts.size, int(0.02 * t))
    doubt(seen, task.discounts, task.num_actions, memory.doubts)
    voyage = Voyage(seen, memory.doubts.weights, task.discounts)
    iterate_policy(voyage, memory.patience, task.num_actions, memory.plan)


@report.of(VarDENav)
def best_of_model(agent, memory, task, seen, policy, rng):
    model_report(seen, task, memory.reported)
    for s in range(policy.size):
        policy[s] = memory.reported.policy[s]


@unit_rewards.of(VarDENav)
def any_rewards(agent):
    return False
