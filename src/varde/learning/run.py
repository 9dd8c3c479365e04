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
    LED,
    OBJECTIVES,
    WRONG,
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
THINK, NOTHING = -1, -2  # instead of an action: think first; none was wanted


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


def empty_task(discount: float, budget: int, states: int, actions: int, room: int, objective: str = "all") -> Task:
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
        OBJECTIVES[objective],
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
def turn(held, state, action, reward, after, go_on):
    """Any other world: enter the outcome of ``action``, unless that is negative, and return the next action.

    Returns THINK instead when it is time to pause, NOTHING unless ``go_on`` is 1, WRONG at a fault.
    """
    algorithm, run = contents(held)
    now = run.now
    if action >= 0:
        be_at(algorithm, run, state)
        enter(algorithm, run, Transition(state, action, reward, after, now.step[0]), True)
        now.step[0] += 1
        if must_pause(run):
            return THINK
        state = after
    if go_on != 1:
        return NOTHING
    be_at(algorithm, run, state)
    action = chosen(algorithm, run, state, now.step[0])
    return action if action >= 0 else WRONG


@kernel
def ponder(held):
    algorithm, run = contents(held)
    think_on(algorithm, run)
    look_out(run)
    return 0


def refuse_fault(algorithm: Any, model: Any, run: Run, returned: int) -> int:
    """What a kernel returned; raises if a user's verb returned an invalid number."""
    if returned != WRONG:
        return returned
    state, step, _, _, what, number, bound = (int(part[0]) for part in run.now)
    if what != LED:
        did = "chose" if what == CHOSEN else "reported"
        who, did = name_of(algorithm), f"{did} action {number} of {bound} in state {state}"
    else:
        who, did = type(model.model).__name__, f"led from state {state} to state {number} of {bound}"
    raise ValueError(f"{who} {did} at step {step}: return 0 to {bound - 1}")


def rehearsal(algorithm: Any, model: Any, task: Task) -> None:
    """A few steps in Python."""
    run = begin_run(algorithm, task, stream(named_key(0, "rehearsal")))
    while refuse_fault(
        algorithm, model, run, advance_in_table.interpret((algorithm, model, run), min(task.budget, REHEARSED))
    ):
        run = with_room(algorithm, run)
        if run.now.due[0]:
            ponder.python((algorithm, run))


class Trajectory:
    """A run, and the kernels that continue it."""

    def __init__(self, algorithm: Any, run: Run):
        self.algorithm, self.run = algorithm, run
        self._doors: list[tuple[Door, tuple[Any, ...]]] = []  # with the model that each has besides the run

    def _door(self, kernel: Any, model: tuple[Any, ...], *kinds: type) -> Door:
        """A way into a kernel that knows how much of the budget is spent, if there is one."""
        door = Door(kernel, (self.algorithm, *model, self.run), *kinds)
        budget, first = self.run.task.budget, int(self.run.now.step[0])
        if budget > first:
            door.expect(lambda: (int(self.run.now.step[0]) - first) / (budget - first))
        self._doors.append((door, model))
        return door

    @property
    def stuck(self) -> bool:
        """Whether states met before can no longer be reached, so that the world should be begun anew."""
        return bool(self.run.lookout.found[SINCE] > 0)

    @cached_property
    def _think(self) -> Door:
        return self._door(ponder, ())

    def _continue_with(self, run: Run) -> None:
        """Another record of the same run, with more room."""
        self.run = run
        for door, model in self._doors:
            door.hold((self.algorithm, *model, run))

    def _pause(self) -> None:
        """Make room, think: whatever the run waits for."""
        run = with_room(self.algorithm, self.run)
        if run is not self.run:
            self._continue_with(run)
        if run.now.due[0]:
            self._think.call()


class TableRun(Trajectory):
    """A run in a table, which is sampled inside the kernel."""

    def __init__(self, algorithm: Any, model: Any, task: Task, rng: np.ndarray):
        rehearse((algorithm, model), lambda: rehearsal(algorithm, model, task))
        super().__init__(algorithm, begin_run(algorithm, task, rng))
        self.model = model
        self._advance = self._door(advance_in_table, (model,), int)

    def go(self, steps: int) -> int:
        """Take so many more steps, with the planning they need."""
        until = int(self.run.now.step[0]) + steps
        while refuse_fault(self.algorithm, self.model, self.run, self._advance.call(until)):
            self._pause()
        return steps


class SteppedRun(Trajectory):
    """A run in a world stepped from Python, by numbers; its arrays grow with the states visited."""

    def __init__(self, algorithm: Any, discount: float, rng: np.ndarray, budget: int = 0, objective: str = "all"):
        super().__init__(algorithm, begin_run(algorithm, empty_task(discount, budget, 8, 2, 64, objective), rng))
        self.objective = objective

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
            raise ValueError(f"{name} needs a continuing task, but an episode ended: let it restart, or use VarDE()")

    def _grow(self, states: int, actions: int) -> None:
        old = self.run
        task = empty_task(old.task.discount, old.task.budget, states, actions, old.task.room, self.objective)
        run = begin_run(self.algorithm, task, old.rng)
        if old.now.begun[0]:
            begin(self.algorithm, run.memory, run.task, run.rng)
        run.seen.range[:] = old.seen.range  # optimistic values of new states are in the present unit
        scales = first_scale(run.task), scale_of(run.task, run.seen)
        rescale(self.algorithm, run.memory, run.task, run.seen, *scales)
        self._continue_with(refill(run, old))

    def _rehearsal(self) -> None:
        """A few steps in Python, from the first state to itself."""
        run, action = begin_run(self.algorithm, self.run.task, self.run.rng.copy()), NOTHING
        for _ in range(REHEARSED):
            action = refuse_fault(self.algorithm, None, run, turn.python((self.algorithm, run), 0, action, 0.0, 0, 1))

    @cached_property
    def turn_door(self) -> Door:
        rehearse((self.algorithm,), self._rehearsal)
        return self._door(turn, (), int, int, float, int, int)

    def turn(self, state: int, action: int, reward: float, after: int, go_on: int) -> int:
        """Enter an outcome, unless ``action`` is negative, think if it is time to, and return the next action."""
        found = self.turn_door.call(state, action, reward, after, go_on)
        if found >= 0 or found == NOTHING:
            return found
        return self.think(after, go_on) if found == THINK else self.refuse_fault(found)

    def think(self, state: int, go_on: int) -> int:
        """Make room, think: whatever the run waits for; then return the next action."""
        self._pause()
        return self.refuse_fault(self.turn_door.call(state, NOTHING, 0.0, 0, go_on))

    def refuse_fault(self, returned: int) -> int:
        return refuse_fault(self.algorithm, None, self.run, int(returned))
