"""A run and its ways into machine code: a table is stepped inside, any other world outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import kernel
from ..worlds.solve import closed, state_discounts
from ..worlds.table import MDP, Table
from .experience import make_experience
from .loop import STATE, STEP, Run, Task, Transition, advance, choose, enter, prepare, report, think

THINK = -1  # instead of an action: think first


def task_of(world: Table, discount: float, budget: int) -> tuple[Task, MDP]:
    """The task that a table is, and its model with an action in every state."""
    widths = np.diff(world.model.pairs)
    size, most = np.array([widths.size]), int(widths.max())
    discounts = state_discounts(world.model, discount)
    task = Task(discounts, np.maximum(widths, 1), size, float(discount), most, int(world.start), int(budget))
    return task, closed(world.model)


def begin_run(algorithm: Any, task: Task, rng: np.ndarray) -> Run:
    seen = make_experience(task.discounts.size, task.num_actions)
    seen.visits[task.start] = 1
    return Run(task, seen, prepare(algorithm, task), np.array([task.start, 0, 0]), rng)


@kernel
def travel(algorithm, model, run, until):
    """A table: go on to step ``until``; returns True, earlier, when it is time to think."""
    return advance(algorithm, model, run, until, True)


@kernel
def turn(algorithm, run, action, reward, after, go_on):
    """A world that is asked: take the outcome of ``action``, unless that is negative, and return the next action.

    Returns THINK instead when it is time to think, and without ``go_on``.
    """
    at = run.at
    if action >= 0 and enter(algorithm, run, Transition(at[STATE], action, reward, after, at[STEP]), True):
        return THINK
    return choose(algorithm, run) if go_on else THINK


@kernel
def ponder(algorithm, run):
    think(algorithm, run.memory, run.task, run.seen, run.rng)


@kernel
def own_report(algorithm, run, policy):
    report(algorithm, run.memory, run.task, run.seen, policy, run.rng)
