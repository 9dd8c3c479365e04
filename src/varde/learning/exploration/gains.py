"""Steps 1 to 6 of a plan (``plan.py``): the best policy of the model, how sure it is, and what samples are worth."""

from __future__ import annotations

import math

from ..._compile import helper
from ...random import bits
from ...rows import (
    SMALL,
    backed_up,
    chance,
    eliminate,
    expected,
    fill_chain,
    fill_dense,
    improve,
    is_tried,
    largest_size,
    passes,
    solve,
    transpose,
)
from ..loop import START

PRIOR = 5.0  # samples that the noise to be expected counts for
UNSEEN = 2.0  # deviation of the one pair more than was seen, in ranges of the rewards
PROBES = 8  # random right sides in place of an inverse
COARSE = 0.03  # residual of a probe, of its right side
LIKELY = 1e-3  # below this probability the cost of a decision does not matter
MANY = 1000  # states; with more, a quarter of the costs is updated in every plan
ROOT_HALF = math.sqrt(0.5)


@helper(apart=True)
def copy_data(memory, task, seen):
    """The data by rows; an episode that is over is state 0, which has no pairs."""
    model, number, met, pair, k = memory.model, memory.number, seen.totals.met[0], 0, 0
    for i in range(met):
        number[seen.order[i]] = i + 1
        memory.origin[i + 1] = seen.starts[seen.order[i]] / seen.totals.starts[0]
    for i in range(met):
        s = seen.order[i]
        model.first[i + 1] = pair
        for a in range(task.widths[s]):
            row = seen.rows[s, a]
            model.rows[pair], model.squares[pair] = k, seen.within[s, a]
            memory.tried[pair], memory.rewards[pair] = seen.rewards.counts[s, a], seen.rewards.means[s, a]
            for o in range(row, row + seen.kinds[s, a]):
                model.to[k], model.counts[k], model.means[k] = number[seen.to[o]], seen.counts[o], seen.means[o]
                k += 1
            pair += 1
    model.first[met + 1], model.rows[pair] = pair, k


# -- 1. the best policy of the model ---------------------------------------------------------------


@helper(apart=True)
def take_tried(model, size, policy):
    """Let the policy take a pair that was tried, wherever there is one."""
    for s in range(1, size):
        first = model.first[s]
        if not is_tried(model, first + policy[s]):
            for p in range(first, model.first[s + 1]):
                if is_tried(model, p):
                    policy[s] = p - first
                    break


@helper
def lowest_mean(memory, size):
    """The reward per step of a state without tried actions."""
    low, found = 0.0, False
    for p in range(memory.model.first[size]):
        if memory.tried[p] > 0 and (not found or memory.rewards[p] < low):
            low, found = memory.rewards[p], True
    return low


@helper(apart=True)
def value_round(memory, seen, size, answer, discount, last):
    """One round of policy iteration on ``answer``; returns whether the policy changed.

    ``last``: as exact as possible, for the report; for a plan 1e-5 of the range of rewards is enough.
    """
    model, values, b = memory.model, answer.values, memory.right
    low, span = lowest_mean(memory, size), seen.range[1] - seen.range[0]
    fill_chain(model, size, answer.policy, memory.chain)
    b[0] = values[0] = 0.0
    for s in range(1, size):
        p = model.first[s] + answer.policy[s]
        b[s] = memory.rewards[p] if memory.tried[p] > 0 else low
    fine, margin = (1e-9, 1e-10) if last else (1e-5, 1e-6)
    tolerance = fine * span + 1e-13 * largest_size(values, size)
    most = 400 if last else 60
    work = solve(memory.chain, size, discount, values, b, tolerance, most, memory.solver)
    top = largest_size(values, size)
    least = span if span > 1e-4 * top else 1e-4 * top
    memory.now.work[0] += work + 3.0
    return improve(model, size, discount, answer.policy, values, margin * least + 1e-12 * top)


# -- 2. noise --------------------------------------------------------------------------------------


@helper
def is_noisy(memory, p):
    """Whether a pair had different outcomes."""
    model = memory.model
    return model.rows[p + 1] - model.rows[p] > 1 or model.squares[p] > 0.0


@helper
def count_noisy(memory, s):
    """Of the pairs of a state, how many were tried twice or more, and how many of these had different outcomes."""
    judged, noisy = 0, 0
    for p in range(memory.model.first[s], memory.model.first[s + 1]):
        if memory.tried[p] > 1:
            judged += 1
            noisy += 1 if is_noisy(memory, p) else 0
    return judged, noisy


@helper(apart=True)
def fill_noise(memory, seen, size, discount):
    """Fill s2; returns whether there is any noise."""
    model, values, noise = memory.model, memory.best.values, memory.noise
    total, pairs, shares, states = 0.0, 0, 0.0, 0
    for s in range(1, size):
        for p in range(model.first[s], model.first[s + 1]):
            noise[p] = variance(memory, p, discount) if memory.tried[p] > 0 else 0.0
            if memory.tried[p] > 1 and is_noisy(memory, p):
                total += noise[p]
                pairs += 1
        judged, noisy = count_noisy(memory, s)
        states += 1 if judged > 0 else 0
        shares += noisy / judged if judged > 0 else 0.0
    unseen = UNSEEN * (seen.range[1] - seen.range[0])
    average, share = (total + unseen * unseen) / (pairs + 1), (0.5 + shares) / (states + 1)
    for s in range(1, size):
        judged, noisy = count_noisy(memory, s)
        for p in range(model.first[s], model.first[s + 1]):
            n, others, alike = memory.tried[p], judged, noisy
            if n > 1:
                others, alike = others - 1, alike - (1 if is_noisy(memory, p) else 0)
            prior = average * (share + alike) / (1.0 + others)
            noise[p] = (PRIOR * prior + n * noise[p]) / (PRIOR + n)
    top = largest_size(values, size)
    return average > 1e-20 * top * top


@helper
def variance(memory, p, discount):
    """Of r + g V(s') over the samples of a pair."""
    model, values, total = memory.model, memory.best.values, memory.model.squares[p]
    mean = backed_up(model, p, discount, values)
    for k in range(model.rows[p], model.rows[p + 1]):
        off = model.means[k] + discount * values[model.to[k]] - mean
        total += model.counts[k] * off * off
    return total / memory.tried[p]


# -- 3. 4. decisions that may be wrong -------------------------------------------------------------


@helper(apart=True)
def solve_probes(memory, chain, size, discount):
    right, found, dense = memory.probes[0], memory.probes[1], memory.solver.dense
    if size <= SMALL:
        fill_dense(dense, chain, size, discount)
        for s in range(size):
            for k in range(PROBES):
                dense[s, size + k] = right[k, s]
        eliminate(dense, size, size + PROBES)
        for s in range(size):
            for k in range(PROBES):
                found[k, s] = dense[s, size + k]
        memory.now.work[0] += passes(chain, size, PROBES)
        return
    for k in range(PROBES):
        b, x = right[k], found[k]
        for s in range(size):
            x[s] = b[s]
        tolerance = COARSE * largest_size(b, size)
        memory.now.work[0] += solve(chain, size, discount, x, b, tolerance, 60, memory.solver)


@helper(apart=True)
def solve_errors(memory, size, discount, rng):
    """Probes of the errors of V; an untried pair counts as half a sample."""
    model, right = memory.model, memory.probes[0]
    right[:, 0] = 0.0
    for s in range(1, size):
        p, signs = model.first[s] + memory.best.policy[s], bits(rng)
        root = math.sqrt(memory.noise[p] / (memory.tried[p] if memory.tried[p] > 0 else 0.5))
        for k in range(PROBES):
            right[k, s] = root if ((signs >> (8 + k)) & 1) == 1 else -root
    solve_probes(memory, memory.chain, size, discount)


@helper(apart=True)
def fill_doubts(memory, size, discount):
    """Fill p_j, 0 for the policy's own pairs and those never tried, and m_j."""
    model, values, wrong, found = memory.model, memory.best.values, memory.wrong, memory.probes[1]
    for s in range(1, size):
        own = model.first[s] + memory.best.policy[s]
        for p in range(model.first[s], model.first[s + 1]):
            wrong[p] = 0.0
            if p == own or memory.tried[p] == 0:
                continue
            variance = memory.noise[p] / memory.tried[p]
            for k in range(PROBES):
                off = found[k, s] - discount * expected(model, p, found[k])
                variance += off * off / PROBES
            gap = values[s] - backed_up(model, p, discount, values)
            wrong[p] = 0.5 * math.erfc(ROOT_HALF * gap / math.sqrt(variance)) if variance > 0.0 else 0.0
            if size <= MANY or (p + memory.now.plans[0]) % 4 == 0:
                likely = wrong[p] > LIKELY
                memory.returns[p] = returns_factor(memory, s, p, discount) if likely else 1.0


@helper(apart=True)
def returns_factor(memory, s, p, discount):
    """1/(1 - g F): returns within at most three steps, with self-loops and detours summed up."""
    model, back = memory.model, 0.0
    for o in range(model.rows[p], model.rows[p + 1]):
        t = model.to[o]
        back += model.counts[o] * (1.0 if t == s else chance_back(memory.chain, t, s, discount))
    back /= memory.tried[p]
    return 1.0 / (1.0 - discount * (back if back < 1.0 else 1.0))


@helper(apart=True)
def chance_back(chain, t, s, discount):
    """The discounted probability of reaching ``s`` from ``t``."""
    back, stay = 0.0, 0.0
    for k in range(chain.first[t], chain.first[t + 1]):
        u, q = chain.to[k], chain.share[k]
        if u == s:
            back += q
        elif u == t:
            stay += q
        else:
            open_ = q * discount / (1.0 - discount * chance(chain, u, u))
            back += open_ * chance(chain, u, s)
            stay += open_ * chance(chain, u, t)
    stay = stay if stay < 0.999999 else 0.999999
    found = discount * back / (1.0 - discount * stay)
    return found if found < 1.0 else 1.0


# -- 5. how much a state matters -------------------------------------------------------------------


@helper(apart=True)
def fill_reach(memory, size, discount):
    """Fill g, the best discounted probability of reaching each state from the starts, along one path with retries."""
    model, origin, reach, top = memory.model, memory.origin, memory.reach, 0.0
    for s in range(1, size):
        top = origin[s] if origin[s] > top else top
    for s in range(size):
        reach[s] = origin[s] / top
    for sweep in range(100):
        changed = False
        for i in range(1, size):
            s = i if sweep % 2 == 0 else size - i
            if reach[s] > 0.0:
                for p in range(model.first[s], model.first[s + 1]):
                    for k in range(model.rows[p], model.rows[p + 1]):
                        t, q = model.to[k], model.counts[k] / memory.tried[p]
                        if t != s:
                            found = reach[s] * discount * q / (1.0 - discount * discount * (1.0 - q))
                            if found > 1.001 * reach[t]:
                                reach[t], changed = found, True
        memory.now.work[0] += 2.0
        if not changed:
            break


# -- 6. what samples are worth ---------------------------------------------------------------------


@helper(apart=True)
def fill_gains(memory, task, size, discount, rng):
    """Fill c, in place of the weights; returns the largest."""
    model, weights, right, found = memory.model, memory.weights, memory.probes[0], memory.probes[1]
    right[:, :size] = 0.0
    for s in range(1, size):
        for p in range(model.first[s], model.first[s + 1]):
            cost = memory.returns[p] * (memory.reach[s] if task.objective == START else 1.0)
            weights[p] = memory.wrong[p] * cost * cost
            if weights[p] > 1e-30:
                root, signs = math.sqrt(weights[p]), bits(rng)
                for k in range(PROBES):
                    signed = root if ((signs >> (8 + k)) & 1) == 1 else -root
                    right[k, s] += signed
                    signed *= discount / memory.tried[p]
                    for o in range(model.rows[p], model.rows[p + 1]):
                        right[k, model.to[o]] -= signed * model.counts[o]
    transpose(memory.chain, size, memory.turned)
    solve_probes(memory, memory.turned, size, discount)
    top = 0.0
    for s in range(1, size):
        own = model.first[s] + memory.best.policy[s]
        for p in range(model.first[s], model.first[s + 1]):
            if p == own:
                weights[p] = 0.0
                for k in range(PROBES):
                    weights[p] += found[k, s] * found[k, s] / PROBES
            weights[p] *= memory.noise[p] if memory.tried[p] > 0 else 0.0
            top = weights[p] if weights[p] > top else top
    return top
