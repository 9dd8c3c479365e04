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

and E[(negative part)^2] grows with v_j at the rate g_j = m_j^2 Phi(-z_j).  So sum_j g_j v_j is the variance of the
policy in squared units of value, and the squared influence of a pair on it is

    w^2(s, a) = g_j,      w^2(x, pi x) = sum_j g_j I_j(x)^2:

one more sample of a pair lowers the variance by the decrement of ``rule.py``, w^2 s2 / (n (n + 1)).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..decisions.decision import weigh
from ..noise import Pooled
from ..parts import error, noise, samples
from ..worlds.solve import Solution, backup, evaluate_policy, invert, iterate_policy, make_solution, policy_matrix
from .experience import Known, expectation, share, take_means
from .loop import Task

PRIOR = Pooled().prior  # samples that the average noise counts for
ROOT_HALF = math.sqrt(0.5)


class Pairs(NamedTuple):
    """What the decisions of a policy compare: pairs i = (s, a), sampled by their backups."""

    noise: np.ndarray  # [S, A] s2
    counts: np.ndarray  # [S, A] n


@noise.of(Pairs)
def noise_of_backup(parts, i):
    return parts.noise[i]


@samples.of(Pairs)
def times_tried(parts, i):
    return parts.counts[i]


@error.of(Pairs)
def error_of_backup(parts, i):
    """s2 / n; a pair never tried counts for half a sample."""
    return parts.noise[i] / (parts.counts[i] if parts.counts[i] > 0 else 0.5)


class Doubts(NamedTuple):
    solution: Solution  # of the model seen
    inverse: np.ndarray  # [S, S] M
    noise: np.ndarray  # [S, A] s2
    errors: np.ndarray  # [S] s2 / n of (x, pi x)
    influence: np.ndarray  # [S] I_j
    shared: np.ndarray  # [S] sum_j g_j I_j^2
    square: np.ndarray  # [S, A] w^2, in the end w^2 s2
    gaps: np.ndarray  # [S, A] V(s) - Q(s, a) of an action tried and not taken
    spreads: np.ndarray  # [S, A] v of that gap
    wrong: np.ndarray  # [S] probability that the action is not the best, at most the sum over the others


class Contrasts(NamedTuple):
    """The decisions of a policy: is pi(s) better than a, for all s and a?"""

    known: Known
    task: Task
    doubts: Doubts


def make_doubts(num_states: int, num_actions: int) -> Doubts:
    pairs = (num_states, num_actions)
    return Doubts(
        make_solution(num_states),
        np.zeros((num_states, num_states)),
        np.ones(pairs),
        np.zeros(num_states),
        np.zeros(num_states),
        np.zeros(num_states),
        np.ones(pairs),
        np.zeros(pairs),
        np.zeros(pairs),
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
            noise[s, a] = (PRIOR * pooled + own) / (PRIOR + counts[s, a])
    return pooled > 1e-20 * top * top


@helper(apart=True)
def contrast(decision, parts, s, a):
    """Fill the influence of the decision for pi(s) against ``a``; returns P(it is wrong) and g."""
    known, discounts, doubts = decision.known, decision.task.discounts, decision.doubts
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
    variance = error(parts, (s, a))
    for x in range(influence.size):
        variance += influence[x] * influence[x] * doubts.errors[x]
    gap = doubts.solution.values[s] - backup(known, s, a, discount, doubts.solution.values)
    wrong = 0.5 * math.erfc(ROOT_HALF * gap / math.sqrt(variance)) if variance > 0.0 else 0.5
    m = inverse[s, s] / returns
    doubts.gaps[s, a], doubts.spreads[s, a] = gap, variance
    return wrong, m * m * wrong


@weigh.of(Contrasts)
def weigh_contrasts(decision, parts, square):
    """Fill w^2 and, on the way, the probabilities of error.

    A state with an action never tried is in doubt whatever the others look like.
    """
    known, task, doubts = decision.known, decision.task, decision.doubts
    seen, discounts, policy, shared = known.seen, task.discounts, doubts.solution.policy, doubts.shared
    policy_matrix(known, discounts, policy, doubts.solution.matrix, doubts.influence)
    invert(doubts.solution.matrix, doubts.inverse)
    for s in range(discounts.size):
        doubts.errors[s] = error(parts, (s, policy[s])) if discounts[s] > 0.0 else 0.0
        shared[s] = 0.0
    for s in range(discounts.size):
        doubts.wrong[s] = 0.0
        for a in range(task.num_actions):
            square[s, a] = 0.0
        if discounts[s] == 0.0:  # the episode is over: nothing to decide
            continue
        for a in range(task.widths[s]):
            if seen.kinds[s, a] == 0:
                doubts.wrong[s] = 1.0
            elif a != policy[s]:
                wrong, weight = contrast(decision, parts, s, a)
                doubts.wrong[s] = min(1.0, doubts.wrong[s] + wrong)
                square[s, a] = weight
                for x in range(shared.size):
                    shared[x] += weight * doubts.influence[x] * doubts.influence[x]
    for s in range(discounts.size):
        square[s, policy[s]] = shared[s]
    return -1


@helper(apart=True)
def weigh_pairs(decision):
    """From the solved model, fill the noise, then w^2 in units of it: w^2 s2, the largest being 1.

    Where nothing is noisy, or nothing in doubt, every pair counts the same.
    """
    doubts = decision.doubts
    parts, square = Pairs(doubts.noise, decision.known.seen.rewards.counts), doubts.square
    noisy = backup_noise(decision.known.seen, decision.task.discounts, doubts)
    weigh(decision, parts, square)
    top = 0.0
    for s in range(square.shape[0]):
        for a in range(square.shape[1]):
            square[s, a] *= noise(parts, (s, a))
            top = max(top, square[s, a])
    for s in range(square.shape[0]):
        for a in range(square.shape[1]):
            square[s, a] = square[s, a] / top if noisy and top > 0.0 else 1.0


# -- what data say -------------------------------------------------------------------------------


class Appraisal(NamedTuple):
    doubts: Doubts
    reported: Solution  # a policy and what it is worth
    rewards: np.ndarray  # [S, A] of ``Known``


def make_appraisal(task: Task) -> Appraisal:
    size, actions = task.discounts.size, task.num_actions
    return Appraisal(make_doubts(size, actions), make_solution(size), np.zeros((size, actions)))


@helper(apart=True)
def value_and_doubt(task, seen, found):
    """The best policy of the model and its doubts, and the values of the policy in ``reported``."""
    known = Known(seen, found.rewards)
    take_means(known)
    evaluate_policy(known, task.discounts, found.reported)
    iterate_policy(known, task.discounts, task.num_actions, found.doubts.solution)
    weigh_pairs(Contrasts(known, task, found.doubts))
