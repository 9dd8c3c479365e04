"""How often a first try, or a second sample, is a surprise, by family.

The family of a state is the pair that first led to it; all starts are one.  A first try is a surprise if it led to a
new state or was better than all other actions of the state by .001 of the range of V; a second sample, if it was not
equal to the first.  600 identical actions behind one door are one family, and soon expected to bring nothing.
"""

from __future__ import annotations

import numpy as np

from ..._compile import helper
from ..experience import FRESH, MET
from .memory import SPAN

FIRST_TRY, SECOND_SAMPLE = 0, 1
MATTERS = 0.001
FEW = 2.0  # 1 covers worlds of many actions too slowly, 5 gives up too late


@helper
def rate(memory, which, s):
    """(1 + surprises)/(1 + all)."""
    t, a = memory.parent[0, s] - 1, memory.parent[1, s]
    if t < 0:
        return (1.0 + memory.begun[which, 0]) / (1.0 + memory.begun[which, 1])
    return (1.0 + memory.family[which, 0, t, a]) / (1.0 + memory.family[which, 1, t, a])


@helper
def promise(memory, s):
    """What is left of the value of a first try: all of it while one in FEW is a surprise.

    The best of many actions is rarely the next one, so that only families that bring less than this are given up.
    """
    found = FEW * rate(memory, FIRST_TRY, s)
    return found if found < 1.0 else 1.0


@helper
def count(memory, which, s, surprise):
    t, a = memory.parent[0, s] - 1, memory.parent[1, s]
    hit = 1 if surprise else 0
    if t < 0:
        memory.begun[which, 0] += hit
        memory.begun[which, 1] += 1
    else:
        memory.family[which, 0, t, a] += hit
        memory.family[which, 1, t, a] += 1


@helper
def value_now(memory, seen, discount, s, a):
    """Q(s, a) by the values of the last plan."""
    total, row = 0.0, seen.rows[s, a]
    for k in range(row, row + seen.kinds[s, a]):
        total += seen.counts[k] * memory.best.values[memory.model.number[seen.to[k]]]
    return seen.rewards.means[s, a] + discount * total / seen.rewards.counts[s, a]


@helper(apart=True)
def count_surprises(memory, task, seen, step, new):
    """``new``: whether the step led to a new state."""
    s, a = step.state, step.action
    n = seen.rewards.counts[s, a]
    if n == 2:
        count(memory, SECOND_SAMPLE, s, seen.at[FRESH] == 1 or seen.within[s, a] > 0.0)
    elif n == 1:
        best, found = -np.inf, False
        for b in range(task.widths[s]):
            if b != a and seen.rewards.counts[s, b] > 0:
                value = value_now(memory, seen, task.discount, s, b)
                best, found = value if value > best else best, True
        if found:
            better = value_now(memory, seen, task.discount, s, a) > best + MATTERS * memory.scale[SPAN]
            count(memory, FIRST_TRY, s, new or better)


@helper
def fill_rates(memory, seen):
    for i in range(seen.at[MET]):
        s = seen.order[i]
        memory.rates[FIRST_TRY, i + 1] = promise(memory, s)
        memory.rates[SECOND_SAMPLE, i + 1] = rate(memory, SECOND_SAMPLE, s)
