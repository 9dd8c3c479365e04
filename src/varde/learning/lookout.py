"""What a learner can notice of a world that is not as it takes it to be: hidden state or drift, and a way of no return.

Residuals.  e = r + g V(s') - Q(s, a), Q from the samples of the pair before this one, V that of the last plan for both.
If the observation is a state, successive e of a pair are uncorrelated, whatever chose the actions.  The variance of
sum e e' is taken as (sum e^2)^2 / n, as for n equally likely orders of the same e: one rare outcome does not alarm;
or as sum (e e')^2 where that is larger: a V that was far off for a while does not, either.  z is the mean of these
deviates over pairs, weighted by the root of their samples.

Stuck.  The states that the outcomes seen lead to from here, where the end of an episode leads to the starts, do not
include some that were met; and every action of them was tried ``ENOUGH`` times, so that none of them is the way back.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .._compile import helper, kernel

ALARM = 5.0  # z at which observations are said not to be states: 4 of 676 worlds without anything hidden
ENOUGH = 10  # tries of an action that led nowhere else
SINCE, REACHED, LOST, RESTARTS = range(4)


class Lookout(NamedTuple):
    queue: np.ndarray  # [S] states reached
    marks: np.ndarray  # [S] whether a state was reached
    found: np.ndarray  # [4] the step since which it is stuck or 0, states reached and lost, how often it began anew


class Noticed(NamedTuple):
    """What was noticed when a policy was asked for."""

    z: float = 0.0
    since: int = 0  # the step since which learning is stuck; 0 if it is not
    reached: int = 0  # states that can be reached,
    lost: int = 0  # and states met before that cannot
    restarts: int = 0  # how often a world was begun anew since learning was stuck
    low: float = 0.0  # the lowest and the highest reward
    high: float = 0.0

    @property
    def alarm(self) -> bool:
        """Whether what follows an action depends on more than the state."""
        return self.z > ALARM


NOTHING = Noticed()


def make_lookout(states: int) -> Lookout:
    return Lookout(np.zeros(states, np.int64), np.zeros(states, np.int64), np.zeros(4, np.int64))


@helper(apart=True)
def look_around(task, seen, here, lookout):
    """Fill ``found``: whether states met before can no longer be reached from ``here``."""
    queue, marks, found, met, many = lookout.queue, lookout.marks, lookout.found, task.met[0], 0
    found[SINCE] = 0
    for s in range(met):
        marks[s] = 0
    if task.discounts[here] > 0.0:
        marks[here], queue[0], many = 1, here, 1
    else:
        many = reach_starts(seen, lookout, met, many)
    i = 0
    while i < many:
        s, i = queue[i], i + 1
        for a in range(task.widths[s]):
            if seen.rewards.counts[s, a] < ENOUGH:
                return
            row = seen.rows[s, a]
            for k in range(row, row + seen.kinds[s, a]):
                t = seen.to[k]
                if marks[t] == 0:
                    marks[t] = 1
                    if task.discounts[t] == 0.0:
                        many = reach_starts(seen, lookout, met, many)
                    else:
                        queue[many], many = t, many + 1
    lost, since = 0, 0
    for s in range(met):
        if marks[s] == 0 and seen.visits[s] > 0:
            lost, since = lost + 1, max(since, seen.last[s] + 1)
    found[SINCE], found[REACHED], found[LOST] = since, many, lost


@helper
def reach_starts(seen, lookout, met, many):
    for s in range(met):
        if seen.starts[s] > 0 and lookout.marks[s] == 0:
            lookout.marks[s], lookout.queue[many], many = 1, s, many + 1
    return many


@kernel
def survey(task, seen, now, lookout):
    if now.state[0] >= 0:
        look_around(task, seen, now.state[0], lookout)


def noticed(run: Any) -> Noticed:
    """What can be noticed now."""
    survey.sized(20.0 * float(run.task.met[0]), run.task, run.seen, run.now, run.lookout)
    past, found = run.seen.residuals, run.lookout.found.tolist()
    count, noisy = run.seen.rewards.counts - 1.0, past.squares > 0.0
    n, spread = count[noisy], np.maximum(past.squares[noisy] ** 2 / count[noisy], past.spread[noisy])
    z = float((past.products[noisy] * np.sqrt(n / spread)).sum() / math.sqrt(n.sum())) if noisy.any() else 0.0
    return Noticed(z, *(found if found[SINCE] else (0, 0, 0, found[RESTARTS])), *map(float, run.seen.range))
