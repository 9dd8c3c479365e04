"""Where a planner plans from, and what it looks for before it trusts a world."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from ..worlds.diagnosis import Probe
from ..worlds.function import Function, Sample
from ..worlds.gymnasium import check_observed, present_state, steps_taken
from ..worlds.replay import Place
from ..worlds.sampled import AT_START, SLOTS, Slots
from ..worlds.table import Table
from ..worlds.world import first_state, is_environment


class Present:
    """Where a world is now: an environment is where it was left, other worlds are where the user says."""

    def __init__(self, world: Table | Function, given: Any):
        behind = getattr(getattr(getattr(world, "step", None), "__self__", None), "given", given)
        self.world: Any = world
        self.env = behind if is_environment(behind) else None

    @property
    def steps(self) -> int | None:
        """Steps of the episode so far, if they are known."""
        return None if self.env is None else steps_taken(self.env)

    def state(self, state: Any, rng: np.random.Generator, *before: Any) -> Any:
        """A state as the world names it; None: where it is now.  ``before``: where the planner was, if it moves on."""
        world = self.world
        if state is None and self.env is not None and getattr(world, "observed", None) is None:
            state = present_state(self.env)  # it has a table
        if state is None and before and self.env is None:
            raise TypeError("the world does not say where it is now: write the state that the action led to")
        if state is None:
            return first_state(world, rng)
        if getattr(world, "locate", None) is not None:
            return world.locate(state, rng, *before)
        if getattr(world, "observed", None) is None or isinstance(state, Place):
            return state
        if self.env is not None:
            check_observed(self.env, state)
            first_state(world, rng)  # finds out how to restore its states
        return world.observed(state)


def probe_start(world: Function, search: Any) -> None:
    """Refuse a step that calls an environment of its own, which does not start from the state it is given."""
    if world.observed is not None or world.sample is not None:
        return
    probe = Probe(world.step, key=world.key)
    if not probe.suspect:
        return
    for action in range(min(len(search.atlas.legal[search.start]), probe.left)):
        state, name = search.atlas.pair(search.start, action)
        probe(state, name, np.random.default_rng(0))


def sampled_slots(sample: Sample, rng: np.random.Generator) -> Callable[[Any, int, Hashable], Slots]:
    """Room for the actions of a state that was reached, by its number and the action that led there; 0 is the root."""
    return lambda state, number, by: Slots(state, AT_START if number == 0 else SLOTS, sample, rng, by)


def first_known(*values: Any) -> Any:
    """The first that is not None."""
    return next(value for value in values if value is not None)


def no_world(state: Any, action: Any, rng: Any) -> Any:
    """The step of a planner without a world."""
    raise NotImplementedError
