"""A run and its ways into machine code: a table is stepped inside, any other world outside."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._compile import Door, contents, kernel, rehearse
from ..arrays import refill
from ..random import key as named_key
from ..random import stream
from ..worlds.table import Table, num_actions
from .experience import make_experience
from .loop import (
    BEGUN,
    STEP,
    Run,
    Task,
    Transition,
    act,
    advance,
    begin,
    continuing_only,
    enter,
    mixed_actions,
    name_of,
    prepare,
    report,
    think,
)
from .varde import Plans, Travel

REHEARSED = 20  # steps that a user's code makes in Python before it is compiled
THINK, NOTHING = -1, -2  # instead of an action: think first; none was wanted


def task_of(world: Table, discount: float, budget: int) -> Task:
    """The task that a table is."""
    widths = np.array([num_actions(world.model, s) for s in range(len(world.states))], np.int64)
    return Task(
        np.where(widths > 0, float(discount), 0.0),
        np.maximum(widths, 1),
        np.array([widths.size]),
        np.array(list(world.starts), np.int64),
        np.array(list(world.starts.values())),
        float(discount),
        int(widths.max()),
        int(budget),
    )


def empty_task(discount: float, budget: int, states: int, actions: int) -> Task:
    """Room for a world that is met state by state."""
    return Task(
        np.full(states, float(discount)),
        np.ones(states, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.ones(1),
        float(discount),
        int(actions),
        int(budget),
    )


def begin_run(algorithm: Any, task: Task, rng: np.ndarray) -> Run:
    seen = make_experience(task.discounts.size, task.num_actions)
    return Run(task, seen, prepare(algorithm, task), np.zeros(3, np.int64), rng)


# -- kernels -------------------------------------------------------------------------------------


@kernel
def travel(held, until):
    """A table: go on to step ``until``; returns 1, earlier, when it is time to think."""
    algorithm, model, run = contents(held)
    return 1 if advance(algorithm, model, run, until, True) else 0


@kernel
def turn(held, state, action, reward, after, go_on):
    """Any other world: enter the outcome of ``action``, unless that is negative, and return the next action.

    Returns THINK instead when it is time to think, NOTHING unless ``go_on`` is 1.
    """
    algorithm, run = contents(held)
    task, seen, memory, at, rng = run.task, run.seen, run.memory, run.at, run.rng
    if at[BEGUN] == 0:
        begin(algorithm, memory, task, rng)
        at[BEGUN] = 1
    if action >= 0:
        pause = enter(algorithm, run, Transition(state, action, reward, after, at[STEP]), True)
        at[STEP] += 1
        if pause:
            return THINK
        state = after
    return act(algorithm, memory, task, seen, state, at[STEP], rng) if go_on == 1 else NOTHING


@kernel
def ponder(held):
    algorithm, run = contents(held)
    think(algorithm, run.memory, run.task, run.seen, run.rng)
    return 0


@kernel
def own_report(algorithm, run, policy):
    report(algorithm, run.memory, run.task, run.seen, policy, run.rng)


def rehearsal(algorithm: Any, model: Any, task: Task) -> None:
    """A few steps in Python."""
    run = begin_run(algorithm, task, stream(named_key(0, "rehearsal")))
    while travel.python((algorithm, model, run), min(task.budget, REHEARSED)):
        ponder.python((algorithm, run))


class Tour:
    """A run in a table, which answers inside the kernel."""

    def __init__(self, algorithm: Any, model: Any, task: Task, rng: np.ndarray):
        rehearse((algorithm, model), lambda: rehearsal(algorithm, model, task))
        self.run = begin_run(algorithm, task, rng)
        self._travel = Door(travel, (algorithm, model, self.run), int)
        self._ponder = Door(ponder, (algorithm, self.run))

    def go(self, steps: int) -> int:
        """So many more steps, with the thinking that they need."""
        until = int(self.run.at[STEP]) + steps
        while self._travel.call(until):
            self._ponder.call()
        return steps


def assess(algorithm: Any, run: Run, own: bool) -> Plans:
    """What the data say: the best policy of their model and how doubtful it is, in ``doubts``.

    With ``own`` also what the algorithm's own policy is worth, in ``reported``.
    """
    plans = prepare(Travel(), run.task)
    plans.assess[0] = 1
    if own:
        own_report(algorithm, run, plans.reported.policy)
    Door(ponder, (Travel(), run._replace(memory=plans))).call()
    return plans


# -- a world met state by state ------------------------------------------------------------------


class Course:
    """A run in a world that Python steps, by numbers; its arrays grow with the states met."""

    def __init__(self, algorithm: Any, discount: float, rng: np.ndarray, budget: int = 0):
        self.algorithm = algorithm
        self.run = begin_run(algorithm, empty_task(discount, budget, 8, 2), rng)

    def admit(self, legal: Sequence[Sequence[Hashable]]) -> None:
        """Make room for all states, given the actions of each: none where the episode is over."""
        task = self.run.task
        first, last = int(task.met[0]), len(legal)
        if first == last:
            return
        widths = [len(names) for names in legal[first:last]]
        self._refuse(legal, widths)
        size, most = task.discounts.size, max(task.num_actions, *widths)
        while size < last:
            size *= 2
        if (size, most) != (task.discounts.size, task.num_actions):
            self._grow(size, most)
            task = self.run.task
        task.discounts[first:last] = [task.discount if width else 0.0 for width in widths]
        task.widths[first:last] = [max(width, 1) for width in widths]
        task.met[0] = last

    def _refuse(self, legal: Sequence[Sequence[Hashable]], widths: list[int]) -> None:
        name = name_of(self.algorithm)
        if 0 in widths and continuing_only(self.algorithm):
            raise ValueError(f"{name} needs a task that goes on, but an episode ended: let it restart, or use VarDE()")
        usual = next((len(names) for names in legal if names), 0)
        odd = [width for width in widths if width not in (0, usual)]
        if odd and not mixed_actions(self.algorithm):
            raise ValueError(
                f"{name} needs the same number of actions in every state, and met {usual} and {odd[0]}: let an action "
                "that is not allowed repeat one that is, or use VarDE()"
            )

    def _grow(self, states: int, actions: int) -> None:
        old = self.run
        run = begin_run(self.algorithm, empty_task(old.task.discount, old.task.budget, states, actions), old.rng)
        if old.at[BEGUN]:
            begin(self.algorithm, run.memory, run.task, run.rng)
        self.run = run = refill(run, old)
        for name in ("turn_door", "ponder_door"):
            if name in self.__dict__:
                getattr(self, name).hold((self.algorithm, run))

    def _rehearsal(self) -> None:
        """A few steps in Python, from the first state to itself."""
        run, action = begin_run(self.algorithm, self.run.task, self.run.rng.copy()), NOTHING
        for _ in range(REHEARSED):
            action = int(turn.python((self.algorithm, run), 0, action, 0.0, 0, 1))

    @cached_property
    def turn_door(self) -> Door:
        rehearse((self.algorithm,), self._rehearsal)
        return Door(turn, (self.algorithm, self.run), int, int, float, int, int)

    @cached_property
    def ponder_door(self) -> Door:
        return Door(ponder, (self.algorithm, self.run))

    def turn(self, state: int, action: int, reward: float, after: int, go_on: int) -> int:
        """Enter an outcome, unless ``action`` is negative, think if it is time to, and return the next action."""
        chosen = self.turn_door.call(state, action, reward, after, go_on)
        return self.think(after, go_on) if chosen == THINK else int(chosen)

    def think(self, state: int, go_on: int) -> int:
        """Think, then return the next action."""
        self.ponder_door.call()
        return int(self.turn_door.call(state, NOTHING, 0.0, 0, go_on))
