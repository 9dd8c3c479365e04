"""Gymnasium environments stepped forwards by ``reset`` and ``step``: one, or a vector of them.

Learning continues from the present state and never restores an earlier one.  Both kinds return a ``Stride`` for each
lane (environment); what happens between the end of an episode and the start of the next is not a stride.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .binned import Binned, is_continuous
from .spaces import Moves, hashable, masked

# Wrappers whose observations or rewards for the same state change over time.
DRIFTING = ("NormalizeObservation", "NormalizeReward")
MODES = ("NextStep", "SameStep", "Disabled")

Spot = tuple[Hashable, tuple[Any, ...]]  # the name of a state, and its actions


class Stride(NamedTuple):
    """The outcome of a step of one environment."""

    name: Hashable  # of the state it led to
    legal: tuple[Any, ...]
    reward: float
    over: bool
    cut: bool  # truncated: an episode begins without the last one being over


class Walk:
    """One environment."""

    lanes, resets_itself = 1, False

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        refuse_drift(env)
        if key is None and is_continuous(getattr(env, "observation_space", None)):
            raise TypeError(
                f"{env} has continuous observations, {env.observation_space}: write key=10, which cuts "
                "them into bins (in the shell --discretise 10), or key=function, which gives an observation its name"
            )
        self.env, self.key, self.moves = env, key or hashable, Moves(env)
        self._seeded = False

    def begin(self, rng: np.random.Generator) -> list[Spot | None]:
        """Begin an episode, in every lane; only the first is seeded, as Gymnasium recommends."""
        seen, info = reset(self.env, None if self._seeded else int(rng.integers(2**31)))
        self._seeded = True
        return [(self.key(seen), self.moves.legal(self.env.unwrapped, info))]

    def step(self, actions: Sequence[Any]) -> list[Stride | None]:
        """The outcome of an action in every lane."""
        seen, reward, over, cut, info = self.moves.step(self.env, actions[0])
        return [Stride(self.key(seen), self.moves.legal(self.env.unwrapped, info), reward, over, cut)]

    def renew(self, ended: Sequence[int]) -> list[Spot | None]:
        """The first states of the next episodes in lanes whose last one ended; None if not known yet."""
        seen, info = reset(self.env, None)
        return [(self.key(seen), self.moves.legal(self.env.unwrapped, info))]

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


class Walks(Walk):
    """A vector of environments; nothing is learned from its automatic resets."""

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        refuse_drift(env)
        mode = getattr(env, "metadata", None) or {}
        self.mode = getattr(mode.get("autoreset_mode"), "value", mode.get("autoreset_mode"))
        if self.mode not in MODES:
            raise TypeError(
                f"{env} does not say when it resets: write metadata['autoreset_mode'], or give a single one"
            )
        if key is None and is_continuous(env.single_observation_space):
            raise TypeError(f"{env} has continuous observations: write key=10, or key=function")
        self.env, self.key, self.moves = env, key or hashable, Moves(env)
        self.lanes, self.resets_itself = int(env.num_envs), self.mode != "Disabled"
        self._seeded = False
        self._fresh = [True] * self.lanes  # lanes that will begin an episode at the next step, whatever the action

    def begin(self, rng: np.random.Generator) -> list[Spot | None]:
        seen, info = reset(self.env, None if self._seeded else int(rng.integers(2**31)))
        self._seeded, self._fresh = True, [False] * self.lanes
        self._spots = self._spots_of(seen, info)
        return list(self._spots)

    def step(self, actions: Sequence[Any]) -> list[Stride | None]:
        seen, rewards, over, cut, info = self.env.step(self.moves.together(actions))
        begun, spots = self._fresh, self._spots_of(seen, info)
        ended = np.logical_or(over, cut)
        self._spots = spots
        self._fresh = ended.tolist() if self.mode == "NextStep" else [False] * self.lanes
        led = list(spots)
        if self.mode == "SameStep" and ended.any():
            for lane in np.flatnonzero(ended).tolist():
                led[lane] = self.key(last_seen(info, lane, self.env)), self._legal(info.get("final_info") or {}, lane)
        return [
            None if begun[lane] else Stride(*led[lane], float(rewards[lane]), bool(over[lane]), bool(cut[lane]))
            for lane in range(self.lanes)
        ]

    def renew(self, ended: Sequence[int]) -> list[Spot | None]:
        if self.mode == "NextStep":
            return [None if self._fresh[lane] else self._spots[lane] for lane in ended]
        if self.mode == "Disabled":
            mask = np.zeros(self.lanes, bool)
            mask[list(ended)] = True
            seen, info = self.env.reset(options={"reset_mask": mask})
            self._spots = self._spots_of(seen, info)
        return [self._spots[lane] for lane in ended]

    def sights(self, steps: int, rng: np.random.Generator) -> list[Any]:
        seen, info = reset(self.env, int(rng.integers(2**31)))
        found, legal = [*self._each(seen)], [spot[1] for spot in self._spots_of(seen, info, named=False)]
        for _ in range(steps // self.lanes + 1):
            drawn = [options[int(rng.integers(len(options)))] for options in legal]
            seen, _, over, cut, info = self.env.step(self.moves.together(drawn))
            ended = np.logical_or(over, cut)
            if self.mode == "Disabled" and ended.any():
                seen, info = self.env.reset(options={"reset_mask": ended})
            found += self._each(seen)
            legal = [spot[1] for spot in self._spots_of(seen, info, named=False)]
        return found

    def _each(self, seen: Any) -> list[Any]:
        """The observation of each environment."""
        from gymnasium.vector.utils import iterate

        return list(iterate(self.env.observation_space, seen))

    def _spots_of(self, seen: Any, info: Any, named: bool = True) -> list[Spot]:
        return [
            (self.key(one) if named else None, self._legal(info, lane)) for lane, one in enumerate(self._each(seen))
        ]

    def _legal(self, info: Any, lane: int) -> tuple[Any, ...]:
        masks, given = info.get("action_mask"), info.get("_action_mask")
        if masks is None or not (given is None or given[lane]):
            return self.moves.all
        return masked(self.moves.all, masks[lane])


def reset(env: Any, seed: int | None) -> tuple[Any, Any]:
    """The first observation and its info; older environments may have neither seed nor info."""
    try:
        answer = env.reset() if seed is None else env.reset(seed=seed)
    except TypeError as error:
        if "seed" not in str(error):
            raise
        answer = env.reset()
    return answer if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], dict) else (answer, {})


def last_seen(info: Any, lane: int, env: Any) -> Any:
    """The last observation of an environment before it was reset in the same step."""
    final = info.get("final_obs", info.get("final_observation"))
    if final is None:
        raise TypeError(
            f"{env} resets in the same step and does not return the last observation: put final_obs in info"
        )
    if isinstance(final, dict):
        return {name: part[lane] for name, part in final.items()}
    return tuple(part[lane] for part in final) if isinstance(final, tuple) else final[lane]


def refuse_drift(env: Any) -> None:
    layer = env
    while layer is not None:
        if type(layer).__name__ in DRIFTING:
            raise TypeError(
                f"{type(layer).__name__} changes its scale as it goes, so that states do not stay the same: "
                "leave this wrapper out, learning does not depend on scales"
            )
        layer = None if layer is getattr(layer, "unwrapped", layer) else getattr(layer, "env", None)


def walk_of(env: Any, key: Callable[[Any], Hashable] | None) -> Walk:
    """The walk for an environment or a vector of them."""
    return Walks(env, key) if getattr(env, "num_envs", None) is not None else Walk(env, key)
