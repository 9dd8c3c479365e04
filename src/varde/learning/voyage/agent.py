"""The default algorithm: its cases of the verbs of ``learning/loop.py``."""

from __future__ import annotations

from typing import NamedTuple

from ..loop import act, due, learn, mixed_actions, prepare, report, started, think, unfinished
from .memory import PHASE, UNTIL, make_plans
from .step import best_action, enter_outcome, enter_start
from .think import plan_on, report_best


class Voyage(NamedTuple):
    """``VarDE()`` in learning: go to where one more sample most lowers the variance of the policy."""


@prepare.of(Voyage)
def plans_of(algorithm, task):
    return make_plans(task)


@act.of(Voyage)
def follow_plan(algorithm, memory, task, seen, s, t, rng):
    return best_action(memory, task, seen, s)


@learn.of(Voyage)
def take_notice(algorithm, memory, task, seen, step, rng):
    enter_outcome(memory, task, seen, step)


@started.of(Voyage)
def take_notice_of_start(algorithm, memory, task, seen, s):
    enter_start(memory, task, seen, s)


@due.of(Voyage)
def plan_is_due(algorithm, memory, task, seen, step):
    return step.t + 1 >= memory.at[UNTIL]


@think.of(Voyage)
def plan_anew(algorithm, memory, task, seen, rng):
    plan_on(memory, task, seen, rng)


@unfinished.of(Voyage)
def in_the_middle(algorithm, memory):
    return memory.at[PHASE] != 0


@report.of(Voyage)
def best_of_model(algorithm, memory, task, seen, policy, rng):
    report_best(memory, task, seen, policy)


@mixed_actions.of(Voyage)
def any_actions(algorithm):
    return True
