"""How sure is each decision of a learned policy?  The delta method on the model of the data.

Let pi, V be the best policy of the model seen and M = (I - gamma P_pi)^-1.  Decision j = (s, a) with a != pi(s)
is right as long as the gap V(s) - Q(s, a) is positive.  A change of the estimate of a pair (x, pi x) moves the gap by
its influence

    I_j(x) = M(s, x) - gamma sum_t P(t|s, a) M(t, x),        that of (s, a) itself being -1,

so that the gap has variance v_j = s2(s, a)/n(s, a) + sum_x I_j(x)^2 s2(x, pi x)/n(x, pi x), where s2 is the noise of
one backup, r + gamma V(s'), shrunk to the average of all pairs.  The decision is wrong with probability
Phi(-z_j), z_j = gap / sqrt(v_j).  If it is, taking a at every visit of s changes the value by the gap times the
discounted returns to s,

    m_j = M(s, s) / (1 + gamma sum_t (P(t|s, pi s) - P(t|s, a)) M(t, s)),

and E[(negative part)^2] grows with v_j at the rate w_j = m_j^2 Phi(-z_j).  So sum_j w_j v_j is the variance of the
policy in squared units of value, and

    c(s, a) = w_j s2(s, a),      c(x, pi x) = s2(x, pi x) sum_j w_j I_j(x)^2

are its weights: one more sample of a pair lowers it by c / (n (n + 1)), the decrement of ``rule.py``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..worlds.solve import Solution, backup, invert, make_solution, policy_matrix
from .experience import expectation, share

SHRINKAGE = 5.0  # samples that the average noise counts for
ROOT_HALF = math.sqrt(0.5)


class Doubts(NamedTuple):
    solution: Solution  # of the model seen
    inverse: np.ndarray  # [S, S] M
    noise: np.ndarray  # [S, A] s2
    errors: np.ndarray  # [S] s2 / n of (x, pi x)
    influence: np.ndarray  # [S] I_j
    shared: np.ndarray  # [S] sum_j w_j I_j^2
    weights: np.ndarray  # [S, A] c
    gaps: np.ndarray  # [S, A] V(s) - Q(s, a) of an action tried and not taken
    spreads: np.ndarray  # [S, A] v of that gap
    wrong: np.ndarray  # [S] probability that the action is not the best, at most the sum over the others


def make_doubts(num_states: int, num_actions: int) -> Doubts:
    return Doubts(
        make_solution(num_states),
        np.zeros((num_states, num_states)),
        np.zeros((num_states, num_actions)),
        np.zeros(num_states),
        np.zeros(num_states),
        np.zeros(num_states),
        np.zeros((num_states, num_actions)),
        np.zeros((num_states, num_actions)),
        np.zeros((num_states, num_actions)),
        np.zeros(num_states),
    )


@helper(apart=True)
def backup_noise(seen, discounts, doubts):
    """Fill s2; returns whether there is any noise to speak of."""
    noise, values, counts = doubts.noise, doubts.solution.values, seen.rewards.counts
    total, samples, top = 0.0, 0, 0.0
    for s in range(noise.shape[0]):
        top = max(top, abs(values[s]))
        for a in range(noise.shape[1]):
            if seen.kinds[s, a] > 0:
                mean, spread = expectation(seen, s, a, values), 0.0
                for k in range(seen.kinds[s, a]):
                    after, probability = share(seen, s, a, k)
                    spread += probability * (values[after] - mean) * (values[after] - mean)
                noise[s, a] = seen.rewards.squares[s, a] / counts[s, a] + discounts[s] * discounts[s] * spread
                total += counts[s, a] * noise[s, a]
                samples += counts[s, a]
    pooled = total / samples
    for s in range(noise.shape[0]):
        for a in range(noise.shape[1]):
            own = counts[s, a] * noise[s, a] if seen.kinds[s, a] > 0 else 0.0
            noise[s, a] = (SHRINKAGE * pooled + own) / (SHRINKAGE + counts[s, a])
    return pooled > 1e-20 * top * top


@helper(apart=True)
def decision(known, discounts, doubts, s, a):
    """Fill the influence of the decision for pi(s) against ``a``; returns P(it is wrong) and w."""
    seen, inverse, influence = known.seen, doubts.inverse, doubts.influence
    own, discount = doubts.solution.policy[s], discounts[s]
    source, returns = inverse[s], 1.0
    for x in range(influence.size):
        influence[x] = source[x]
    for k in range(seen.kinds[s, a]):
        after, probability = share(seen, s, a, k)
        source, factor = inverse[after], discount * probability
        for x in range(influence.size):
            influence[x] -= factor * source[x]
        returns -= factor * source[s]
    for k in range(seen.kinds[s, own]):
        after, probability = share(seen, s, own, k)
        returns += discount * probability * inverse[after, s]
    variance = doubts.noise[s, a] / seen.rewards.counts[s, a]
    for x in range(influence.size):
        variance += influence[x] * influence[x] * doubts.errors[x]
    gap = doubts.solution.values[s] - backup(known, s, a, discount, doubts.solution.values)
    wrong = 0.5 * math.erfc(ROOT_HALF * gap / math.sqrt(variance)) if variance > 0.0 else 0.5
    m = inverse[s, s] / returns
    doubts.gaps[s, a], doubts.spreads[s, a] = gap, variance
    return wrong, m * m * wrong


@helper(apart=True)
def weigh_doubts(known, task, doubts):
    """From the solved model, fill the weights, the largest being 1, and the probabilities of error.

    Where nothing is noisy, or nothing in doubt, every pair weighs the same.  A state with an action never tried is
    in doubt whatever the others look like.
    """
    seen, discounts, solution, weights, shared = (
        known.seen,
        task.discounts,
        doubts.solution,
        doubts.weights,
        doubts.shared,
    )
    policy = solution.policy
    noisy = backup_noise(seen, discounts, doubts)
    policy_matrix(known, discounts, policy, solution.matrix, doubts.influence)
    invert(solution.matrix, doubts.inverse)
    for x in range(discounts.size):
        count = seen.rewards.counts[x, policy[x]]
        doubts.errors[x] = doubts.noise[x, policy[x]] / (count if count > 0 else 0.5)
        shared[x] = 0.0
    for s in range(discounts.size):
        doubts.wrong[s] = 0.0
        for a in range(task.num_actions):
            weights[s, a] = 0.0
            if discounts[s] == 0.0 or a >= task.widths[s]:  # the episode is over: nothing to decide; no such action
                continue
            if seen.kinds[s, a] == 0:
                doubts.wrong[s] = 1.0
            elif a != policy[s]:
                wrong, weight = decision(known, discounts, doubts, s, a)
                doubts.wrong[s] = min(1.0, doubts.wrong[s] + wrong)
                weights[s, a] = weight * doubts.noise[s, a]
                for x in range(shared.size):
                    shared[x] += weight * doubts.influence[x] * doubts.influence[x]
    top = 0.0
    for s in range(discounts.size):
        weights[s, policy[s]] = shared[s] * doubts.noise[s, policy[s]]
        for a in range(task.num_actions):
            top = max(top, weights[s, a])
    for s in range(discounts.size):
        for a in range(task.num_actions):
            weights[s, a] = weights[s, a] / top if noisy and top > 0.0 else 1.0
