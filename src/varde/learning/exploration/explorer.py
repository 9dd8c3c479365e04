"""The default of learning, VarDE in an unknown world: the rule with a model, planned exploration, and nothing to tune.

The policy suggested by the data is a set of decisions: is pi(s) better than a?  Each may be wrong; one more sample of a
pair lowers their total variance by c / (n (n + 1)), the decrement of ``rule.py``.  A trajectory has to get to where
that is large, so the algorithm plans for it in the model of the data (``plan.py``).  In between it takes the
best action by the plan with present counts, and propagates what has changed: a state whose pairs have changed is
queued, a few queued states are backed up at every step, and if the change matters the states that lead to them are
queued in turn (prioritised sweeping).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ...rows import Chain, Rows, Solver, make_chain, make_rows, make_solver
from ...rule import decrement
from ..loop import act, due, learn, mixed_actions, prepare, report, started, think
from .gains import PROBES
from .plan import make_plan, report_best

AT_ONCE = 4  # queued states in a step
MATTERS = 0.3  # a change of U, in units of (1 - patience) |U|


class Explorer(NamedTuple):
    """``VarDE()`` in learning: go to where one more sample most lowers the variance of the policy."""


class Now(NamedTuple):
    """Single numbers, each an array of one."""

    until: np.ndarray  # the step at which to plan again
    plans: np.ndarray  # made so far
    first: np.ndarray  # 1 + the first state in the queue; 0: it is empty
    last: np.ndarray  # 1 + the last
    links: np.ndarray  # made so far
    patience: np.ndarray  # the discount of a plan
    end: np.ndarray  # U where an episode is over
    newest: np.ndarray  # the largest value of a first try when the plan was made
    work: np.ndarray  # passes over the model in a plan


class Answer(NamedTuple):
    policy: np.ndarray  # [N]
    values: np.ndarray  # [N]


class Memory(NamedTuple):
    # by the states and pairs of the world: the plan
    future: np.ndarray  # [S] U: what is collected from a state on
    gain: np.ndarray  # [S, A] c, in units of the largest
    novelty: np.ndarray  # [S, A] the value of a first try, in the same
    heads: np.ndarray  # [S] 1 + the last link to a state
    links: np.ndarray  # [2, E] of each outcome: the state it comes from; 1 + another link to the same successor
    queue: np.ndarray  # [S] 1 + the state after this one in the queue, which ends in itself; 0: not in it
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
    noise: np.ndarray  # [P] s2
    wrong: np.ndarray  # [P] p_j
    returns: np.ndarray  # [P] m_j
    weights: np.ndarray  # [P] w_j, then c
    pays: np.ndarray  # [P] the value of one more sample, or of the first
    origin: np.ndarray  # [N] shares of the starts
    reach: np.ndarray  # [N] f, if the starts matter
    right: np.ndarray  # [N] a right side
    probes: np.ndarray  # [2, K, N] right sides and solutions
    solver: Solver
    now: Now


@prepare.of(Explorer)
def make_memory(algorithm, task):
    states, actions, room = task.discounts.size, task.num_actions, task.room
    pairs, size = states * actions, states + 1

    def numbers(many: int) -> list[np.ndarray]:
        return [np.zeros(many, np.int64), np.zeros(many)]

    counters = [np.zeros(1, np.int64) for _ in range(5)]
    levels = [np.array([level]) for level in (1.0 - 1.0 / 20.0, 0.0, 1.0, 0.0)]
    return Memory(
        future=np.zeros(states),
        gain=np.ones((states, actions)),
        novelty=np.ones((states, actions)),
        heads=np.zeros(states, np.int64),
        links=np.zeros((2, room), np.int64),
        queue=np.zeros(states, np.int64),
        number=np.zeros(states, np.int64),
        model=make_rows(size, pairs, room),
        tried=np.zeros(pairs, np.int64),
        rewards=np.zeros(pairs),
        chain=make_chain(size, room + 2 * size),
        turned=make_chain(size + 1, room + 2 * size),
        best=Answer(*numbers(size)),
        exploration=Answer(*numbers(size)),
        reported=Answer(*numbers(size)),
        noise=np.zeros(pairs),
        wrong=np.zeros(pairs),
        returns=np.ones(pairs),
        weights=np.zeros(pairs),
        pays=np.zeros(pairs),
        origin=np.zeros(size),
        reach=np.zeros(size),
        right=np.zeros(size),
        probes=np.zeros((2, PROBES, size)),
        solver=make_solver(size, PROBES),
        now=Now(*counters, *levels),
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
def add_to_queue(memory, s):
    queue, now = memory.queue, memory.now
    if queue[s] != 0:
        return
    queue[s] = 1 + s
    if now.first[0] == 0:
        now.first[0] = 1 + s
    else:
        queue[now.last[0] - 1] = 1 + s
    now.last[0] = 1 + s


@helper(apart=True)
def work_queue(memory, task, seen):
    queue, now = memory.queue, memory.now
    for _ in range(AT_ONCE):
        if now.first[0] == 0:
            return
        s = now.first[0] - 1
        now.first[0] = 0 if queue[s] == 1 + s else queue[s]
        queue[s] = 0
        before = memory.future[s]
        best_action(memory, task, seen, s)
        after = memory.future[s]
        if abs(after - before) > MATTERS * (1.0 - now.patience[0]) * abs(after) + 1e-300:
            link = memory.heads[s]
            while link > 0:
                add_to_queue(memory, memory.links[0, link - 1])
                link = memory.links[1, link - 1]


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
    s, after, now = step.state, step.after, memory.now
    if task.discounts[after] == 0.0:
        after = seen.totals.end[0] - 1
        memory.future[after] = now.end[0]
    elif seen.visits[after] == 1:
        meet_state(memory, task, after)
    if seen.totals.fresh[0] == 1:
        link = now.links[0]
        memory.links[0, link], memory.links[1, link] = s, memory.heads[after]
        memory.heads[after] = now.links[0] = link + 1
        add_to_queue(memory, s)
    work_queue(memory, task, seen)


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


@mixed_actions.of(Explorer)
def any_actions(algorithm):
    return True
