"""Playing whole episodes in which a planner chooses every move."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..random import key, stream
from ..worlds.gymnasium import from_gymnasium, has_table
from ..worlds.horizon import best_values
from ..worlds.spaces import Moves
from ..worlds.table import MDP, Table, step
from ..worlds.visited import Atlas
from ..worlds.world import Function, WorldLike, as_world, draw_start
from .move import Move
from .planner import Planner


class Answer(NamedTuple):
    """The outcome of a move."""

    reward: float
    over: bool
    cut: bool  # truncated by a limit on the length of an episode


class Environment:
    """A Gymnasium environment to play in."""

    def __init__(self, env: Any):
        self.env, self.moves = env, Moves(env, drawn=True)
        spec = getattr(env, "spec", None)
        self.limit: int | None = getattr(spec, "max_episode_steps", None)

    @cached_property
    def world(self) -> Table | Function | None:
        """The world to plan in; made when needed, since not every environment can restore states."""
        return as_world(self.env)

    def begin(self, seed: int) -> None:
        self.seen, self.info = self.env.reset(seed=seed)

    @property
    def state(self) -> Any:
        """Where to plan from: a state of a table, or where the environment is."""
        return int(self.env.unwrapped.s) if isinstance(self.world, Table) else None

    @property
    def legal(self) -> tuple[Any, ...]:
        table = isinstance(self.world, Table)
        return self.moves.all if table else self.moves.legal(self.env.unwrapped, self.info)

    def drawn(self, rng: np.random.Generator) -> Any:
        """An action of random play."""
        sample, legal = self.moves.sample, self.legal
        return legal[int(rng.integers(len(legal)))] if sample is None else sample(None, rng)

    def take(self, action: Any) -> Answer:
        self.seen, reward, over, cut, self.info = self.moves.step(self.env, action)
        return Answer(reward, over, cut)

    def picture(self) -> Any:
        """An image, or text, as the environment renders itself."""
        shown = self.env.render()
        return shown[-1] if isinstance(shown, list) else shown


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
        rng = np.random.default_rng([seed, 1])
        if isinstance(self.world, Table):
            table, draws = self.world, stream(key(seed, "episode"))
            self.atlas = Atlas(lambda name: table.legal(table.state(name)))

            def go(name: Any, action: Any, _: Any) -> tuple[Any, float]:
                number = table.state(name)
                to, reward = step(table.model, number, table.legal(number).index(action), draws)
                return table.states[int(to)], float(reward)

            self.go = self.atlas.steps(go, None)
        else:
            self.atlas = Atlas(self.world.actions, self.world.key)
            self.go = self.atlas.steps(self.world.step, rng)
        self.now = self.atlas.meet(draw_start(self.world, rng))

    @property
    def state(self) -> Any:
        return self.atlas.states[self.now]

    seen = state

    @property
    def legal(self) -> tuple[Any, ...]:
        return self.atlas.legal[self.now]

    def drawn(self, rng: np.random.Generator) -> Any:
        return self.legal[int(rng.integers(len(self.legal)))]

    def take(self, action: Any) -> Answer:
        self.now, reward, cut = self.go(self.now, self.legal.index(action))
        return Answer(reward, not self.legal, cut)

    def picture(self) -> str:
        return str(self.state)


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


class Searching:
    """Chooses every move by ``budget`` simulations, besides those ``kept`` from the moves before."""

    def __init__(self, stage: Stage, planner: Planner, budget: int, **limits: Any):
        self.stage, self.planner, self.budget, self.limits = stage, planner, budget, limits
        self.kept = 0
        self.last: Hashable = None

    def __call__(self, state: Any) -> Move:
        if self.last is None:
            self.planner.begin(state)
        else:
            self.kept = self.planner.advance(self.last, self.stage.seen if state is None else state)
        move = self.planner.think(self.budget, progress=False, **self.limits)
        self.last = move.best
        return move


def play(stage: Stage, choose: Callable[[Any], Move | Hashable], seed: int, most: int, watch: Watch) -> Episode:
    """An episode in which ``choose(state)`` names every action; Ctrl-C ends it, and what was played is returned."""
    began, simulations, ended = time.perf_counter(), 0, "not yet"
    actions: list[Hashable] = []
    rewards: list[float] = []
    stage.begin(seed)
    start = stage.state
    try:
        while ended == "not yet":
            seconds = time.perf_counter() - began
            watch(Episode(start, actions, math.fsum(rewards), ended, simulations, seconds))
            chosen = choose(stage.state)
            if isinstance(chosen, Move):
                if chosen.stopped == "interrupted":
                    raise KeyboardInterrupt
                simulations += chosen.spent - getattr(choose, "kept", 0)
                chosen = chosen.best
            answer = stage.take(chosen)
            actions.append(chosen)
            rewards.append(answer.reward)
            if answer.over or answer.cut or not stage.legal or len(actions) >= most:
                ended = "cut" if answer.cut or (stage.legal and not answer.over) else "over"
    except KeyboardInterrupt:
        ended = "interrupted"
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
    if not isinstance(stage.world, Table) or not isinstance(stage.world.model, MDP):
        return lambda start: math.nan
    table, values = stage.world, best_values(stage.world.model, most).values[0]
    return lambda start: float(values[table.state(start)])


class Played(NamedTuple):
    """Episodes, with those of random play and the values of the best policy from the same starts."""

    world: str
    budget: int
    horizon: int
    episodes: list[Episode]
    by_chance: list[float]  # returns
    best: list[float]  # of each episode; nan where it is not known

    @property
    def complete(self) -> list[Episode]:
        return [episode for episode in self.episodes if episode.ended != "interrupted"]

    def __str__(self) -> str:
        lines = []
        for number, (episode, best) in enumerate(zip(self.episodes, self.best, strict=True), 1):
            known = "" if math.isnan(best) else f", the best policy expects {best:.4g}"
            played = f"return {episode.value:.6g} in {len(episode.actions):,} moves, {episode.ended}"
            lines.append(f"episode {number}: {played}{known}")
        values = [episode.value for episode in self.complete]
        if values:
            simulations, seconds = (sum(numbers) for numbers in zip(*(e[4:6] for e in self.episodes), strict=True))
            search = (
                f"{self.budget:,} simulations of {self.horizon} steps a move, {simulations / seconds:,.0f} a second"
            )
            lines.append(f"{self.world}: mean return {spread(values)} ({search})")
            if self.by_chance:
                lines.append(f"random play: {spread(self.by_chance)}")
            if not any(map(math.isnan, self.best)):
                lines.append(f"the best policy expects {np.mean(self.best):.4g} from the same starts")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON takes it."""

        def known(value: float) -> float | None:
            return value if math.isfinite(value) else None

        return {
            "world": self.world,
            "budget": self.budget,
            "horizon": self.horizon,
            "mean": float(np.mean([e.value for e in self.complete])) if self.complete else None,
            "random": self.by_chance,
            "best": known(float(np.mean(self.best))) if self.best else None,
            "episodes": [
                {
                    "return": episode.value,
                    "moves": len(episode.actions),
                    "ended": episode.ended,
                    "best": known(best),
                    "simulations": episode.simulations,
                    "seconds": episode.seconds,
                    "actions": [repr(a) if not isinstance(a, (int, float, str)) else a for a in episode.actions],
                }
                for episode, best in zip(self.episodes, self.best, strict=True)
            ],
        }


def spread(values: list[float]) -> str:
    """A mean with its standard error, over how many."""
    error = f" ± {np.std(values, ddof=1) / math.sqrt(len(values)):.2g}" if len(values) > 1 else ""
    return f"{np.mean(values):.4g}{error} over {len(values)} episode{'s' * (len(values) != 1)}"
