"""Best-policy identification from one trajectory: the loop that every agent shares, and its verbs.

An agent of your own is a record with a case of ``act``, and of the other verbs where the default does not do; the
best policy of the model of its data is reported in any case.  ``prepare`` runs in Python and makes the arrays; the
others run compiled and reuse them.

A state in which the episode is over has discount 0 and leads back to the start, so that one trajectory
serves continuing and episodic tasks alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper, kernel, verb
from ..random import start
from ..worlds.solve import Solution, evaluate_policy, iterate_policy
from ..worlds.table import step
from .experience import find_lowest, forget, notice

ASIDE = 1 << 40  # where the streams of reports begin, beyond those of the runs


class Task(NamedTuple):
    """What is asked of an agent."""

    discounts: np.ndarray  # [S] gamma, or 0 where the episode is over
    discount: float  # gamma
    num_actions: int
    start: int
    budget: int  # steps in all


class Reports(NamedTuple):
    """Policies to report and how good they are; own report first, then that of the model of the data."""

    own: Solution
    model: Solution
    judge: Solution  # the values of a reported policy in the true model
    best: np.ndarray  # [S] V*
    judged: np.ndarray  # [2, S] the policies judged last
    scores: np.ndarray  # [2] and their scores


@verb(fallback=True)
def prepare(agent, task):
    """What the agent remembers besides its experience: an array or a record of arrays."""
    return np.empty(0)


@verb(fallback=True)
def begin(agent, memory, task, rng):
    """Make ``memory`` ready for a new run."""


@verb
def act(agent, memory, task, seen, s, t, rng):
    """The action to take in state ``s`` at step ``t``, counted from 0."""


@verb(fallback=True)
def learn(agent, memory, task, seen, s, a, reward, after, t, rng):
    """Take notice of a transition, already counted in ``seen``."""


@verb(fallback=True)
def report(agent, memory, task, seen, policy, rng):
    """Fill ``policy [S]`` with the actions the agent would take now; action 0 for one that only explores."""
    policy.fill(0)


@verb(fallback=True)
def needs_model(agent):
    """Whether the agent uses successors and rewards in ``seen``; visits are always counted."""
    return True


@verb(fallback=True)
def unit_rewards(agent):
    """Whether the agent takes rewards to lie between 0 and 1."""
    return True


@verb(fallback=True)
def continuing_only(agent):
    """Whether the agent cannot do with states in which an episode ends."""
    return False


def settings_problem(agent, *positive):
    """What is wrong with the exploration of an agent, or with the settings that have to be positive."""
    for name in positive:
        given = getattr(agent, name)
        if not 0 < given < np.inf:
            return f"{name} is {given}: write a positive number, such as {getattr(type(agent)(), name)}"
    if not 0.0 <= agent.least <= 1.0:
        return f"least is {agent.least}: write a probability, such as 0.001"
    return ""


@helper
def advance(agent, model, memory, task, seen, keep, s, t, until, rng):
    """Steps ``t`` up to ``until`` from state ``s``; returns the state reached."""
    while t < until:
        a = act(agent, memory, task, seen, s, t, rng)
        if task.discounts[s] == 0.0:
            after, reward = task.start, 0.0
        else:
            after, reward = step(model, s, a, rng)
        seen.rewards.counts[s, a] += 1
        seen.visits[after] += 1
        if keep:
            notice(seen, s, a, reward, after)
        learn(agent, memory, task, seen, s, a, reward, after, t, rng)
        s = after
        t += 1
    return s


@helper
def begin_run(agent, memory, task, seen, rng):
    forget(seen)
    seen.visits[task.start] = 1
    begin(agent, memory, task, rng)


@helper(apart=True)
def model_report(seen, task, solution):
    """The best policy of the maximum-likelihood model, found afresh: ties do not depend on earlier reports."""
    solution.policy.fill(0)
    find_lowest(seen)
    iterate_policy(seen, task.discounts, task.num_actions, solution)


@helper(apart=True)
def judge(model, task, reports, which, policy):
    """The score of a policy: 1 - max |V* - V| / max V*.  The same policy is not judged twice in a row."""
    known, same = reports.judged[which], True
    for s in range(policy.size):
        action = policy[s] if task.discounts[s] > 0.0 else 0
        same = same and known[s] == action
        known[s] = action
        reports.judge.policy[s] = action
    if not same:
        evaluate_policy(model, task.discounts, reports.judge)
        off, top = 0.0, 0.0
        for s in range(policy.size):
            off = max(off, abs(reports.best[s] - reports.judge.values[s]))
            top = max(top, abs(reports.best[s]))
        reports.scores[which] = 1.0 - off / top
    return reports.scores[which]


@kernel
def many_runs(agent, model, memory, task, seen, reports, keep, checkpoints, key, rng, dice, first, scores):
    """Fill ``scores [R, C, 2]`` of runs ``first``, ... at C checkpoints; without ``keep`` of the own report only.

    Reports break their ties with ``dice``, a stream of their own: looking at a run does not change it.
    """
    for run in range(scores.shape[0]):
        start(rng, key, first + run)
        start(dice, key, ASIDE + first + run)
        begin_run(agent, memory, task, seen, rng)
        reports.judged.fill(-1)
        s, t = task.start, 0
        for c in range(checkpoints.size):
            s = advance(agent, model, memory, task, seen, keep, s, t, checkpoints[c], rng)
            t = checkpoints[c]
            report(agent, memory, task, seen, reports.own.policy, dice)
            scores[run, c, 0] = judge(model, task, reports, 0, reports.own.policy)
            if keep:
                model_report(seen, task, reports.model)
                scores[run, c, 1] = judge(model, task, reports, 1, reports.model.policy)


@kernel
def one_run(agent, model, memory, task, seen, own, rng):
    """Spend the whole budget once; the agent's report is left in ``own``."""
    begin_run(agent, memory, task, seen, rng)
    advance(agent, model, memory, task, seen, True, task.start, 0, task.budget, rng)
    report(agent, memory, task, seen, own, rng)
