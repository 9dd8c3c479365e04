"""A plan of the default (``explorer.py``): what each pair is worth to sample, and the policy that collects most of it.

1. V and pi: policy iteration on the model of the data, over the pairs tried.
2. s2(s, a): the variance of r + g V(s'), reward and successor together, shrunk towards what is to be expected of a
   pair: how noisy noisy ones are, times the share of noisy ones.  Both are judged by the family of the state, the share
   also by the other actions of the state.  A family are the states that the same pair leads to most often, and in the
   world each counts once: the rooms behind one door, however many, are one piece of evidence.  Of the whole world there
   is one pair more than was seen, whose deviation is twice the range of the rewards, those there are if they are known.
3. Decision j = (s, a), a != pi(s), is wrong with the chance p_j = Phi(-gap/sd), gap = V(s) - Q(s, a), sd2 = s2/n.
4. f(s), how much a state matters: 1, or the best discounted chance of getting there from the starts.
5. c: with w_j = p_j f(s)^2, c(s, a) = w_j s2(s, a) and c(x, pi x) = s2(x, pi x) sum_j w_j I_j(x)^2, where
   I_j = (unit_s - g P(.|s, a)) (I - g P_pi)^-1 are the influences of the policy's pairs on the gap.
6. The value of a first try: 2 max c, or with the starts as the objective what it could add, in the same unit.
7. U: policy iteration on c/(n (n + 1)), discounted by the patience of the plan.  An episode that is over leads to the
   starts, or, by the share of starts that began one episode only (Good and Turing), to a state never met.  A first try
   pays once and ends the episode: if it led back to itself it would be chased for ever.

The sum over j is a mean over probes with random signs e: of X^2 for X = (I - g P')^-1 b, b = sum_j e_j sqrt(w_j)
(unit_s - g P(.|j)).
"""

from __future__ import annotations

import math

from .._compile import helper
from ..random import bits
from ..rows import (
    add_entry,
    add_pair,
    backed_up,
    expected,
    fill_chain,
    improve,
    is_tried,
    largest_size,
    solve,
    transpose,
)
from .loop import START

PRIOR = 5.0  # samples that the noise to be expected counts for
UNSEEN = 2.0  # deviation of the one pair more than was seen, in ranges of the rewards
PROBES = 8  # random right sides in place of an inverse
COARSE = 0.03  # residual of a probe, of its right side
NOVELTY = 2.0  # of a first try, in units of the largest c; a decrement is at most half of c
HORIZON = 1000.0  # steps that a plan looks ahead at most, or 20 for each state
PACE = 0.02  # of the steps made: when to plan again, after at least a step for each state
WORK_OF_A_STEP = 2000.0  # multiplications of planning for each step made, at most
ROUNDS, LAST_ROUNDS = 12, 50  # of policy iteration, in a plan and for a report
MANY = 1000  # states; with more, U is solved for less exactly
UNLIKELY = 1e-12  # the least p_j: values of first tries are in units of the largest c, which must not vanish
ROOT_HALF = math.sqrt(0.5)


@helper
def discount_of(task):
    """The discount; slightly less than 1 if all episodes end, to keep the equations well-conditioned."""
    return task.discount if task.discount < 1.0 - 1e-7 else 1.0 - 1e-7


@helper(apart=True)
def make_plan(memory, task, seen, rng):
    now, model, size, discount = memory.now, memory.model, seen.totals.met[0] + 1, discount_of(task)
    copy_data(memory, task, seen)
    now.work[0] = 0.0
    now.patience[0] = 1.0 - 1.0 / min(20.0 * size, HORIZON)
    take_tried(model, size, memory.best.policy)
    for _ in range(ROUNDS):
        if not value_round(memory, seen, size, memory.best, discount, False):
            break
    top = 0.0
    if task.objective == START:
        fill_reach(memory, size, discount)
    if fill_noise(memory, task, seen, size, discount):
        fill_chain(model, size, memory.best.policy, memory.chain)
        fill_doubts(memory, size, discount)
        top = fill_gains(memory, task, size, discount, rng)
    price(memory, task, seen, size, discount, top)
    explore(memory, seen, size)
    adopt(memory, task, seen, size)


@helper(apart=True)
def report_best(memory, task, seen, policy):
    """The best policy of the model, computed from scratch: it does not depend on earlier reports."""
    size, discount, answer = seen.totals.met[0] + 1, discount_of(task), memory.reported
    copy_data(memory, task, seen)
    for s in range(size):
        answer.values[s], answer.policy[s] = 0.0, 0
    take_tried(memory.model, size, answer.policy)
    for _ in range(LAST_ROUNDS):
        if not value_round(memory, seen, size, answer, discount, True):
            break
    for s in range(policy.size):
        policy[s] = 0
    for i in range(seen.totals.met[0]):
        policy[seen.order[i]] = answer.policy[i + 1]


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
    """Of the pairs of a state, how many were tried twice or more, how many of these differed, and their noise."""
    judged, noisy, total = 0, 0, 0.0
    for p in range(memory.model.first[s], memory.model.first[s + 1]):
        if memory.tried[p] > 1:
            judged += 1
            if is_noisy(memory, p):
                noisy, total = noisy + 1, total + memory.noise[p]
    return judged, noisy, total


@helper(apart=True)
def find_families(memory, size):
    """The pair that leads to a state most often; a number of its own for a state that none leads to."""
    model, family, often = memory.model, memory.families.of, memory.families.often
    for s in range(size):
        family[s], often[s] = model.first[size] + s, 0
    for s in range(1, size):
        for p in range(model.first[s], model.first[s + 1]):
            for k in range(model.rows[p], model.rows[p + 1]):
                t = model.to[k]
                if t != s and model.counts[k] > often[t]:
                    family[t], often[t] = p, model.counts[k]


@helper(apart=True)
def fill_noise(memory, task, seen, size, discount):
    """Fill s2; returns whether there is any noise."""
    model, noise, families = memory.model, memory.noise, memory.families
    find_families(memory, size)
    many = model.first[size] + size
    for f in range(many):
        families.judged[f] = families.noisy[f] = families.noise[f] = 0.0
    for s in range(1, size):
        for p in range(model.first[s], model.first[s + 1]):
            noise[p] = variance(memory, p, discount) if memory.tried[p] > 0 else 0.0
        judged, noisy, own = count_noisy(memory, s)
        f = families.of[s]
        families.judged[f] += judged
        families.noisy[f] += noisy
        families.noise[f] += own
    total, shares, noisy_ones, judged_ones = 0.0, 0.0, 0, 0
    for f in range(many):
        if families.noisy[f] > 0.0:
            total, noisy_ones = total + families.noise[f] / families.noisy[f], noisy_ones + 1
        if families.judged[f] > 0.0:
            shares, judged_ones = shares + families.noisy[f] / families.judged[f], judged_ones + 1
    span = seen.range[1] - seen.range[0]  # while that is 0, nothing is in doubt, and all is to be covered
    unseen = UNSEEN * (task.most - task.least if 0.0 < span < task.most - task.least else span)
    average, share = (total + unseen * unseen) / (noisy_ones + 1), (0.5 + shares) / (judged_ones + 1)
    for s in range(1, size):
        judged, noisy, own = count_noisy(memory, s)
        f = families.of[s]
        usual = (average + families.noise[f] - own) / (1.0 + families.noisy[f] - noisy)
        likely = (share + families.noisy[f] - noisy) / (1.0 + families.judged[f] - judged)
        for p in range(model.first[s], model.first[s + 1]):
            n, others, alike = memory.tried[p], judged, noisy
            if n > 1:
                others, alike = others - 1, alike - (1 if is_noisy(memory, p) else 0)
            prior = usual * (likely + alike) / (1.0 + others)
            noise[p] = (PRIOR * prior + n * noise[p]) / (PRIOR + n)
    top = largest_size(memory.best.values, size)
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


# -- 3. decisions that may be wrong ----------------------------------------------------------------


@helper(apart=True)
def fill_doubts(memory, size, discount):
    """Fill p_j, 0 for the policy's own pairs and those never tried."""
    model, values, wrong = memory.model, memory.best.values, memory.wrong
    for s in range(1, size):
        own = model.first[s] + memory.best.policy[s]
        for p in range(model.first[s], model.first[s + 1]):
            wrong[p] = 0.0
            if p != own and memory.tried[p] > 0 and memory.noise[p] > 0.0:
                gap = values[s] - backed_up(model, p, discount, values)
                chance = 0.5 * math.erfc(ROOT_HALF * gap / math.sqrt(memory.noise[p] / memory.tried[p]))
                wrong[p] = chance if chance > UNLIKELY else UNLIKELY


# -- 4. how much a state matters -------------------------------------------------------------------


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


# -- 5. what samples are worth ---------------------------------------------------------------------


@helper(apart=True)
def fill_gains(memory, task, size, discount, rng):
    """Fill c, in place of the weights; returns the largest."""
    model, weights, right, found = memory.model, memory.weights, memory.probes[0], memory.probes[1]
    right[:, :size] = 0.0
    for s in range(1, size):
        for p in range(model.first[s], model.first[s + 1]):
            weights[p] = memory.wrong[p] * (memory.reach[s] * memory.reach[s] if task.objective == START else 1.0)
            if weights[p] > 1e-30:
                root, signs = math.sqrt(weights[p]), bits(rng)
                for k in range(PROBES):
                    signed = root if ((signs >> (8 + k)) & 1) == 1 else -root
                    right[k, s] += signed
                    signed *= discount / memory.tried[p]
                    for o in range(model.rows[p], model.rows[p + 1]):
                        right[k, model.to[o]] -= signed * model.counts[o]
    transpose(memory.chain, size, memory.turned)
    for k in range(PROBES):
        b, x = right[k], found[k]
        for s in range(size):
            x[s] = b[s]
        tolerance = COARSE * largest_size(b, size)
        memory.now.work[0] += solve(memory.turned, size, discount, x, b, tolerance, 60, memory.solver)
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


# -- 6. the value of a first try -------------------------------------------------------------------


@helper(apart=True)
def price(memory, task, seen, size, discount, top):
    """c and the values of first tries, in units of the largest c; if nothing is in doubt, all is to be covered."""
    model, gains, pays, reach = memory.model, memory.weights, memory.pays, memory.reach
    covering, starts_only, values = not top > 0.0, task.objective == START, memory.best.values
    span, high, low, newest = seen.range[1] - seen.range[0], values[1], values[1], 0.0
    if covering and not starts_only:
        fill_reach(memory, size, discount)
    for s in range(1, size):
        high, low = values[s] if values[s] > high else high, values[s] if values[s] < low else low
    for s in range(1, size):
        value = NOVELTY
        if starts_only:
            could = (high + span - values[s]) * reach[s]
            part = could / (high + span - low) if span > 0.0 else reach[s]
            value *= part * part
            if span > 0.0 and not covering and 0.5 * could * could > value * top:
                value = 0.5 * could * could / top
        for p in range(model.first[s], model.first[s + 1]):
            gains[p] = reach[s] * reach[s] if covering else gains[p] / top
            n = memory.tried[p]
            pays[p] = gains[p] / (n * (n + 1.0)) if n > 0 else value + 1e-12
            newest = pays[p] if n == 0 and pays[p] > newest else newest
    memory.now.newest[0] = newest if newest > 0.0 else memory.now.newest[0]


# -- 7. the policy that collects most --------------------------------------------------------------


@helper(apart=True)
def collected(memory, p):
    """The value of one more sample and of everything that follows."""
    values = memory.exploration.values
    ahead = expected(memory.model, p, values) if memory.tried[p] > 0 else values[0]
    return memory.pays[p] + memory.now.patience[0] * ahead


@helper(apart=True)
def explore(memory, seen, size):
    """U and its policy, by policy iteration from the last plan."""
    model, policy, values, now = memory.model, memory.exploration.policy, memory.exploration.values, memory.now
    top, few = 0.0, size <= MANY
    values[0] = now.end[0]
    for i in range(size - 1):
        values[i + 1] = memory.future[seen.order[i]]
    for s in range(1, size):
        best, first = 0.0, model.first[s]
        for p in range(first, model.first[s + 1]):
            value = collected(memory, p)
            if p == first or value > best:
                best, policy[s] = value, p - first
            top = memory.pays[p] if memory.pays[p] > top else top
    for _ in range(15 if few else 6):
        fill_exploration(memory, seen, size)
        most = 200 if few else 20
        work = solve(memory.chain, size, now.patience[0], values, memory.right, 1e-4 * top, most, memory.solver)
        now.work[0] += work + 3.0
        changed = False
        for s in range(1, size):
            own = model.first[s] + policy[s]
            best, chosen = collected(memory, own) + 1e-5 * top, own
            for p in range(model.first[s], model.first[s + 1]):
                if p != own:
                    value = collected(memory, p)
                    if value > best:
                        best, chosen = value, p
            changed = changed or chosen != own
            policy[s] = chosen - model.first[s]
        if not changed:
            break


@helper
def fresh_starts(seen):
    """The chance that the next episode begins where none did yet (Good and Turing)."""
    once, begun = 0, seen.totals.starts[0]
    for i in range(seen.totals.met[0]):
        once += 1 if seen.starts[seen.order[i]] == 1 else 0
    return once / (begun + 1.0) if begun > 1 else 0.0


@helper(apart=True)
def fill_exploration(memory, seen, size):
    """P of the exploration policy, in which the end leads to the starts at once; what its pairs pay on the right."""
    model, chain, origin, k, fresh = memory.model, memory.chain, memory.origin, 0, fresh_starts(seen)
    chain.first[0], memory.right[0] = 0, fresh * memory.now.newest[0]
    if fresh > 0.0:
        k = add_entry(chain, k, 0, fresh)
    for s in range(1, size):
        if origin[s] > 0.0:
            k = add_entry(chain, k, s, (1.0 - fresh) * origin[s] / memory.now.patience[0])
    for s in range(1, size):
        chain.first[s] = k
        p = model.first[s] + memory.exploration.policy[s]
        memory.right[s] = memory.pays[p]
        k = add_pair(chain, k, model, p) if memory.tried[p] > 0 else add_entry(chain, k, 0, 1.0)
    chain.first[size] = k


@helper
def remember(memory, task, seen, s, a, p):
    """Q of a pair by this plan, which the next sample is compared with."""
    if memory.tried[p] > 0:
        seen.residuals.backups[s, a] = backed_up(memory.model, p, discount_of(task), memory.best.values)


@helper(apart=True)
def adopt(memory, task, seen, size):
    """Use the plan from now on, and set when to make the next."""
    now, model = memory.now, memory.model
    for i in range(size - 1):
        s = seen.order[i]
        memory.future[s] = memory.exploration.values[i + 1]
        for a in range(task.widths[s]):
            p = model.first[i + 1] + a
            memory.gain[s, a], memory.novelty[s, a] = memory.weights[p], memory.pays[p]
            remember(memory, task, seen, s, a, p)
        seen.worth[s] = discount_of(task) * memory.best.values[i + 1]
    now.end[0] = memory.exploration.values[0]
    if seen.totals.end[0] > 0:
        memory.future[seen.totals.end[0] - 1] = now.end[0]
    made, outcomes = seen.totals.steps[0], model.rows[model.first[size]]
    later, worked = int(PACE * made), int(now.work[0] * outcomes / WORK_OF_A_STEP)
    later = later if later > size - 1 else size - 1
    now.until[0] = made + (worked if worked > later else later)
