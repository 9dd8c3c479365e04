"""6. c: the value of all samples of a pair together.  One more sample lowers the variance by c / (n (n + 1)).

With weights w_j = p_j (f(s) m_j)^2 of the decisions, c(s, a) = w_j s2(s, a) and
c(x, pi x) = s2(x, pi x) sum_j w_j I_j(x)^2.
"""

from __future__ import annotations

from ..._compile import helper
from .model import STATES
from .solver import cause


@helper
def fill_weights(memory):
    model = memory.model
    for s in range(1, model.size[STATES]):
        for p in range(model.first[s], model.first[s + 1]):
            cost = memory.focus[s] * memory.returns[p]
            memory.weights[p] = memory.wrong[p] * cost * cost


@helper
def fill_gains(memory):
    """Fill c; returns the largest."""
    model, gains, top = memory.model, memory.gains, 0.0
    for s in range(1, model.size[STATES]):
        own = model.first[s] + memory.best.policy[s]
        for p in range(model.first[s], model.first[s + 1]):
            gains[p] = memory.noise[p] * (cause(memory.solver, s) if p == own else memory.weights[p])
            gains[p] = gains[p] if model.counts[p] > 0 else 0.0
            top = gains[p] if gains[p] > top else top
    return top
