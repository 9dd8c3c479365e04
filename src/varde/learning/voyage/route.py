"""8. The way that collects most: policy iteration on what samples are worth, discounted by the patience of the plan.

END leads to the starts at once.  A pair never tried pays once and ends the episode: if it led back to itself the agent
would chase the last of them for ever.
"""

from __future__ import annotations

from ..._compile import helper
from .chart import OVER, STATES, ahead
from .solver import add_entry, solve


@helper
def pair_worth(chart, gains, novelty, p):
    n = chart.counts[p]
    return gains[p] / (n * (n + 1.0)) if n > 0 else novelty[p]


@helper
def onward(chart, gains, novelty, patience, p, values):
    """What a pair is worth with all that follows."""
    if chart.counts[p] == 0:
        return novelty[p] + patience * values[OVER]
    return pair_worth(chart, gains, novelty, p) + patience * ahead(chart, p, values)


@helper(apart=True)
def begin_route(chart, gains, novelty, patience, values, route):
    """The best actions by the values of the last plan; returns the largest worth of a pair."""
    top = 0.0
    for s in range(1, chart.size[STATES]):
        best, first = 0.0, chart.first[s]
        for p in range(first, chart.first[s + 1]):
            value = onward(chart, gains, novelty, patience, p, values)
            if p == first or value > best:
                best, route[s] = value, p - first
            worth = pair_worth(chart, gains, novelty, p)
            top = worth if worth > top else top
    return top


@helper(apart=True)
def route_round(solver, chart, rows, origin, gains, novelty, patience, top, values, route, b, most):
    """One round of policy iteration; returns whether the route changed, and the work."""
    size, k = chart.size[STATES], 0
    rows.first[0], b[0] = 0, 0.0
    for s in range(1, size):
        if origin[s] > 0.0:
            k = add_entry(rows, k, s, origin[s] / patience)
    rows.first[1] = k
    for s in range(1, size):
        p = chart.first[s] + route[s]
        b[s] = pair_worth(chart, gains, novelty, p)
        if chart.counts[p] == 0:
            k = add_entry(rows, k, OVER, 1.0)
        for o in range(chart.rows[p], chart.rows[p + 1]):
            k = add_entry(rows, k, chart.to[o], chart.share[o])
        rows.first[s + 1] = k
    work = solve(solver, rows, size, patience, values, b, 1e-4 * top, most)
    changed = False
    for s in range(1, size):
        own = chart.first[s] + route[s]
        best, chosen = onward(chart, gains, novelty, patience, own, values) + 1e-5 * top, own
        for p in range(chart.first[s], chart.first[s + 1]):
            if p != own:
                value = onward(chart, gains, novelty, patience, p, values)
                if value > best:
                    best, chosen = value, p
        if chosen != own:
            route[s] = chosen - chart.first[s]
            changed = True
    return changed, work + 3.0
