"""A run and its kernels: a table is stepped inside the kernel, any other world outside."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from .._compile import Door, contents, kernel, rehearse
from ..arrays import refill
from ..random import key as named_key
from ..random import stream
from ..rows import END, Rows
from ..worlds.record import BERNOULLI, NORMAL, World, is_listed
from ..worlds.table import Table
from .experience import is_full, make_experience, tidied
from .lookout import SINCE, make_lookout
from .loop import (
    CHOSEN,
    GOES,
    LED,
    OBJECTIVES,
    REPORTED,
    Now,
    Run,
    Task,
    Transition,
    advance,
    be_at,
    begin,
    chosen,
    continuing_only,
    enter,
    look_out,
    must_pause,
    name_of,
    prepare,
    rescale,
    think_on,
)
from .scale import first_scale, scale_of

REHEARSED = 20  # steps that a user's code makes in Python before it is compiled


def task_of(world: Table, discount: float, budget: int, objective: str = "all") -> Task:
    """The task that a table is."""
    widths = world.model.states["width"].astype(np.int64)
    least, most = reward_range(world.model)
    return Task(
        np.where(widths > 0, float(discount), 0.0),
        np.maximum(widths, 1),
        np.array([widths.size]),
        np.array(list(world.starts), np.int64),
        np.array(list(world.starts.values())),
        float(discount),
        int(widths.max()),
        int(budget),
        int(widths.sum()) + 64,
        OBJECTIVES[objective],
        least,
        most,
    )


def reward_range(model: World) -> tuple[float, float]:
    """The lowest and the highest reward of a table, if it has them; otherwise the first is the larger."""
    if not is_listed(model) or model.noise == NORMAL:
        return math.inf, -math.inf
    if model.noise == BERNOULLI:
        return 0.0, 1.0
    rewards = model.outcomes["reward"]
    end = 0.0 if (model.states["width"] == 0).any() else float(rewards[0])  # the end of an episode has value 0
    return min(end, float(rewards.min())), max(end, float(rewards.max()))


def known_bounds(model: World) -> tuple[float, float] | None:
    """The same, if it has them."""
    least, most = reward_range(model)
    return (least, most) if most >= least else None


def empty_task(discount: float, budget: int, objective: int, states: int = 8, actions: int = 2, room: int = 64) -> Task:
    """Room for a world that is discovered state by state."""
    return Task(
        np.full(states, float(discount)),
        np.ones(states, np.int64),
        np.zeros(1, np.int64),
        np.zeros(1, np.int64),
        np.ones(1),
        float(discount),
        int(actions),
        int(budget),
        int(room),
        objective,
    )


def begin_run(algorithm: Any, task: Task, rng: np.ndarray) -> Run:
    seen, lookout = make_experience(task.discounts.size, task.num_actions, task.room), make_lookout(task.discounts.size)
    return Run(task, seen, prepare(algorithm, task), Now(*np.zeros((7, 1), np.int64)), rng, lookout)


def with_room(algorithm: Any, run: Run) -> Run:
    """The same run with room for more outcomes, if it needs any."""
    if not is_full(run.seen):
        return run
    tidied(run.seen)
    if 2 * run.seen.totals.filled[0] < run.task.room and not is_full(run.seen):
        return run
    return refill(begin_run(algorithm, run.task._replace(room=2 * run.task.room), run.rng), run)


def seen_of(run: Run) -> Rows:
    """The data of a run; terminal states have no actions."""
    task, experience, met = run.task, run.seen, int(run.task.met[0])
    widths = np.where(task.discounts[:met] == 0.0, 0, task.widths[:met])
    legal = np.arange(task.num_actions) < widths[:, None]
    kinds, rows = experience.kinds[:met][legal], experience.rows[:met][legal]
    place = np.concatenate([[0], np.cumsum(kinds)])
    at = np.repeat(rows - place[:-1], kinds) + np.arange(place[-1])
    to = experience.to[at]
    return Rows(
        np.concatenate([[0], np.cumsum(widths)]),
        place,
        np.where(to == experience.totals.end[0] - 1, END, to),
        experience.counts[at],
        experience.means[at],
        experience.within[:met][legal],
        experience.starts[:met].copy(),
    )


# -- kernels -------------------------------------------------------------------------------------


@kernel
def advance_in_table(held, until):
    """A table: ``advance`` to step ``until``."""
    algorithm, model, run = contents(held)
    return advance(algorithm, model, run, until, True)


@kernel
def ask(held, state):
    """Any other world: the action to take in ``state``; negative at a fault."""
    algorithm, run = contents(held)
    be_at(algorithm, run, state)
    return chosen(algorithm, run, state, run.now.step[0])


@kernel
def tell(held, state, action, reward, after, goes_on):
    """Enter an outcome; returns the next action if the episode ``goes_on``, negative if the run waits for something."""
    algorithm, run = contents(held)
    be_at(algorithm, run, state)
    enter(algorithm, run, Transition(state, action, reward, after, run.now.step[0]), True)
    run.now.step[0] += 1
    if must_pause(run):
        return -1
    return chosen(algorithm, run, after, run.now.step[0]) if goes_on else 0


@kernel
def ponder(held):
    algorithm, run = contents(held)
    think_on(algorithm, run)
    look_out(run)
    return 0


def refuse_fault(algorithm: Any, model: Any, run: Run) -> None:
    """Raise if a user's verb returned an invalid number."""
    state, step, _, _, what, number, bound = (int(part[0]) for part in run.now)
    if what in (CHOSEN, REPORTED):
        did = "chose" if what == CHOSEN else "reported"
        who, did = name_of(algorithm), f"{did} action {number} of {bound} in state {state}"
    elif what == LED:
        who, did = type(model.model).__name__, f"led from state {state} to state {number} of {bound}"
    else:
        return
    raise ValueError(f"{who} {did} at step {step}: return 0 to {bound - 1}")


def rehearsal(algorithm: Any, model: Any, task: Task) -> None:
    """A few steps in Python: in a table, or without a model from the first state to itself."""
    run, made = begin_run(algorithm, task, stream(named_key(0, "rehearsal"))), 0
    while made < min(task.budget or REHEARSED, REHEARSED):
        if model is None:
            tell.python((algorithm, run), 0, ask.python((algorithm, run), 0), 0.0, 0, False)
        else:
            advance_in_table.interpret((algorithm, model, run), min(task.budget, REHEARSED))
        refuse_fault(algorithm, model, run)
        made, run = int(run.now.step[0]), with_room(algorithm, run)
        if run.now.due[0]:
            ponder.python((algorithm, run))


class Driver:
    """A run, and the kernels that continue it: in a table, or told step by step of a world that Python steps.

    States are numbers.  Without a table, the arrays grow with the states that are admitted.
    """

    def __init__(self, algorithm: Any, task: Task, rng: np.ndarray, model: Any = None):
        self.algorithm, self.model = algorithm, model
        if model is not None:
            rehearse((algorithm, model), lambda: rehearsal(algorithm, model, task))
        self.run = begin_run(algorithm, task, rng)
        self._doors: list[Door] = []

    def _door(self, kernel: Any, *kinds: type) -> Door:
        """A way into a kernel that knows how much of the budget is spent, if there is one."""
        if self.model is None:
            rehearse((self.algorithm,), lambda: rehearsal(self.algorithm, None, self.run.task))
        door = Door(kernel, self._held(kernel, self.run), *kinds)
        budget, first = self.run.task.budget, int(self.run.now.step[0])
        if budget > first:
            door.expect(lambda: (int(self.run.now.step[0]) - first) / (budget - first))
        self._doors.append(door)
        return door

    def _held(self, kernel: Any, run: Run) -> tuple[Any, ...]:
        return (self.algorithm, self.model, run) if kernel is advance_in_table else (self.algorithm, run)

    @cached_property
    def _advance(self) -> Door:
        return self._door(advance_in_table, int)

    @cached_property
    def _ask(self) -> Door:
        return self._door(ask, int)

    @cached_property
    def told(self) -> Door:
        """``tell``, without what ``settled`` sees to."""
        return self._door(tell, int, int, float, int, bool)

    @cached_property
    def _ponder(self) -> Door:
        return self._door(ponder)

    @property
    def stuck(self) -> bool:
        """Whether states met before can no longer be reached, so that the world should be begun anew."""
        return bool(self.run.lookout.found[SINCE] > 0)

    def go(self, steps: int) -> int:
        """In a table: take so many more steps, with the planning they need."""
        until = int(self.run.now.step[0]) + steps
        while self._advance.call(until) != GOES:
            self._see_to()
        return steps

    def ask(self, state: int) -> int:
        """The action to take in ``state``; an episode begins there if the last step did not lead to it."""
        action = self._ask.call(state)
        if action < 0:
            refuse_fault(self.algorithm, None, self.run)
        return int(action)

    def tell(self, state: int, action: int, reward: float, after: int, goes_on: bool = False) -> int:
        """Enter an outcome, and think if it is time to; returns the next action if the episode ``goes_on``."""
        following = self.told.call(state, action, reward, after, goes_on)
        return following if following >= 0 else self.settled(after, goes_on)

    def settled(self, state: int, goes_on: bool) -> int:
        """See to whatever the run waits for; returns the action to take in ``state`` if the episode ``goes_on``."""
        self._see_to()
        return self.ask(state) if goes_on else 0

    def _see_to(self) -> None:
        """Make room, think."""
        refuse_fault(self.algorithm, self.model, self.run)
        run = with_room(self.algorithm, self.run)
        if run is not self.run:
            self._continue_with(run)
        if run.now.due[0]:
            self.think()

    def think(self) -> None:
        self._ponder.call()

    def _continue_with(self, run: Run) -> None:
        """Another record of the same run, with more room."""
        self.run = run
        for door in self._doors:
            door.hold(self._held(door.kernel, run))

    def admit(self, legal: Sequence[Sequence[Hashable]]) -> None:
        """Make room for all states, given the actions of each: none where the episode is over."""
        task = self.run.task
        first, last = int(task.met[0]), len(legal)
        if first == last:
            return
        widths = [len(names) for names in legal[first:last]]
        if 0 in widths and continuing_only(self.algorithm):
            name = name_of(self.algorithm)
            raise ValueError(f"{name} needs a continuing task, but an episode ended: let it restart, or use VarDE()")
        size, most = task.discounts.size, max(task.num_actions, *widths)
        while size < last:
            size *= 2
        if (size, most) != (task.discounts.size, task.num_actions):
            self._grow(size, most)
            task = self.run.task
        task.discounts[first:last] = [task.discount if width else 0.0 for width in widths]
        task.widths[first:last] = [max(width, 1) for width in widths]
        task.met[0] = last

    def _grow(self, states: int, actions: int) -> None:
        old = self.run
        task = empty_task(old.task.discount, old.task.budget, old.task.objective, states, actions, old.task.room)
        run = begin_run(self.algorithm, task, old.rng)
        if old.now.begun[0]:
            begin(self.algorithm, run.memory, run.task, run.rng)
        run.seen.range[:] = old.seen.range  # optimistic values of new states are in the present unit
        scales = first_scale(run.task), scale_of(run.task, run.seen)
        rescale(self.algorithm, run.memory, run.task, run.seen, *scales)
        self._continue_with(refill(run, old))
