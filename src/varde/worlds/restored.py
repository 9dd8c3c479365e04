"""Environments that planning goes back in: each state is saved, and a step begins by restoring it.

Some environments begin anew when they are copied, or keep a part of their state elsewhere.  So a way of restoring is
used only if a few episodes that go back before every step are the same as those that go straight on.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Hashable
from typing import Any, NoReturn

import numpy as np

from .function import SimulationError
from .restoring import Attributes, Own, UnfitError, Way
from .spaces import Moves, hashable
from .stepping import refuse_unsteady, reset
from .streams import global_states

WALKS, STEPS = 4, 8  # episodes and steps for verifying that states can be restored
STARTING = threading.Lock()  # threads that plan in the same environment would reset it for each other
REMEDY = (
    "Write a function step(state, action, rng) with actions=..., or give the environment get_state() and "
    "set_state(state); varde.learn takes it as it is"
)


class Place:
    """A state of an environment: identified by ``name``, and saved so that it can be restored."""

    __slots__ = ("legal", "name", "saved", "seen")

    def __init__(self, name: Hashable, saved: Any, seen: Any, legal: tuple[Any, ...]):
        self.name, self.saved, self.seen, self.legal = name, saved, seen, legal

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.name == other.name

    def __repr__(self) -> str:
        return f"{self.seen!r}"


class Restored:
    """An environment whose states can be restored, verified before first use.

    A limit on the steps of an episode (``truncated``) does not end the world.  What the environment hides, such as a
    card dealt face down, is part of the saved state.

    States are identified by everything that was saved, since observations may be less: a view of a few fields looks
    the same in many places.  If saved states cannot be compared, they are identified by the observation, or by its
    ``key`` if that is given.
    """

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        refuse_unsteady(env)
        self.env, self.key, self.moves = env, key, Moves(env, drawn=True)
        self.by_state = key is None
        self.way: Any = None  # once it is verified

    def actions(self, state: Place) -> tuple[Any, ...]:
        return state.legal

    def start(self, rng: np.random.Generator) -> Place:
        """Where the environment is now; the start of an episode if none has begun."""
        with STARTING:
            layer = self.env
            while layer is not self.env.unwrapped and not hasattr(layer, "has_reset"):
                layer = layer.env
            if not getattr(layer, "has_reset", True):
                reset(self.env, int(rng.integers(2**31)))
            legal = self.moves.legal(self.env.unwrapped, {})
            if self.way is None:
                self.way = self._verified(legal or self.moves.all)
            saved = self.way.save()
            name = self.way.mark(saved) if self.by_state else object()
            return Place(name, saved, "where the environment is", legal)

    def step(self, state: Place, action: Any, rng: np.random.Generator) -> tuple[Place, float, bool]:
        (seen, reward, over, _, _), saved, legal = self.way.step(state.saved, action, rng, self.moves)
        if self.by_state:
            name = self.way.mark(saved)
        else:
            name = hashable(seen) if self.key is None else self.key(seen)
        return Place(name, saved, seen, legal), reward, over

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self.env} can be restored to its states in this process only: write workers=4 for threads, or a "
            "function step(state, action, rng) that can be sent to other processes"
        )

    # -- verifying ---------------------------------------------------------------------------------

    def _verified(self, legal: tuple[Any, ...]) -> Way:
        """The first way for which restoring before every step gives the same result as stepping straight on."""
        reason = ""  # of the first way, which is the most informative
        for make in (Own, Attributes):
            try:
                way = make(self.env)
            except UnfitError as error:
                reason = reason or str(error)
                continue
            wrong = self._wrong(way, legal)
            if not wrong:
                self.by_state = self.by_state and self._told_apart(way, legal)
                return way
            reason = reason or f"{way.named}: {wrong}"
        raise SimulationError(f"{self.env} cannot be planned {reason}. {REMEDY}")

    def _wrong(self, way: Way, legal: tuple[Any, ...]) -> str:
        """What is wrong with a way, if anything."""
        before = global_states()
        try:
            on, again, back = (
                [self._walk(way, legal, seed, back) for seed in range(WALKS)] for back in (False, False, True)
            )
        except Exception as error:
            first = "if reset() sets that, call it first; " if isinstance(error, AttributeError) else ""
            return f"{first}a step failed: {type(error).__name__}: {error}"
        if before != global_states():
            return "it draws from the global np.random or random: let it draw from self.np_random"
        led = "led elsewhere, or gave another reward, with the same random numbers"
        for found, repeated, returned in zip(on, again, back, strict=True):
            for one, other, third in zip(found, repeated, returned, strict=False):
                if one != other:
                    return f"action {one[0]} {led}: let all of them come from self.np_random"
                if one != third:
                    return f"action {one[0]} {led}, when it was put back into the state before"
        return ""

    def _walk(self, way: Way, legal: tuple[Any, ...], seed: int, back: bool) -> list[tuple[Any, ...]]:
        """The transitions of an episode with random actions: straight on, or ``back`` after a step aside each time."""
        rng, choices = np.random.default_rng(seed), np.random.default_rng(seed)
        saved, over = way.save(), False
        found: list[tuple[Any, ...]] = []
        straight: Any = contextlib.nullcontext() if back else way.visit(saved, rng)
        with straight as env:
            while legal and not over and len(found) < STEPS:
                action = legal[int(choices.integers(len(legal)))]
                if back:
                    way.step(saved, legal[-1], np.random.default_rng(0), self.moves)
                    (seen, reward, over, _, _), saved, legal = way.step(saved, action, rng, self.moves)
                else:
                    seen, reward, over, _, info = self.moves.step(env, action)
                    legal = self.moves.legal(env.unwrapped, info)
                found.append((action, hashable(seen), reward, over))
        return found

    def _told_apart(self, way: Way, legal: tuple[Any, ...]) -> bool:
        """Whether saved states can be compared: the same step twice gives equal states."""
        saved = way.save()
        try:
            one, other = (
                way.mark(way.step(saved, legal[-1], np.random.default_rng(1), self.moves)[1]) for _ in range(2)
            )
            return bool(one == other and hash(one) == hash(other))
        except Exception:  # what cannot be pickled
            return False
