"""The unit of rewards, for algorithms whose papers assume rewards between 0 and 1.

Their constants are in that unit: the optimistic value of an untried pair, the size of a bonus, the width of a prior.
Here low, unit and top stand for 0, 1 and 1.  A table without normal noise says which rewards there are (``Task.least``
and ``Task.most``); the rivers of the paper, where they are 0 or 1, are such tables, so that nothing changes there.  In
other worlds the range is that of the rewards seen, and an untried pair may pay more than anything seen by the same
range again.  Until two rewards differ any unit will do; when they do, optimistic values are converted to the new one.

The end of an episode has value 0 and counts as a reward seen: where episodes end, zero has a meaning.
"""

from __future__ import annotations

from typing import NamedTuple

from .._compile import helper


class Scale(NamedTuple):
    low: float  # the lowest reward
    unit: float
    top: float  # the highest reward to be hoped for
    guessed: bool  # no two rewards differ so far


@helper
def scale_between(low, high, told):
    unit = high - low if high > low else 1.0
    return Scale(low, unit, low + unit if told or high <= low else high + unit, high <= low)


@helper
def first_scale(task):
    """Before anything was seen."""
    return scale_between(task.least, task.most, True) if task.most >= task.least else Scale(0.0, 1.0, 1.0, True)


@helper
def scale_of(task, seen):
    if task.most >= task.least or seen.range[1] < seen.range[0]:
        return first_scale(task)
    return scale_between(seen.range[0], seen.range[1], False)


@helper
def is_new(seen, reward):
    return reward < seen.range[0] or reward > seen.range[1]


@helper
def widen(seen, reward):
    seen.range[0], seen.range[1] = min(seen.range[0], reward), max(seen.range[1], reward)


@helper
def hoped(value, before, now, horizon):
    """An optimistic value, still without evidence, in a new scale."""
    share = (value - before.low * horizon) / (before.top - before.low)
    return now.low * horizon + share * (now.top - now.low)


@helper
def learned(value, before, now, horizon):
    """A value based on rewards and optimistic values, which are in a guessed unit."""
    origin = before.low * horizon
    return origin + (value - origin) * now.unit if before.guessed else value


@helper(apart=True)
def rescale_table(q, seen, before, now, horizon):
    """Q(s, a) in a new scale."""
    for s in range(q.shape[0]):
        for a in range(q.shape[1]):
            if seen.rewards.counts[s, a] == 0:
                q[s, a] = hoped(q[s, a], before, now, horizon)
            else:
                q[s, a] = learned(q[s, a], before, now, horizon)
