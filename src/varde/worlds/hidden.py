"""Worlds whose state the player does not see: where a state stood, a belief stands.

Each simulation draws where it begins from the belief, and goes forward in that state.  The search is told only what
would be seen: nodes are histories of actions and observations.  After a real step the belief is filtered by rejection.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from ..check import shown
from .discovered import looks_the_same
from .environment import Seen
from .function import Function, SimulationError, asked, failed, unpack
from .spaces import hashable

KEPT, TRIES = 1000, 100_000  # states that stand for a belief after a step; steps to find them, at most
AGAIN = 200  # simulations that repeat a first action before it is said that nothing is seen twice


def as_hidden(world: Function, observe: Callable[[Any], Hashable]) -> Function:
    """The same world as far as ``observe(state)`` shows it."""
    if not callable(observe):
        raise TypeError(f"observe is {shown(observe)}: write a function of the state that returns what is seen of it")
    if world.player is not None:
        raise TypeError("a game of hidden cards needs a tree for each player: leave out player=, or observe=")
    if world.sample is not None:
        raise TypeError("observe= needs actions that are listed: leave out sample_action=, or observe=")
    hidden = Hidden(world, observe)
    seen = Function(hidden.step, lambda state: state.legal, lambda rng: hidden.begin(None, rng))
    seen.forward, seen.horizon, seen.discount = hidden, world.horizon, world.discount
    return seen


class Hidden:
    """How simulations go forward in ``world``, and the ``belief`` about where it is: states, or a function."""

    simulating = contextlib.nullcontext  # nothing need be put back

    def __init__(self, world: Function, observe: Callable[[Any], Hashable]):
        self.world, self.observe = world, observe
        self.belief: Any = None
        self.first: dict[Hashable, set[Seen]] = {}  # what was seen after one step, by action

    def begin(self, belief: Any, rng: np.random.Generator) -> Seen:
        """Plan from a belief; None is the start of the world."""
        if belief is None and (start := self.world.start) is not None:
            belief = start if callable(start) or isinstance(start, list) else [start]
        if not callable(belief) and not (isinstance(belief, list) and belief):
            raise TypeError(f"the belief is {shown(belief)}: write draw(rng), which draws a state, or a list of states")
        return self._at(None, belief, rng)

    def now(self, action: Hashable, seen: Any, rng: np.random.Generator) -> Seen:
        """Plan from after ``action``: the belief is what is left of it, given what was seen."""
        name = hashable(seen)
        steps = (self._step(draw(self.belief, rng), action, rng) for _ in range(TRIES))
        found = list(islice((state for state, _, after in steps if after.legal and after.name == name), KEPT))
        if not found:
            raise SimulationError(
                f"{shown(action)} never led to {shown(seen)} in {TRIES:,} steps from the belief: write "
                "planner.begin(belief), with a function that draws a state, or a list of states"
            )
        return self._at(name, found, rng)

    def _at(self, name: Hashable, belief: Any, rng: np.random.Generator) -> Seen:
        self.root = Seen(name, self._legal(draw(belief, rng)))
        self.belief, self.begun, self.first = belief, 0, {}
        return self.root

    def simulation(self, rng: np.random.Generator) -> Callable[..., tuple[Seen, Any, bool]]:
        """A step function of one simulation, which begins in a state drawn from the belief."""
        state, fresh = draw(self.belief, rng), self.begun - len(self.first) < AGAIN
        if self._legal(state) != self.root.legal:
            lists = f"{shown(self._legal(state))} or {shown(self.root.legal)}"
            raise SimulationError(f"the actions are {lists}, by what is hidden: let observe tell such states apart")

        def on(_: Seen, action: Hashable, rng: np.random.Generator) -> tuple[Seen, Any, bool]:
            nonlocal state, fresh
            state, reward, seen = self._step(state, action, rng)
            if fresh:
                fresh = False
                self._count_first(action, seen)
            return seen, reward, not seen.legal

        return on

    def _count_first(self, action: Hashable, seen: Seen) -> None:
        """Refuse what is seen after a first step if it never repeats: no history would be met twice."""
        self.first.setdefault(action, set()).add(seen)
        self.begun += 1
        if self.begun - len(self.first) == AGAIN and sum(map(len, self.first.values())) == self.begun:
            raise SimulationError(f"nothing was seen twice in {self.begun} simulations: let observe round it")

    def _step(self, state: Any, action: Hashable, rng: np.random.Generator) -> tuple[Any, Any, Seen]:
        """A step from a state, and what is seen then: no actions where the episode is over.  Errors name the state."""
        try:
            after, reward, over, _ = unpack(self.world.step(state, action, rng))
            if after is state and (type(state).__hash__ is None or looks_the_same(state)):
                raise ValueError("the step returned the state it was given, perhaps changed: let it change a copy")
        except Exception as error:
            raise failed(error, state, action) from error
        legal = () if over else self._legal(after)
        return after, reward, Seen(hashable(asked("observe", self.observe, after)) if legal else None, legal)

    def _legal(self, state: Any) -> tuple[Hashable, ...]:
        return tuple(asked("the actions", self.world.actions, state))

    def step(self, state: Any, action: Any, rng: Any) -> NoReturn:
        raise TypeError("the state is hidden by observe=: plan with Planner.begin(belief) and advance(action, seen)")


def draw(belief: Any, rng: np.random.Generator) -> Any:
    """A state from a belief."""
    return belief[int(rng.integers(len(belief)))] if isinstance(belief, list) else asked("draw", belief, rng)
