"""7. The value of an untried pair.

With all states as the objective: twice the largest c.  With the starts: what it could add, a jump to the best value
seen and the best reward, times the probability of getting there; squared, half of it, in units of c.
"""

from __future__ import annotations

from ..._compile import helper
from .memory import HIGH, LOW
from .model import OVER, STATES

NOVELTY = 2.0  # in units of the largest c; a decrement is at most half of c


@helper(apart=True)
def fill_reach(memory, discount):
    """Fill g, the best discounted probability of reaching each state from the starts, along one path with retries.

    Returns passes.
    """
    model, origin, reach = memory.model, memory.origin, memory.reach
    size, top, work = model.size[STATES], 0.0, 0.0
    for s in range(1, size):
        top = origin[s] if origin[s] > top else top
    for s in range(1, size):
        reach[s] = origin[s] / top
    for sweep in range(100):
        changed = False
        for i in range(1, size):
            s = i if sweep % 2 == 0 else size - i
            if reach[s] > 0.0:
                for k in range(model.rows[model.first[s]], model.rows[model.first[s + 1]]):
                    t, q = model.to[k], model.share[k]
                    if t not in (OVER, s):
                        found = reach[s] * discount * q / (1.0 - discount * discount * (1.0 - q))
                        if found > 1.001 * reach[t]:
                            reach[t], changed = found, True
        work += 2.0
        if not changed:
            break
    return work


@helper(apart=True)
def fill_novelty(memory, starts_only, covering, top):
    """Fill the novelty of untried pairs; ``top`` is the largest c.  Returns the largest.

    While the world is still being covered, c has no unit, and relative gains are used.
    """
    model, values, reach, novelty = memory.model, memory.best.values, memory.reach, memory.novelty
    span = memory.scale[HIGH] - memory.scale[LOW]
    size, largest = model.size[STATES], 0.0
    high, low = values[1], values[1]
    for s in range(1, size):
        high, low = values[s] if values[s] > high else high, values[s] if values[s] < low else low
    for s in range(1, size):
        worth = NOVELTY * top
        if starts_only:
            could = (high + span - values[s]) * reach[s]
            part = could / (high + span - low) if span > 0.0 else reach[s]
            worth *= part * part
            if span > 0.0 and not covering and 0.5 * could * could > worth:
                worth = 0.5 * could * could
        for p in range(model.first[s], model.first[s + 1]):
            novelty[p] = worth + 1e-12 * top if model.counts[p] == 0 else 0.0
            largest = novelty[p] if novelty[p] > largest else largest
    return largest
