"""The default of learning, VarDE in an unknown world: the rule with a model, planned exploration, and nothing to tune.

The policy suggested by the data is a set of decisions: is pi(s) better than a?  Each may be wrong; one more sample of a
pair lowers their total variance by c / (n (n + 1)), the decrement of ``rule.py``.  A trajectory has to get to where
that is large, so the algorithm plans for it in the model of the data (``plan.py``).  In between it takes the best
action by the plan with present counts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..rows import Chain, Rows, make_chain, make_rows
from ..rule import decrement
from .loop import act, due, learn, prepare, report, started, think
from .plan import PROBES, make_plan, report_best


class Explorer(NamedTuple):
    """``VarDE()`` in learning: go to where one more sample most lowers the variance of the policy."""


class Now(NamedTuple):
    """Single numbers, each an array of one."""

    until: np.ndarray  # the step at which to plan again
    patience: np.ndarray  # the discount of a plan
    end: np.ndarray  # U where an episode is over
    newest: np.ndarray  # the largest value of a first try when the plan was made
    work: np.ndarray  # passes over the model in a plan


class Answer(NamedTuple):
    policy: np.ndarray  # [N]
    values: np.ndarray  # [N]


class Families(NamedTuple):
    """States that the same pair leads to most often."""

    of: np.ndarray  # [N] the number of the family
    often: np.ndarray  # [N] how often that pair led to the state
    judged: np.ndarray  # [P + N] pairs tried twice or more
    noisy: np.ndarray  # [P + N] those whose outcomes differed
    noise: np.ndarray  # [P + N] the sum of theirs


class Memory(NamedTuple):
    # by the states and pairs of the world: the plan
    future: np.ndarray  # [S] U: what is collected from a state on
    gain: np.ndarray  # [S, A] c, in units of the largest
    novelty: np.ndarray  # [S, A] the value of a first try, in the same
    number: np.ndarray  # [S] in the model; 0 where an episode is over
    # by the numbers of the model: states in the order of their first visits, from 1
    model: Rows
    tried: np.ndarray  # [P] n
    rewards: np.ndarray  # [P] mean
    chain: Chain  # P of a policy
    turned: Chain  # P'
    best: Answer  # V and pi
    exploration: Answer  # U and its policy
    reported: Answer
    families: Families
    noise: np.ndarray  # [P] s2
    wrong: np.ndarray  # [P] p_j
    weights: np.ndarray  # [P] w_j, then c
    pays: np.ndarray  # [P] the value of one more sample, or of the first
    origin: np.ndarray  # [N] shares of the starts
    reach: np.ndarray  # [N] f, if the starts matter
    right: np.ndarray  # [N] a right side
    probes: np.ndarray  # [2, K, N] right sides and solutions
    solver: np.ndarray  # [5, N] room for solving
    now: Now


@prepare.of(Explorer)
def make_memory(algorithm, task):
    states, actions, room = task.discounts.size, task.num_actions, task.room
    pairs, size = states * actions, states + 1

    def numbers(many: int) -> list[np.ndarray]:
        return [np.zeros(many, np.int64), np.zeros(many)]

    levels = [np.array([level]) for level in (1.0 - 1.0 / 20.0, 0.0, 1.0, 0.0)]
    return Memory(
        future=np.zeros(states),
        gain=np.ones((states, actions)),
        novelty=np.ones((states, actions)),
        number=np.zeros(states, np.int64),
        model=make_rows(size, pairs, room),
        tried=np.zeros(pairs, np.int64),
        rewards=np.zeros(pairs),
        chain=make_chain(size, room + 2 * size + 1),
        turned=make_chain(size + 1, room + 2 * size + 1),
        best=Answer(*numbers(size)),
        exploration=Answer(*numbers(size)),
        reported=Answer(*numbers(size)),
        families=Families(*np.zeros((2, size), np.int64), *np.zeros((3, pairs + size))),
        noise=np.zeros(pairs),
        wrong=np.zeros(pairs),
        weights=np.zeros(pairs),
        pays=np.zeros(pairs),
        origin=np.zeros(size),
        reach=np.zeros(size),
        right=np.zeros(size),
        probes=np.zeros((2, PROBES, size)),
        solver=np.zeros((5, size)),
        now=Now(np.zeros(1, np.int64), *levels),
    )


# -- one step --------------------------------------------------------------------------------------


@helper
def pair_value(memory, seen, s, a):
    """What is collected by taking ``a`` in ``s`` and following the plan."""
    n, future, patience = seen.rewards.counts[s, a], memory.future, memory.now.patience[0]
    if n == 0:
        return memory.novelty[s, a] + patience * memory.now.end[0]
    total, row = 0.0, seen.rows[s, a]
    for k in range(row, row + seen.kinds[s, a]):
        total += seen.counts[k] * future[seen.to[k]]
    return decrement(memory.gain[s, a], 1.0, n) + patience * total / n


@helper(apart=True)
def best_action(memory, task, seen, s):
    """The best action by the plan, whose value is kept."""
    best, chosen = -np.inf, 0
    for a in range(task.widths[s]):
        value = pair_value(memory, seen, s, a)
        if value > best:
            best, chosen = value, a
    memory.future[s] = best
    return chosen


@helper
def meet_state(memory, task, s):
    """A new state gets the value of the best first try when the plan was made."""
    now = memory.now
    for a in range(task.widths[s]):
        memory.gain[s, a], memory.novelty[s, a] = 1.0, now.newest[0]
    memory.future[s] = now.newest[0] + now.patience[0] * now.end[0]


@act.of(Explorer)
def follow_plan(algorithm, memory, task, seen, s, t, rng):
    return best_action(memory, task, seen, s)


@learn.of(Explorer)
def enter_outcome(algorithm, memory, task, seen, step, rng):
    if task.discounts[step.after] == 0.0:
        memory.future[seen.totals.end[0] - 1] = memory.now.end[0]
    elif seen.visits[step.after] == 1:
        meet_state(memory, task, step.after)


@started.of(Explorer)
def enter_start(algorithm, memory, task, seen, s):
    """U of the end is the mean over the starts; it is solved for in a plan, and moved in between."""
    now = memory.now
    if seen.visits[s] == 1:
        meet_state(memory, task, s)
    now.end[0] += (memory.future[s] - now.end[0]) / seen.totals.starts[0]
    if seen.totals.end[0] > 0:
        memory.future[seen.totals.end[0] - 1] = now.end[0]


@due.of(Explorer)
def plan_is_due(algorithm, memory, task, seen, step):
    return step.t + 1 >= memory.now.until[0]


@think.of(Explorer)
def plan_anew(algorithm, memory, task, seen, rng):
    make_plan(memory, task, seen, rng)


@report.of(Explorer)
def best_of_model(algorithm, memory, task, seen, policy, rng):
    report_best(memory, task, seen, policy)
