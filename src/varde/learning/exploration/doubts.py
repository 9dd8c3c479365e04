"""3. 4. Decision j = (s, a), a != pi(s): the chance p_j that it is wrong, and m_j, what that would cost.

The gap V(s) - Q(s, a) has variance s2(s, a)/n(s, a) + sum_x I_j(x)^2 s2(x, pi x)/n(x, pi x) by the delta method, with
influences I_j = (unit_s - g P(.|s, a)) (I - g P_pi)^-1.  A wrong action is taken at every return to s, m_j times.
"""

from __future__ import annotations

import math

from ..._compile import helper
from .memory import PLANS
from .model import STATES, ahead
from .solver import gap_error, returns_factor

ROOT_HALF = math.sqrt(0.5)
LIKELY = 1e-3  # below this probability the cost of a decision does not matter
AT_ONCE = 1001  # states and END; with more, a quarter of the costs is updated in every plan


@helper
def policy_errors(memory, errors):
    """Fill the variances of the policy's own backups; an untried pair counts as half a sample."""
    model, policy, noise = memory.model, memory.best.policy, memory.noise
    errors[0] = 0.0
    for s in range(1, model.size[STATES]):
        p = model.first[s] + policy[s]
        errors[s] = noise[p] / (model.counts[p] if model.counts[p] > 0 else 0.5)


@helper(apart=True)
def fill_doubts(memory, discount):
    """Fill p_j, 0 for the policy's own pairs and those never tried, and m_j."""
    solver, model, policy, values = memory.solver, memory.model, memory.best.policy, memory.best.values
    noise, wrong, returns = memory.noise, memory.wrong, memory.returns
    size, turn = model.size[STATES], memory.at[PLANS]
    for s in range(1, size):
        own = model.first[s] + policy[s]
        for p in range(model.first[s], model.first[s + 1]):
            wrong[p] = 0.0
            if p == own or model.counts[p] == 0:
                continue
            variance = noise[p] / model.counts[p] + gap_error(solver, model, s, p, discount)
            gap = values[s] - model.means[p] - discount * ahead(model, p, values)
            wrong[p] = 0.5 * math.erfc(ROOT_HALF * gap / math.sqrt(variance)) if variance > 0.0 else 0.0
            if size <= AT_ONCE or (p + turn) % 4 == 0:
                likely = wrong[p] > LIKELY
                returns[p] = returns_factor(solver, model, s, p, discount) if likely else 1.0
