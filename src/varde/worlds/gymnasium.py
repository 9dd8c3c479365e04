"""Gymnasium environments as worlds: by their table, by going back to states met before, or episode by episode."""

from __future__ import annotations

import contextlib
import copy
import random
import threading
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..check import MOST, some_numbers, whole
from .table import Outcome, Table, tabulate

# Wrappers that change nothing but when an episode is cut.
ADDED_BY_MAKE = ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")
PLAIN_WRAPPERS = (*ADDED_BY_MAKE, "RecordEpisodeStatistics", "RecordVideo", "HumanRendering")
SAVING = (("get_state", "set_state"), ("clone_state", "restore_state"))
WALKS, STEPS = 4, 8  # on which it is verified that states can be gone back to
REMEDY = (
    "Write a function step(state, action, rng) with actions=..., or give the environment get_state() and "
    "set_state(state); varde.learn takes it as it is"
)


def without_plain_wrappers(env: Any) -> Any:
    while env is not env.unwrapped and type(env).__name__ in PLAIN_WRAPPERS:
        env = env.env
    return env


def has_table(env: Any) -> bool:
    """Whether the environment is what its table says: a wrapper may change observations, rewards or actions."""
    core = getattr(env, "unwrapped", env)
    table = getattr(core, "P", None)
    return isinstance(table, Mapping) and bool(table) and without_plain_wrappers(env) is core


def from_gymnasium(env: Any, start: int | None = None) -> Table:
    """The model of a Gymnasium environment that has a transition table ``env.unwrapped.P``.

    >>> import gymnasium
    >>> world = from_gymnasium(gymnasium.make("CliffWalking-v1"))
    >>> len(world.states), world.start
    (49, 36)

    A transition marked as terminated leads to a state of its own, ``(state, "end")``, since tables such as Taxi's
    let the episode end in a state that is not terminal by itself.  All states in which the environment may start are
    kept in ``starts``.  ``start`` is a state's number; without it, the state in which the environment is, or the
    one in which it starts most often.
    """
    if not has_table(env):
        wrapped = "has no transition table env.unwrapped.P"
        if getattr(getattr(env, "unwrapped", env), "P", None):
            wrapped = "has a transition table that does not know of its wrappers"
        raise TypeError(f"{env} {wrapped}: give it to varde.plan or varde.learn as it is")
    core = env.unwrapped
    try:
        moves = moves_of(core.P)
        shares = getattr(core, "initial_state_distrib", None)
        shares = None if shares is None else some_numbers("initial_state_distrib", shares)
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        wanted = "P = {state: {action: [(probability, state, reward, over)]}} and initial_state_distrib = [...]"
        raise TypeError(f"{env} has a table that cannot be read ({error}): write {wanted}") from error
    ends = {
        o[1] for actions in moves.values() for outcomes in actions.values() for o in outcomes if isinstance(o[1], tuple)
    }
    moves.update({end: {} for end in sorted(ends)})
    starts: Mapping[Any, float] = {}
    if start is None:
        now = getattr(core, "s", None)
        start = int(now if now is not None else 0 if shares is None else np.argmax(shares))
        starts = {} if shares is None else {int(s): float(shares[s]) for s in np.flatnonzero(shares)}
    return tabulate(moves, start, starts=starts, terminal=ends)


def moves_of(table: Any) -> dict[Hashable, dict[Hashable, list[Outcome]]]:
    """A table of Gymnasium's as ``tabulate`` takes it."""
    return {
        int(state): {
            int(action): [(p, (int(to), "end") if over else int(to), reward) for p, to, reward, over in outcomes]
            for action, outcomes in actions.items()
        }
        for state, actions in table.items()
    }


def hashable(seen: Any) -> Hashable:
    """Something hashable that is equal for equal observations."""
    if isinstance(seen, np.ndarray):
        return seen.dtype.str, seen.shape, seen.tobytes()
    if isinstance(seen, np.generic):
        return seen.item()
    if isinstance(seen, dict):
        return tuple((name, hashable(seen[name])) for name in sorted(seen))
    if isinstance(seen, (tuple, list)):
        return tuple(map(hashable, seen))
    return seen


def discrete_actions(env: Any) -> tuple[int, ...]:
    """The actions of an environment by number."""
    space = env.action_space
    if getattr(env, "num_envs", None) is not None:
        raise TypeError(f"{env} is a vector of environments: give a single one")
    if not hasattr(space, "n") or getattr(space, "shape", ()) != ():
        raise TypeError(
            f"{env} has the actions {space}, which are not discrete: wrap it so that action_space.n says how many"
        )
    first = whole("action_space.start", getattr(space, "start", 0), "the number of the first action", -MOST)
    return tuple(range(first, first + whole("action_space.n", space.n, "how many actions there are", 1, 1 << 16)))


# -- going on from where it is -------------------------------------------------------------------


class Episodes:
    """An environment that is walked through, episode by episode; what is cut short is said to be."""

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        self.env, self.key = env, key or hashable
        self.legal = discrete_actions(env)
        self.name: Hashable = None  # of the state in which the environment is
        self._seeded = False

    def actions(self, state: Any) -> tuple[int, ...]:
        return self.legal

    def start(self, rng: np.random.Generator) -> Any:
        """Begin an episode; only the first is seeded, as Gymnasium recommends."""
        seed = None if self._seeded else int(rng.integers(2**31))
        self._seeded = True
        seen, _ = self.env.reset(seed=seed)
        self.name = self.key(seen)
        return seen

    def step(self, state: Any, action: int, rng: np.random.Generator) -> tuple[Any, float, bool, bool, Any]:
        if self.key(state) != self.name:
            here = f"the environment is in {self.name!r} and cannot go on from {state!r}"
            raise ValueError(f"{here}: take one step after the other")
        seen, reward, over, cut, info = self.env.step(action)
        self.name = self.key(seen)
        return seen, float(reward), bool(over), bool(cut), info


# -- going back to where it was ------------------------------------------------------------------


class Place:
    """A state of an environment: told apart by what was observed, and saved so that one can go on from it."""

    __slots__ = ("name", "saved", "seen")

    def __init__(self, name: Hashable, saved: Any, seen: Any):
        self.name, self.saved, self.seen = name, saved, seen

    def __hash__(self) -> int:
        return hash(self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.name == other.name

    def __repr__(self) -> str:
        return f"{self.seen!r}"


class Replay:
    """An environment whose states can be gone back to, by its own means or by copies, verified before first use.

    Every step draws from the generator it is given: neither the environment's stream nor its step counter is part of
    a state.  A limit on the steps of an episode (``truncated``) does not end the world.  What the environment hides,
    such as a card dealt face down, is part of what is gone back to.
    """

    def __init__(self, env: Any, key: Callable[[Any], Hashable] | None = None):
        self.key, self.legal = key or hashable, discrete_actions(env)
        self.given, self.core, self.env = env, env.unwrapped, without_plain_wrappers(env)
        self.ways = next((w for w in SAVING if all(callable(getattr(self.core, name, None)) for name in w)), None)
        self.shared = [] if self.ways else list(_shared(self.env))
        self.verified = False
        self._one_at_a_time = threading.Lock()

    def actions(self, state: Place) -> tuple[int, ...]:
        return self.legal

    def start(self, rng: np.random.Generator) -> Place:
        """Where the environment is now; the start of an episode if none has begun."""
        layer = self.given
        while layer is not self.core and not hasattr(layer, "has_reset"):
            layer = layer.env
        if not getattr(layer, "has_reset", True):
            self.given.reset(seed=int(rng.integers(2**31)))
        if not self.verified:
            self._verify()
            self.verified = True
        return Place(object(), self._save(), "where the environment is")

    def observed(self, seen: Any) -> Place:
        """Where the environment is now, told apart by what was observed there."""
        return Place(self.key(seen), self._save(), seen)

    def step(self, state: Place, action: int, rng: np.random.Generator) -> tuple[Place, float, bool]:
        if not isinstance(state, Place):
            raise TypeError(f"the environment cannot be put into {state!r}: leave the state out to begin where it is")
        with self._visit(state.saved, rng) as env:
            seen, reward, over, _, _ = env.step(action)
            return Place(self.key(seen), self._keep(env), seen), float(reward), bool(over)

    @contextlib.contextmanager
    def _visit(self, saved: Any, rng: np.random.Generator) -> Iterator[Any]:
        """The environment in a state saved before, drawing from ``rng``; the user's own stays where it is."""
        if self.ways is None:
            env = self._copy(saved)
            env.unwrapped._np_random = rng
            yield env
            return
        with self._one_at_a_time:
            put, here, stream = getattr(self.core, self.ways[1]), self._keep(self.env), self.core._np_random
            put(copy.deepcopy(saved))
            self.core._np_random = rng
            try:
                yield self.env
            finally:
                put(here)
                self.core._np_random = stream

    def _save(self) -> Any:
        return self._copy(self.env) if self.ways is None else self._keep(self.env)

    def _keep(self, env: Any) -> Any:
        """What to save of an environment that is stepped only here."""
        return env if self.ways is None else copy.deepcopy(getattr(self.core, self.ways[0])())

    def _copy(self, env: Any) -> Any:
        """A copy that shares what no step changes, and random streams, which must not be wound back."""
        copied = copy.deepcopy(env, {id(part): part for part in self.shared})
        copied.unwrapped.render_mode = None
        return copied

    def _verify(self) -> None:
        """Going back before every step must lead where going straight on leads, and leave the original alone."""
        way = "by copies of it" if self.ways is None else f"by {self.ways[0]} and {self.ways[1]}"
        try:
            straight = [self._straight(seed) for seed in range(WALKS)]
            back = [self._back_and_forth(seed) for seed in range(WALKS)]
        except Exception as error:
            raise TypeError(
                f"{self.given} cannot be planned {way}: {type(error).__name__}: {error}. {REMEDY}"
            ) from error
        for one, other in zip(straight, back, strict=True):
            for (action, *seen), (_, *found) in zip(one, other, strict=False):
                if seen != found:
                    raise TypeError(
                        f"{self.given} cannot be planned {way}: action {action} led elsewhere, or paid otherwise, when "
                        f"it was put back into the state before, with the same random numbers. {REMEDY}"
                    )

    def _straight(self, seed: int) -> list[tuple[Any, ...]]:
        """What a walk with random actions comes to."""
        with self._visit(self._save(), np.random.default_rng(seed)) as env:
            return self._walk(seed, env.step)

    def _back_and_forth(self, seed: int) -> list[tuple[Any, ...]]:
        """The same walk, leaving every state once by another action before going on from it."""
        rng, place = np.random.default_rng(seed), Place(None, self._save(), None)

        def go(action: int) -> tuple[Any, float, bool]:
            nonlocal place
            self.step(place, self.legal[-1], np.random.default_rng(0))
            place, reward, over = self.step(place, action, rng)
            return place.seen, reward, over

        return self._walk(seed, go)

    def _walk(self, seed: int, go: Callable[[int], Sequence[Any]]) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = []
        for action in np.random.default_rng(seed).choice(self.legal, STEPS).tolist():
            seen, reward, over = go(action)[:3]
            found.append((action, hashable(seen), float(reward), bool(over)))
            if over:
                break
        return found


def _shared(env: Any) -> Iterator[Any]:
    """What copies of an environment have in common: spaces, windows, and every random stream."""
    import gymnasium

    common = (gymnasium.Space, gymnasium.envs.registration.EnvSpec)
    streams = (np.random.Generator, np.random.RandomState, random.Random)
    found: dict[int, Any] = {}
    queue = [(env, 0)]
    for part, depth in queue:
        if id(part) in found:
            continue
        found[id(part)] = part
        if isinstance(part, (*common, *streams)) or type(part).__module__.split(".")[0] == "pygame":
            yield part
        elif depth < 6:
            inside = part.values() if isinstance(part, dict) else part if isinstance(part, (list, tuple)) else ()
            queue += [(inner, depth + 1) for inner in (*inside, *getattr(part, "__dict__", {}).values())]
