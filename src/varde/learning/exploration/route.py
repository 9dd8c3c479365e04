"""8. The exploration policy: policy iteration on the value of samples, discounted by the patience of the plan.

END leads to the starts at once.  An untried pair pays once and ends the episode: if it led back to itself the agent
would chase the last of them for ever.
"""

from __future__ import annotations

from ..._compile import helper
from .memory import PATIENCE, TOP
from .model import OVER, STATES, ahead
from .solver import add_entry, solve_route


@helper
def pair_worth(memory, p):
    n = memory.model.counts[p]
    return memory.gains[p] / (n * (n + 1.0)) if n > 0 else memory.novelty[p]


@helper(apart=True)
def onward(memory, p):
    """The value of a pair with everything that follows."""
    patience, values = memory.scale[PATIENCE], memory.exploration.values
    if memory.model.counts[p] == 0:
        return memory.novelty[p] + patience * values[OVER]
    return pair_worth(memory, p) + patience * ahead(memory.model, p, values)


@helper(apart=True)
def begin_route(memory):
    """The best actions by the values of the last plan; returns the largest worth of a pair."""
    top, model, route = 0.0, memory.model, memory.exploration.policy
    for s in range(1, model.size[STATES]):
        best, first = 0.0, model.first[s]
        for p in range(first, model.first[s + 1]):
            value, worth = onward(memory, p), pair_worth(memory, p)
            if p == first or value > best:
                best, route[s] = value, p - first
            top = worth if worth > top else top
    return top


@helper(apart=True)
def route_rows(memory, b):
    """P of the exploration policy, and the values of its pairs."""
    model, rows, origin = memory.model, memory.rows, memory.origin
    size, k = model.size[STATES], 0
    rows.first[0], b[0] = 0, 0.0
    for s in range(1, size):
        if origin[s] > 0.0:
            k = add_entry(rows, k, s, origin[s] / memory.scale[PATIENCE])
    rows.first[1] = k
    for s in range(1, size):
        p = model.first[s] + memory.exploration.policy[s]
        b[s] = pair_worth(memory, p)
        if model.counts[p] == 0:
            k = add_entry(rows, k, OVER, 1.0)
        for o in range(model.rows[p], model.rows[p + 1]):
            k = add_entry(rows, k, model.to[o], model.share[o])
        rows.first[s + 1] = k


@helper(apart=True)
def route_round(memory, most):
    """One round of policy iteration; returns whether the route changed, and the work."""
    model, route, top = memory.model, memory.exploration.policy, memory.scale[TOP]
    size, b, patience = model.size[STATES], memory.spare, memory.scale[PATIENCE]
    route_rows(memory, b)
    work = solve_route(memory.solver, memory.rows, size, patience, memory.exploration.values, b, 1e-4 * top, most)
    changed = False
    for s in range(1, size):
        own = model.first[s] + route[s]
        best, chosen = onward(memory, own) + 1e-5 * top, own
        for p in range(model.first[s], model.first[s + 1]):
            if p != own:
                value = onward(memory, p)
                if value > best:
                    best, chosen = value, p
        if chosen != own:
            route[s] = chosen - model.first[s]
            changed = True
    return changed, work + 3.0
