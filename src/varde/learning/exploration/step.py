"""One step: the best action by the plan, with present counts; the effect of a step is propagated where it matters.

A state whose pairs have changed is queued; a few queued states are updated at every step, and if the change matters,
the states that lead to them are queued in turn (prioritised sweeping).
"""

from __future__ import annotations

import numpy as np

from ..._compile import helper
from ...rule import decrement
from ..experience import END, FRESH, STARTS
from .memory import END_VALUE, FIRST, HIGH, LAST, LINKED, LOW, NEWEST, PATIENCE

AT_ONCE = 4  # queued states in a step
MATTERS = 0.3  # a change of U, in units of (1 - patience) |U|


@helper
def pair_value(memory, seen, s, a):
    """What is collected by taking ``a`` in ``s`` and following the plan."""
    n, onward, patience = seen.rewards.counts[s, a], memory.onward, memory.scale[PATIENCE]
    if n == 0:
        return memory.new[s, a] + patience * memory.scale[END_VALUE]
    total, row = 0.0, seen.rows[s, a]
    for k in range(row, row + seen.kinds[s, a]):
        total += seen.counts[k] * onward[seen.to[k]]
    return decrement(memory.gain[s, a], 1.0, n) + patience * total / n


@helper(apart=True)
def best_action(memory, task, seen, s):
    """The best action by the plan, whose value is kept."""
    best, chosen = -np.inf, 0
    for a in range(task.widths[s]):
        value = pair_value(memory, seen, s, a)
        if value > best:
            best, chosen = value, a
    memory.onward[s] = best
    return chosen


@helper
def add_to_queue(memory, s):
    queue, at = memory.queue, memory.at
    if queue[s] != 0:
        return
    queue[s] = 1 + s
    if at[FIRST] == 0:
        at[FIRST] = 1 + s
    else:
        queue[at[LAST] - 1] = 1 + s
    at[LAST] = 1 + s


@helper
def take_from_queue(memory):
    queue, at = memory.queue, memory.at
    s = at[FIRST] - 1
    at[FIRST] = 0 if queue[s] == 1 + s else queue[s]
    queue[s] = 0
    return s


@helper(apart=True)
def work_queue(memory, task, seen):
    done = 0
    while done < AT_ONCE and memory.at[FIRST] > 0:
        s = take_from_queue(memory)
        before = memory.onward[s]
        best_action(memory, task, seen, s)
        now, done = memory.onward[s], done + 1
        if abs(now - before) > MATTERS * (1.0 - memory.scale[PATIENCE]) * abs(now) + 1e-300:
            link = memory.heads[s]
            while link > 0:
                add_to_queue(memory, memory.links[0, link - 1])
                link = memory.links[1, link - 1]


@helper
def meet_state(memory, task, s):
    """A new state gets the value of the best untried pair when the plan was made."""
    scale = memory.scale
    for a in range(task.widths[s]):
        memory.gain[s, a], memory.new[s, a] = 1.0, scale[NEWEST]
    memory.onward[s] = scale[NEWEST] + scale[PATIENCE] * scale[END_VALUE]


@helper
def enter_outcome(memory, task, seen, step):
    s, after, scale = step.state, step.after, memory.scale
    scale[HIGH] = step.reward if step.reward > scale[HIGH] else scale[HIGH]
    scale[LOW] = step.reward if step.reward < scale[LOW] else scale[LOW]
    if task.discounts[after] == 0.0:
        after = seen.at[END] - 1
        memory.onward[after] = scale[END_VALUE]
    elif seen.visits[after] == 1:
        meet_state(memory, task, after)
    if seen.at[FRESH] == 1:
        link = memory.at[LINKED]
        memory.links[0, link], memory.links[1, link] = s, memory.heads[after]
        memory.heads[after] = memory.at[LINKED] = link + 1
        add_to_queue(memory, s)
    work_queue(memory, task, seen)


@helper
def enter_start(memory, task, seen, s):
    """U(END) is the mean over the starts; it is solved for in a plan, and moved in between."""
    scale = memory.scale
    if seen.visits[s] == 1:
        meet_state(memory, task, s)
    scale[END_VALUE] += (memory.onward[s] - scale[END_VALUE]) / seen.at[STARTS]
    if seen.at[END] > 0:
        memory.onward[seen.at[END] - 1] = scale[END_VALUE]
