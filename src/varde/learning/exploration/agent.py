"""The default algorithm: its cases of the verbs of ``learning/loop.py``."""

from __future__ import annotations

from typing import NamedTuple

from ..loop import act, due, learn, mixed_actions, prepare, report, started, think, unfinished
from .memory import PHASE, UNTIL, make_plans
from .plan import plan_on, report_best
from .step import best_action, enter_outcome, enter_start


class Explorer(NamedTuple):
    """``VarDE()`` in learning: go to where one more sample most lowers the variance of the policy."""


@prepare.of(Explorer)
def plans_of(algorithm, task):
    return make_plans(task)


@act.of(Explorer)
def follow_plan(algorithm, memory, task, seen, s, t, rng):
    return best_action(memory, task, seen, s)


@learn.of(Explorer)
def take_notice(algorithm, memory, task, seen, step, rng):
    enter_outcome(memory, task, seen, step)


@started.of(Explorer)
def take_notice_of_start(algorithm, memory, task, seen, s):
    enter_start(memory, task, seen, s)


@due.of(Explorer)
def plan_is_due(algorithm, memory, task, seen, step):
    return step.t + 1 >= memory.at[UNTIL]


@think.of(Explorer)
def plan_anew(algorithm, memory, task, seen, rng):
    plan_on(memory, task, seen, rng)


@unfinished.of(Explorer)
def in_the_middle(algorithm, memory):
    return memory.at[PHASE] != 0


@report.of(Explorer)
def best_of_model(algorithm, memory, task, seen, policy, rng):
    report_best(memory, task, seen, policy)


@mixed_actions.of(Explorer)
def any_actions(algorithm):
    return True
