"""Playing whole episodes in which a planner chooses every move."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from ..worlds.episodes import Episode, Stage, spread
from .planner import Planner


class Searching:
    """Chooses every move by ``budget`` simulations, besides those ``kept`` from the moves before."""

    def __init__(self, stage: Stage, planner: Planner, budget: int, **limits: Any):
        self.stage, self.planner, self.budget, self.limits = stage, planner, budget, limits
        self.kept = self.simulations = 0
        self.last: Hashable = None

    def __call__(self, state: Any) -> Hashable:
        if self.last is None:
            self.planner.begin(state)
        else:
            self.kept = self.planner.advance(self.last, state)
        move = self.planner.think(self.budget, progress=False, **self.limits)
        if move.stopped == "interrupted":
            raise KeyboardInterrupt
        self.simulations += move.spent - self.kept
        self.last = move.best
        return move.best


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
