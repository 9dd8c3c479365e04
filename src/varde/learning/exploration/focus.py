"""5. How much a state matters: 1 for all states, or the discounted visits from the starts, at most 1.

The visits are those of all policies that may be the best, not only of the apparent best: an action not taken is
weighted by the probability that it is better.
"""

from __future__ import annotations

from ..._compile import helper
from .model import OUTCOMES, STATES

LONGEST = 0.999  # discount of the visits at most


@helper(apart=True)
def fill_focus(memory, discount):
    """Fill f from the visits, by power iteration from those of the last plan; returns passes."""
    model, visits, focus, moved = memory.model, memory.visits, memory.focus, memory.spare
    size, discount = model.size[STATES], discount if discount < LONGEST else LONGEST
    sweeps = int(3e5 / (model.size[OUTCOMES] + 1))
    sweeps = 10 if sweeps < 10 else 200 if sweeps > 200 else sweeps
    work = 0.0
    for _ in range(sweeps):
        for s in range(size):
            moved[s] = memory.origin[s]
        for s in range(1, size):
            if visits[s] >= 1e-9:
                pass_on(memory, discount * visits[s], s)
        change, total = 0.0, 0.0
        for s in range(1, size):
            change += abs(visits[s] - moved[s])
            total += moved[s]
            visits[s] = moved[s]
        work += 2.0
        if change < 0.002 * total:
            break
    top = 0.0
    for s in range(1, size):
        focus[s] = visits[s] if visits[s] < 1.0 else 1.0
        top = focus[s] if focus[s] > top else top
    for s in range(1, size):
        focus[s] = focus[s] if focus[s] > 1e-6 * top else 1e-6 * top
    return work


@helper
def pass_on(memory, amount, s):
    """Spread an amount over the successors of ``s`` under the plausible policies."""
    model, wrong, moved = memory.model, memory.wrong, memory.spare
    first, last, others = model.first[s], model.first[s + 1], 0.0
    for p in range(first, last):
        others += wrong[p]
    least = 1.0 / (last - first)
    own = 1.0 - others if 1.0 - others > least else least
    for p in range(first, last):
        part = (own if p == first + memory.best.policy[s] else wrong[p]) / (own + others) * amount
        if part >= 1e-9 and model.counts[p] > 0:
            for k in range(model.rows[p], model.rows[p + 1]):
                moved[model.to[k]] += part * model.share[k]
