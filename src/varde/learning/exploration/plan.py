"""A plan of the default (``explorer.py``): what each pair is worth to sample, and the policy that collects most of it.

1. V and pi: policy iteration on the model of the data, over the pairs tried.
2. s2(s, a): the variance of r + g V(s'), reward and successor together, shrunk towards what is to be expected of a pair
   of its state: the average over noisy pairs, times the share of noisy ones among the other actions of the state.  Of
   the whole world there is one pair more than was seen, with twice the range of rewards as its deviation.
3. Decision j = (s, a), a != pi(s): by the delta method the gap V(s) - Q(s, a) has variance s2(s, a)/n(s, a) +
   sum_x I_j(x)^2 s2(x, pi x)/n(x, pi x), I_j = (unit_s - g P(.|s, a)) (I - g P_pi)^-1 its influences;
   p_j = Phi(-gap/sd).
4. A wrong action is taken at every return to s: m_j = 1/(1 - g F), F the discounted chance of returning.
5. f(s), how much a state matters: 1, or the best discounted chance of getting there from the starts.
6. c: with w_j = p_j (f(s) m_j)^2, c(s, a) = w_j s2(s, a) and c(x, pi x) = s2(x, pi x) sum_j w_j I_j(x)^2.
7. The value of a first try: 2 max c, or with the starts as the objective what it could add, in the same unit.
8. U: policy iteration on c/(n (n + 1)), discounted by the patience of the plan.  An episode that is over leads to the
   starts.  A first try pays once and ends the episode: if it led back to itself it would be chased for ever.

Sums over I_j are means over probes with random signs e: of (X(s) - g P(.|s, a) X)^2 for X = (I - g P)^-1 b, b the
errors of the policy's backups times e; and of X^2 for X = (I - g P')^-1 b, b = sum_j e_j sqrt(w_j) (unit_s - g P(.|j)).
"""

from __future__ import annotations

from ..._compile import helper
from ...rows import add_entry, add_pair, expected, fill_chain, solve
from ..loop import START
from .gains import (
    MANY,
    copy_data,
    fill_doubts,
    fill_gains,
    fill_noise,
    fill_reach,
    solve_errors,
    take_tried,
    value_round,
)

NOVELTY = 2.0  # of a first try, in units of the largest c; a decrement is at most half of c
HORIZON = 1000.0  # steps that a plan looks ahead at most, or 20 for each state
PACE = 0.02  # of the steps made: when to plan again, after at least a step for each state
WORK_OF_A_STEP = 2000.0  # multiplications of planning for each step made, at most
ROUNDS, LAST_ROUNDS = 12, 50  # of policy iteration, in a plan and for a report


@helper
def discount_of(task):
    """The discount; slightly less than 1 if all episodes end, to keep the equations well-conditioned."""
    return task.discount if task.discount < 1.0 - 1e-7 else 1.0 - 1e-7


@helper(apart=True)
def make_plan(memory, task, seen, rng):
    now, model, size, discount = memory.now, memory.model, seen.totals.met[0] + 1, discount_of(task)
    copy_data(memory, task, seen)
    now.plans[0] += 1
    now.work[0] = 0.0
    now.patience[0] = 1.0 - 1.0 / min(20.0 * size, HORIZON)
    take_tried(model, size, memory.best.policy)
    for _ in range(ROUNDS):
        if not value_round(memory, seen, size, memory.best, discount, False):
            break
    top = 0.0
    if task.objective == START:
        fill_reach(memory, size, discount)
    if fill_noise(memory, seen, size, discount):
        fill_chain(model, size, memory.best.policy, memory.chain)
        solve_errors(memory, size, discount, rng)
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


# -- 7. the value of a first try -------------------------------------------------------------------


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


# -- 8. the policy that collects most --------------------------------------------------------------


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
        fill_exploration(memory, size)
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


@helper(apart=True)
def fill_exploration(memory, size):
    """P of the exploration policy, in which the end leads to the starts at once; what its pairs pay on the right."""
    model, chain, origin, k = memory.model, memory.chain, memory.origin, 0
    chain.first[0], memory.right[0] = 0, 0.0
    for s in range(1, size):
        if origin[s] > 0.0:
            k = add_entry(chain, k, s, origin[s] / memory.now.patience[0])
    for s in range(1, size):
        chain.first[s] = k
        p = model.first[s] + memory.exploration.policy[s]
        memory.right[s] = memory.pays[p]
        k = add_pair(chain, k, model, p) if memory.tried[p] > 0 else add_entry(chain, k, 0, 1.0)
    chain.first[size] = k


@helper(apart=True)
def adopt(memory, task, seen, size):
    """Use the plan from now on, and set when to make the next."""
    now, model = memory.now, memory.model
    for i in range(size - 1):
        s = seen.order[i]
        memory.future[s], memory.queue[s] = memory.exploration.values[i + 1], 0
        for a in range(task.widths[s]):
            p = model.first[i + 1] + a
            memory.gain[s, a], memory.novelty[s, a] = memory.weights[p], memory.pays[p]
    now.first[0], now.end[0] = 0, memory.exploration.values[0]
    if seen.totals.end[0] > 0:
        memory.future[seen.totals.end[0] - 1] = now.end[0]
    made, outcomes = seen.totals.steps[0], model.rows[model.first[size]]
    later, worked = int(PACE * made), int(now.work[0] * outcomes / WORK_OF_A_STEP)
    later = later if later > size - 1 else size - 1
    now.until[0] = made + (worked if worked > later else later)
