"""Making a plan, one phase at a time: between two calls Python can be interrupted."""

from __future__ import annotations

from ..._compile import helper
from ..experience import END, MET, STARTS, STEPS
from ..loop import START
from .doubts import AT_ONCE, fill_doubts, policy_errors
from .focus import fill_focus
from .gains import fill_gains, fill_weights
from .memory import END_VALUE, FIRST, NEWEST, PATIENCE, PHASE, PLANS, ROUND, TOP, UNTIL, WORK
from .model import OUTCOMES, PAIRS, STATES, copy_model, policy_rows
from .noise import fill_noise
from .novelty import fill_novelty, fill_reach
from .route import begin_route, route_round
from .solver import begin_causes, begin_errors, go_on
from .values import LAST_ROUNDS, ROUNDS, take_tried, value_round

BEGIN, VALUES, ERRORS, CAUSES, ROUTE = range(5)
PART = 1e5  # multiplications: shorter phases are done together
HORIZON = 1000.0  # steps that a plan looks ahead at most, or 20 for each state
WORTH_OF_A_STEP = 2000.0  # multiplications of planning for each step made


@helper
def discount_of(task):
    """The discount; slightly less than 1 if all episodes end, to keep the equations well-conditioned."""
    return task.discount if task.discount < 1.0 - 1e-7 else 1.0 - 1e-7


@helper
def plan_on(memory, task, seen, rng):
    """Do as many phases of a plan as are short together."""
    plan_phase(memory, task, seen, rng)
    done = memory.scale[WORK]
    while memory.at[PHASE] != BEGIN and (memory.scale[WORK] - done) * memory.model.size[OUTCOMES] < PART:
        plan_phase(memory, task, seen, rng)


@helper(apart=True)
def plan_phase(memory, task, seen, rng):
    phase = memory.at[PHASE]
    if phase == BEGIN:
        begin_plan(memory, task, seen)
    elif phase == VALUES:
        find_values(memory, task, rng)
    elif phase == ERRORS:
        find_doubts(memory, task, rng)
    elif phase == CAUSES:
        find_gains(memory, task)
    else:
        find_route(memory, task, seen)


@helper(apart=True)
def begin_plan(memory, task, seen):
    at, model = memory.at, memory.model
    copy_model(model, task, seen)
    take_tried(model, memory.best.policy)
    for i in range(seen.at[MET]):
        memory.origin[i + 1] = seen.starts[seen.order[i]] / seen.at[STARTS]
    memory.scale[WORK] = 0.0
    memory.scale[PATIENCE] = 1.0 - 1.0 / min(20.0 * model.size[STATES], HORIZON)
    at[PLANS] += 1
    at[PHASE], at[ROUND] = VALUES, 0


@helper(apart=True)
def find_values(memory, task, rng):
    at, discount = memory.at, discount_of(task)
    changed, work = value_round(memory, memory.best, discount, False)
    memory.scale[WORK] += work
    at[ROUND] += 1
    if changed and at[ROUND] < ROUNDS:
        return
    if fill_noise(memory, discount):
        policy_rows(memory.model, memory.best.policy, memory.rows)
        policy_errors(memory, memory.spare)
        begin_errors(memory.solver, memory, discount, rng)
        at[PHASE] = ERRORS
    else:
        price(memory, task, 0.0)


@helper(apart=True)
def find_doubts(memory, task, rng):
    at, discount = memory.at, discount_of(task)
    done, work = go_on(memory.solver)
    memory.scale[WORK] += work
    if not done:
        return
    fill_doubts(memory, discount)
    if task.objective == START:
        memory.scale[WORK] += fill_focus(memory, discount)
    else:
        for s in range(memory.model.size[STATES]):
            memory.focus[s] = 1.0
    fill_weights(memory)
    begin_causes(memory.solver, memory, discount, rng)
    at[PHASE] = CAUSES


@helper(apart=True)
def find_gains(memory, task):
    done, work = go_on(memory.solver)
    memory.scale[WORK] += work
    if done:
        price(memory, task, fill_gains(memory))


@helper(apart=True)
def price(memory, task, top):
    """The values of pairs, in units of the largest c; if nothing is in doubt, the aim is to cover the world."""
    model, covering, starts_only = memory.model, not top > 0.0, task.objective == START
    if starts_only or covering:
        memory.scale[WORK] += fill_reach(memory, discount_of(task))
    if covering:
        top = 1.0
        for s in range(1, model.size[STATES]):
            for p in range(model.first[s], model.first[s + 1]):
                memory.gains[p] = memory.reach[s] * memory.reach[s]
    newest = fill_novelty(memory, starts_only, covering, top)
    if newest > 0.0:
        memory.scale[NEWEST] = newest / top
    for p in range(model.size[PAIRS]):
        memory.gains[p] /= top
        memory.novelty[p] /= top
    memory.at[PHASE], memory.at[ROUND] = ROUTE, 0


@helper(apart=True)
def find_route(memory, task, seen):
    at, scale, plan, size = memory.at, memory.scale, memory.exploration.values, memory.model.size[STATES]
    if at[ROUND] == 0:
        plan[0] = scale[END_VALUE]
        for i in range(seen.at[MET]):
            plan[i + 1] = memory.onward[seen.order[i]]
        scale[TOP] = begin_route(memory)
    changed, work = route_round(memory, 200 if size <= AT_ONCE else 20)
    scale[WORK] += work
    at[ROUND] += 1
    if changed and at[ROUND] < (15 if size <= AT_ONCE else 6):
        return
    set_out(memory, task, seen)


@helper(apart=True)
def set_out(memory, task, seen):
    """Use the plan from now on, and set when to make the next."""
    at, model, scale = memory.at, memory.model, memory.scale
    for i in range(model.size[STATES] - 1):
        s = seen.order[i]
        memory.onward[s] = memory.exploration.values[i + 1]
        for a in range(task.widths[s]):
            p = model.first[i + 1] + a
            memory.gain[s, a], memory.new[s, a] = memory.gains[p], memory.novelty[p]
    for i in range(seen.at[MET]):
        memory.queue[seen.order[i]] = 0
    at[FIRST] = 0
    scale[END_VALUE] = memory.exploration.values[0]
    if seen.at[END] > 0:
        memory.onward[seen.at[END] - 1] = scale[END_VALUE]
    made = seen.at[STEPS]
    later, size = int(0.02 * made), model.size[STATES] - 1
    later = size if size > later else later
    worked = int(scale[WORK] * model.size[OUTCOMES] / WORTH_OF_A_STEP)
    at[UNTIL] = made + (worked if worked > later else later)
    at[PHASE] = BEGIN


@helper(apart=True)
def report_best(memory, task, seen, policy):
    """The best policy of the model, computed from scratch: it does not depend on earlier reports."""
    model, answer = memory.model, memory.reported
    copy_model(model, task, seen)
    for s in range(model.size[STATES]):
        answer.values[s], answer.policy[s] = 0.0, 0
    take_tried(model, answer.policy)
    for _ in range(LAST_ROUNDS):
        changed, _ = value_round(memory, answer, discount_of(task), True)
        if not changed:
            break
    for s in range(policy.size):
        policy[s] = 0
    for i in range(seen.at[MET]):
        policy[seen.order[i]] = answer.policy[i + 1]
    memory.at[PHASE] = BEGIN
