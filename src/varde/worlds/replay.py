"""Restoring earlier states of an environment: how planning steps an environment without a table."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable
from typing import Any, NoReturn

import numpy as np

from .restoring import Attributes, Own, UnfitError
from .spaces import Moves, hashable

WAYS = (Own, Attributes)  # in the order in which they are tried
WALKS, STEPS = 4, 8  # episodes and steps for verifying that states can be restored
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


class Replay:
    """An environment whose states can be restored, verified before first use.

    Every step draws from the generator it is given: the environment's random streams are not part of a state.  A limit
    on the steps of an episode (``truncated``) does not end the world.  What the environment hides, such as a card dealt
    face down, is part of the saved state.

    States are identified by everything that was saved, since observations may be less: a view of a few fields looks
    the same in many places.  If saved states cannot be compared, they are identified by the observation, or by its
    ``key`` if that is given.
    """

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        self.given, self.key, self.moves = env, key, Moves(env, drawn=True)
        self.by_state = key is None
        self.way: Any = None  # once it is verified

    def actions(self, state: Place) -> tuple[Any, ...]:
        return state.legal

    def start(self, rng: np.random.Generator) -> Place:
        """Where the environment is now; the start of an episode if none has begun."""
        layer = self.given
        while layer is not self.given.unwrapped and not hasattr(layer, "has_reset"):
            layer = layer.env
        if not getattr(layer, "has_reset", True):
            self.given.reset(seed=int(rng.integers(2**31)))
        if self.way is None:
            self.way = self._verified()
        saved = self.way.save()
        name = self.way.mark(saved) if self.by_state else object()
        return Place(name, saved, "where the environment is", self._legal_now())

    def observed(self, seen: Any) -> Place:
        """Where the environment is now, in the middle of an episode, and what was observed there."""
        saved = self.way.save()
        return Place(self._name(saved, seen), saved, seen, self._legal_now())

    def _name(self, saved: Any, seen: Any) -> Hashable:
        if self.by_state:
            return self.way.mark(saved)
        return hashable(seen) if self.key is None else self.key(seen)

    def _legal_now(self) -> tuple[Any, ...]:
        return self.moves.legal(self.given.unwrapped, {})

    def step(self, state: Place, action: Any, rng: np.random.Generator) -> tuple[Place, float, bool]:
        if not isinstance(state, Place):
            raise TypeError(f"the environment cannot be set to {state!r}: leave the state out to begin where it is")
        (seen, reward, over, _, _), saved, legal = self.way.step(state.saved, action, rng, self.moves)
        return Place(self._name(saved, seen), saved, seen, legal), reward, over

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{self.given} can be restored to its states in this process only: write workers=4 for threads, or a "
            "function step(state, action, rng) that can be sent to other processes"
        )

    # -- verifying ---------------------------------------------------------------------------------

    def _verified(self) -> Any:
        """The first method for which restoring before every step gives the same result as stepping straight on."""
        reason = ""  # of the first method, which is the most informative
        for make in WAYS:
            try:
                way = make(self.given)
            except UnfitError as error:
                reason = reason or str(error)
                continue
            wrong = self._wrong(way)
            if wrong is None:
                self.by_state = self.by_state and self._told_apart(way)
                return way
            reason = reason or f"{way.named}: {wrong}"
        raise TypeError(f"{self.given} cannot be planned {reason}. {REMEDY}")

    def _wrong(self, way: Any) -> str | None:
        """What is wrong with a method, if anything."""
        before = shared_streams()
        try:
            once, again, back = (
                [walk(way, seed) for seed in range(WALKS)] for walk in (self._on, self._on, self._back)
            )
        except Exception as error:
            reset = "if reset() sets that, call it first; " if isinstance(error, AttributeError) else ""
            return f"{reset}{type(error).__name__}: {error}"
        if before != shared_streams():
            return "it draws from the global np.random or random: let it draw from self.np_random"
        led = "led elsewhere, or gave another reward, with the same random numbers"
        for found, repeated, returned in zip(once, again, back, strict=True):
            for one, other, third in zip(found, repeated, returned, strict=False):
                if one != other:
                    return f"action {one[0]} {led}: let all of them come from self.np_random"
                if one != third:
                    return f"action {one[0]} {led}, when it was put back into the state before"
        return None

    def _on(self, way: Any, seed: int) -> list[tuple[Any, ...]]:
        """The transitions of an episode with random actions."""
        rng = np.random.default_rng(seed)
        with way.visit(way.save(), rng) as env:

            def go(legal: tuple[Any, ...], action: Any) -> tuple[Any, tuple[Any, ...]]:
                answer = self.moves.step(env, action)
                return answer, self.moves.legal(env.unwrapped, answer[-1])

            return self._walk(seed, go)

    def _back(self, way: Any, seed: int) -> list[tuple[Any, ...]]:
        """The same episode, but trying another action in every state before restoring and continuing."""
        rng, saved = np.random.default_rng(seed), way.save()

        def go(legal: tuple[Any, ...], action: Any) -> tuple[Any, tuple[Any, ...]]:
            nonlocal saved
            way.step(saved, legal[-1], np.random.default_rng(0), self.moves)
            answer, saved, legal = way.step(saved, action, rng, self.moves)
            return answer, legal

        return self._walk(seed, go)

    def _walk(self, seed: int, go: Callable[[tuple[Any, ...], Any], Any]) -> list[tuple[Any, ...]]:
        choices, legal = np.random.default_rng(seed), self._legal_now()
        found: list[tuple[Any, ...]] = []
        while legal and len(found) < STEPS:
            action = legal[int(choices.integers(len(legal)))]
            (seen, reward, over, _, _), legal = go(legal, action)
            found.append((action, hashable(seen), reward, over))
            if over:
                break
        return found

    def _told_apart(self, way: Any) -> bool:
        """Whether saved states can be compared: the same step twice gives equal states."""
        saved, legal = way.save(), self._legal_now() or self.moves.all
        try:
            one, other = (
                way.mark(way.step(saved, legal[-1], np.random.default_rng(1), self.moves)[1]) for _ in range(2)
            )
            return bool(one == other and hash(one) == hash(other))
        except Exception:  # what cannot be pickled
            return False


def shared_streams() -> tuple[Any, ...]:
    """The state of the global random streams."""
    return hashable(np.random.get_state()), random.getstate()
