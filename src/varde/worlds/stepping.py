"""A Gymnasium environment stepped forwards by ``reset`` and ``step``: how it is learned in.

It continues from its present state and is never put back into an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from ..check import shown
from .spaces import Moves, hashable, is_continuous

# Wrappers whose observations or rewards for the same state change over time.
DRIFTING = ("NormalizeObservation", "NormalizeReward")

Spot = tuple[Hashable, tuple[Any, ...]]  # the name of a state, and its actions


class Answer(NamedTuple):
    """The outcome of a step."""

    reward: float
    over: bool
    cut: bool  # truncated: an episode ends without being over


class Walk:
    """An environment whose observations are named by ``key``, to learn in."""

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        if key is None and is_continuous(getattr(env, "observation_space", None)):
            raise TypeError(
                f"{env} has continuous observations, {env.observation_space}: write key=function, "
                "which gives an observation its name, such as key=lambda seen: tuple(np.digitize(seen, edges))"
            )
        refuse_unsteady(env)
        self.env, self.moves, self.key = env, Moves(env), key or hashable
        self._seeded = False

    def take(self, action: Any) -> Answer:
        self.seen, reward, over, cut, self.info = self.moves.step(self.env, action)
        return Answer(reward, over, cut)

    @property
    def spot(self) -> Spot:
        """Where it is now."""
        return self.key(self.seen), self.moves.legal(self.env.unwrapped, self.info)

    def begin(self, rng: np.random.Generator) -> Spot:
        """Begin an episode; only the first is seeded, as Gymnasium recommends."""
        self.seen, self.info = reset(self.env, None if self._seeded else int(rng.integers(2**31)))
        self._seeded = True
        return self.spot


def reset(env: Any, seed: int | None) -> tuple[Any, Any]:
    """The first observation of an episode, and its info."""
    answer = env.reset(seed=seed)
    if not isinstance(answer, tuple) or len(answer) != 2 or not isinstance(answer[1], dict):
        raise TypeError(f"reset returned {shown(answer, 200)}: return Gymnasium's two, (observation, info)")
    return answer


def refuse_unsteady(env: Any) -> None:
    """Refuse an environment whose states do not stay the same, and many in one."""
    if getattr(env, "num_envs", None) is not None:
        raise TypeError(f"{env} is a vector of environments: give a single one")
    layer = env
    while layer is not None:
        if type(layer).__name__ in DRIFTING:
            raise TypeError(
                f"{type(layer).__name__} changes its scale as it goes, so that states do not stay the same: "
                "leave this wrapper out, neither planning nor learning depends on scales"
            )
        layer = None if layer is getattr(layer, "unwrapped", layer) else getattr(layer, "env", None)
