"""A Gymnasium environment stepped forwards by ``reset`` and ``step``.

Learning continues from the present state and never restores an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np

from .binned import Binned, is_continuous
from .spaces import Moves, hashable

# Wrappers whose observations or rewards for the same state change over time.
DRIFTING = ("NormalizeObservation", "NormalizeReward")

Spot = tuple[Hashable, tuple[Any, ...]]  # the name of a state, and its actions


class Stride(NamedTuple):
    """The outcome of a step."""

    name: Hashable  # of the state it led to
    legal: tuple[Any, ...]
    reward: float
    over: bool
    cut: bool  # truncated: an episode begins without the last one being over


class Walk:
    """An environment that is stepped forwards."""

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        refuse_drift(env)
        if getattr(env, "num_envs", None) is not None:
            raise TypeError(f"{env} is a vector of environments: give a single one")
        if key is None and is_continuous(getattr(env, "observation_space", None)):
            raise TypeError(
                f"{env} has continuous observations, {env.observation_space}: write key=10, which cuts "
                "them into bins (in the shell --discretise 10), or key=function, which gives an observation its name"
            )
        self.env, self.key, self.moves = env, key or hashable, Moves(env)
        self._seeded = False

    def begin(self, rng: np.random.Generator) -> Spot:
        """Begin an episode; only the first is seeded, as Gymnasium recommends."""
        seen, info = reset(self.env, None if self._seeded else int(rng.integers(2**31)))
        self._seeded = True
        return self.key(seen), self.moves.legal(self.env.unwrapped, info)

    def step(self, action: Any) -> Stride:
        """The outcome of an action."""
        seen, reward, over, cut, info = self.moves.step(self.env, action)
        return Stride(self.key(seen), self.moves.legal(self.env.unwrapped, info), reward, over, cut)

    def lay_bins(self, steps: int, rng: np.random.Generator) -> None:
        """Set up bins from observations of random play."""
        assert isinstance(self.key, Binned)
        self.key.fit(self.sights(steps, rng))

    def sights(self, steps: int, rng: np.random.Generator) -> list[Any]:
        """The observations of so many steps of random play."""
        seen, info = reset(self.env, int(rng.integers(2**31)))
        found = [seen]
        for _ in range(steps):
            legal = self.moves.legal(self.env.unwrapped, info)
            seen, _, over, cut, info = self.moves.step(self.env, legal[int(rng.integers(len(legal)))])
            found.append(seen)
            if over or cut:
                seen, info = reset(self.env, None)
                found.append(seen)
        return found


def reset(env: Any, seed: int | None) -> tuple[Any, Any]:
    """The first observation and its info; older environments may have neither seed nor info."""
    try:
        answer = env.reset() if seed is None else env.reset(seed=seed)
    except TypeError as error:
        if "seed" not in str(error):
            raise
        answer = env.reset()
    return answer if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict) else (answer, {})


def refuse_drift(env: Any) -> None:
    layer = env
    while layer is not None:
        if type(layer).__name__ in DRIFTING:
            raise TypeError(
                f"{type(layer).__name__} changes its scale as it goes, so that states do not stay the same: "
                "leave this wrapper out, learning does not depend on scales"
            )
        layer = None if layer is getattr(layer, "unwrapped", layer) else getattr(layer, "env", None)
