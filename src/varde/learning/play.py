"""Playing whole episodes with a learned policy, beside random play and the value of the best policy."""

from __future__ import annotations

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from .._compile import working_time
from ..show.progress import Watch
from ..worlds.episodes import Episode, Stage, at_random, best_returns, play, spread
from .policy import Policy


class Played(NamedTuple):
    """Episodes of a policy."""

    world: str
    policy: Policy
    episodes: list[Episode]
    by_chance: list[float]  # returns of random play
    best: list[float]  # value of the best policy for each episode; nan if unknown
    unmet: int  # moves in states never visited, by the usual action

    @property
    def returns(self) -> list[float]:
        return [episode.value for episode in self.episodes if episode.ended != "interrupted"]

    def __str__(self) -> str:
        lines = [f"{self.world}: {self.policy}"]
        if self.returns:
            lines.append(f"mean return {spread(self.returns)}")
        if self.by_chance:
            lines.append(f"random play: {spread(self.by_chance)}")
        if self.best and not any(map(math.isnan, self.best)):
            lines.append(f"the best policy expects {np.mean(self.best):.4g} from the same starts")
        if self.unmet:
            moves = sum(len(episode.actions) for episode in self.episodes)
            lines.append(f"in {self.unmet:,} of {moves:,} moves the state was new, and the usual action was taken")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the policy, as JSON takes it."""
        best = float(np.mean(self.best)) if self.best else math.nan
        return {
            "world": self.world,
            "steps": self.policy.spent,
            "states": len(self.policy),
            "uncertain": len(self.policy.uncertain),
            "stopped": self.policy.stopped,
            "mean": float(np.mean(self.returns)) if self.returns else None,
            "random": self.by_chance,
            "best": best if math.isfinite(best) else None,
            "unmet": self.unmet,
            "episodes": [
                {"return": episode.value, "moves": len(episode.actions), "ended": episode.ended}
                for episode in self.episodes
            ],
        }


class Player:
    """Chooses by a policy; in a new state the usual action, or any other if that is not legal."""

    def __init__(self, stage: Stage, policy: Policy, timed: bool, seed: int):
        self.stage, self.policy, self.timed = stage, policy, timed
        self.rng = np.random.default_rng([seed, 3])
        self.before, self.step = len(policy.unknown_states), 0

    @property
    def unmet(self) -> int:
        return len(self.policy.unknown_states) - self.before

    def __call__(self, state: Any) -> Hashable:
        asked = (state, self.step) if self.timed else state
        self.step += 1
        known = len(self.policy.unknown_states)
        action = self.policy(asked)
        if len(self.policy.unknown_states) > known and action not in self.stage.legal:
            return self.stage.drawn(self.rng)
        return action


def play_all(
    name: str, stage: Stage, policy: Policy, timed: bool, episodes: int, chance: int, most: int, seed: int, watch: Watch
) -> Played:
    """Episodes of random play, then of the policy; ``timed`` says that it is asked with the step.  Ctrl-C ends it."""
    found: list[Episode] = []
    by_chance: list[float] = []
    unmet = 0
    try:
        for number in range(chance):
            by_chance.append(at_random(stage, seed + number, most).value)
        while len(found) < episodes and (not found or found[-1].ended != "interrupted"):
            player = Player(stage, policy, timed, seed + len(found))
            found.append(play(stage, player, seed + len(found), most, lambda _: None))
            unmet += player.unmet
            watch.tick(len(found), working_time())
    except KeyboardInterrupt:
        pass
    best = best_returns(stage, most)
    return Played(name, policy, found, by_chance, [best(episode.start) for episode in found], unmet)
