"""Whole episodes: a world to play in, and who chooses the actions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from .discovered import Discovered
from .function import Function
from .gymnasium import from_gymnasium, has_table
from .record import is_listed
from .solve import best_values
from .stepping import Answer, Forwards
from .table import Table
from .world import WorldLike, as_world, draw_start, stepped


class Environment(Forwards):
    """A Gymnasium environment to play in."""

    def __init__(self, env: Any):
        super().__init__(env, drawn=True)
        self.limit: int | None = getattr(getattr(env, "spec", None), "max_episode_steps", None)

    @cached_property
    def world(self) -> Table | Function | None:
        """The world to plan in; made when needed, since not every environment can restore states."""
        return as_world(self.env)

    def begin(self, seed: int) -> None:
        self.reset(seed)

    @property
    def state(self) -> Any:
        """Where to plan from: a state of a table, or where the environment is."""
        return int(self.env.unwrapped.s) if isinstance(self.world, Table) else None

    @property
    def legal(self) -> tuple[Any, ...]:
        return self.moves.all if isinstance(self.world, Table) else super().legal

    def drawn(self, rng: np.random.Generator) -> Any:
        """An action of random play."""
        sample, legal = self.moves.sample, self.legal
        return legal[int(rng.integers(len(legal)))] if sample is None else sample(None, rng)


class Watched(Environment):
    """An environment as a policy sees it: its states are the observations."""

    @cached_property
    def world(self) -> Table | None:
        return from_gymnasium(self.env) if has_table(self.env) else None

    @property
    def state(self) -> Any:
        return self.seen


class Simulated:
    """Your own world to play in: its random numbers are separate from those of the search."""

    limit: int | None = None

    def __init__(self, given: WorldLike, **how: Any):
        self.world: Table | Function = as_world(given, **how)
        if getattr(self.world, "player", None) is not None:
            raise TypeError("a game of two players has no episodes of one: write varde.plan(...) for every move")

    def begin(self, seed: int) -> None:
        rng, world = np.random.default_rng([seed, 1]), self.world
        steps = stepped(world) if isinstance(world, Table) else world
        self.known = Discovered(steps.actions, steps.key)
        self.go = self.known.steps(steps.step, rng)
        self.now = self.known.meet(draw_start(world, rng))

    @property
    def state(self) -> Any:
        return self.known.states[self.now]

    seen = state

    @property
    def legal(self) -> tuple[Any, ...]:
        return self.known.legal[self.now]

    def drawn(self, rng: np.random.Generator) -> Any:
        return self.legal[int(rng.integers(len(self.legal)))]

    def take(self, action: Any) -> Answer:
        self.now, reward, cut = self.go(self.now, self.legal.index(action))
        return Answer(reward, not self.legal, cut)


class Episode(NamedTuple):
    """An episode: ``ended`` by the world ("over"), by a limit on its length ("cut"), or "interrupted"."""

    start: Any
    actions: list[Hashable]
    value: float  # the sum of the rewards
    ended: str
    simulations: int
    seconds: float


Stage = Environment | Simulated
Watch = Callable[[Episode], None]  # is called at the start and after every move, with the episode so far


def play(stage: Stage, choose: Callable[[Any], Hashable], seed: int, most: int, watch: Watch) -> Episode:
    """An episode in which ``choose(state)`` names every action; Ctrl-C ends it, and what was played is returned.

    Whoever simulates to choose counts that in ``choose.simulations``.
    """
    began, ended, before = time.perf_counter(), "not yet", getattr(choose, "simulations", 0)
    actions: list[Hashable] = []
    rewards: list[float] = []
    stage.begin(seed)
    start = stage.state
    try:
        while ended == "not yet":
            seconds = time.perf_counter() - began
            simulations = getattr(choose, "simulations", 0) - before
            watch(Episode(start, actions, math.fsum(rewards), ended, simulations, seconds))
            chosen = choose(stage.state)
            answer = stage.take(chosen)
            actions.append(chosen)
            rewards.append(answer.reward)
            if answer.over or answer.cut or not stage.legal or len(actions) >= most:
                ended = "cut" if answer.cut or (stage.legal and not answer.over) else "over"
    except KeyboardInterrupt:
        ended = "interrupted"
    simulations = getattr(choose, "simulations", 0) - before
    found = Episode(start, actions, math.fsum(rewards), ended, simulations, time.perf_counter() - began)
    if ended != "interrupted":
        watch(found)
    return found


def at_random(stage: Stage, seed: int, most: int) -> Episode:
    """An episode of random actions."""
    rng = np.random.default_rng([seed, 2])
    return play(stage, lambda _: stage.drawn(rng), seed, most, lambda _: None)


def best_returns(stage: Stage, most: int) -> Callable[[Any], float]:
    """The value of the best policy over ``most`` steps from a start; nan if the world has no table."""
    if not isinstance(stage.world, Table) or not is_listed(stage.world.model):
        return lambda start: math.nan
    table, values = stage.world, best_values(stage.world.model, most).values[0]
    return lambda start: float(values[table.state(start)])


def spread(values: list[float]) -> str:
    """A mean with its standard error, over how many."""
    error = f" ± {np.std(values, ddof=1) / math.sqrt(len(values)):.2g}" if len(values) > 1 else ""
    return f"{np.mean(values):.4g}{error} over {len(values)} episode{'s' * (len(values) != 1)}"
