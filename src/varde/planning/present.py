"""Where a planner plans from, and what it looks for before it trusts a world."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ..check import shown
from ..worlds.function import Function, Sample
from ..worlds.gymnasium import present_state, steps_taken
from ..worlds.hidden import Hidden
from ..worlds.sampled import AT_START, SLOTS, Slots
from ..worlds.spaces import is_environment
from ..worlds.table import Table
from ..worlds.world import draw_start


class Present:
    """Where a world is now: an environment is where it was left, other worlds are where the user says."""

    def __init__(self, world: Table | Function, given: Any):
        self.world: Any = world
        self.env = given if is_environment(given) else getattr(world, "env", None)

    @property
    def hidden(self) -> Hidden | None:
        """The belief about where it is, if that is hidden."""
        forward = getattr(self.world, "forward", None)
        return forward if isinstance(forward, Hidden) else None

    @property
    def steps(self) -> int | None:
        """Steps of the episode so far, if they are known."""
        return None if self.env is None else steps_taken(self.env)

    def state(self, state: Any, rng: np.random.Generator, after: tuple[Hashable, ...] = ()) -> Any:
        """A state as the world names it, ``after`` an action if any; None: where it is now."""
        world = self.world
        if (hidden := self.hidden) is not None:
            if after:  # nothing may have been seen
                return hidden.now(after[0], state, rng)
            return hidden.begin(state, rng)
        if state is None and self.env is not None and isinstance(world, Table):
            state = present_state(self.env)
        if state is None and after and self.env is None:
            raise TypeError("the world does not say where it is now: write the state that the action led to")
        if state is None:
            return world.states[world.start] if isinstance(world, Table) else draw_start(world, rng)
        if self.env is not None and not isinstance(world, Table):
            if after:
                return world.forward.now(state)
            raise ValueError(
                f"state is {shown(state)}, but an environment is planned from where it is now, after env.reset() or "
                "env.step(action): leave the state out, as in varde.plan(env, budget=1000)"
            )
        return state


def sampled_slots(sample: Sample, rng: np.random.Generator) -> Callable[[Any, int, Hashable], Slots]:
    """Room for the actions of a state that was reached, by its number and the action that led there; 0 is the root."""
    return lambda state, number, by: Slots(state, AT_START if number == 0 else SLOTS, sample, rng, by)


def first_known(*values: Any) -> Any:
    """The first that is not None."""
    return next(value for value in values if value is not None)
