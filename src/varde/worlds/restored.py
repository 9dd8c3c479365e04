"""Environments that planning goes back in: each state is saved, and a step begins by restoring it.

There are two ways: an environment saves itself (``Own``), or the attributes of a second one are set, with copies of
those that a step may change (``Attributes``).  Random streams are not part of a state: a copy that kept its stream
would draw the same card at every visit.  All streams that are found are replaced by stand-ins, which draw from the
generator of the step.

Some environments begin anew when they are copied, or keep a part of their state elsewhere.  So a way is used only if a
few episodes that go back before every step are the same as those that go straight on.
"""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import threading
import types
from collections.abc import Callable, Hashable, Iterator
from typing import Any, NoReturn

import numpy as np

from .function import SimulationError
from .spaces import PLAIN_WRAPPERS, Moves, hashable, without
from .stepping import refuse_unsteady, reset
from .streams import UNCHANGING, found_in, global_states, is_common, redirect, stand_in

WALKS, STEPS = 4, 8  # episodes and steps for verifying that states can be restored
STARTING = threading.Lock()  # threads that plan in the same environment would reset it for each other
REMEDY = (
    "Write a function step(state, action, rng) with actions=..., or give the environment get_state() and "
    "set_state(state); varde.learn takes it as it is"
)
SAVING = (("get_state", "set_state"), ("clone_state", "restore_state"))
HIDDEN = ("_np_random", "render_mode")  # attributes that are not part of a state
ABSENT = object()


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


# -- ways to restore -------------------------------------------------------------------------------


class UnfitError(Exception):
    """The way does not work for the environment."""


class Way:
    """Saves an environment, steps from a saved state, and saves the result."""

    named: str

    def __init__(self, env: Any):
        self.layers = [without(env, PLAIN_WRAPPERS)]
        while self.layers[-1] is not env.unwrapped:
            self.layers.append(self.layers[-1].env)
        self.shared, self.drawn = found_in(self.layers)
        self.lock = threading.Lock()

    def save(self) -> Any:
        """The state of the user's environment."""
        raise NotImplementedError

    def visit(self, saved: Any, rng: np.random.Generator) -> contextlib.AbstractContextManager[Any]:
        """An environment that is in a saved state and draws from ``rng``."""
        raise NotImplementedError

    def keep(self) -> Any:
        """The state of that environment."""
        raise NotImplementedError

    def mark(self, saved: Any) -> Hashable:
        """What is equal only for equal states."""
        raise NotImplementedError

    def step(self, saved: Any, action: Any, rng: np.random.Generator, moves: Moves) -> tuple[Any, Any, tuple[Any, ...]]:
        """The result of a step, the saved state after it, and the legal actions there."""
        with self.visit(saved, rng) as env:
            answer = moves.step(env, action)
            return answer, self.keep(), moves.legal(env.unwrapped, answer[-1])


def silent(core: Any) -> Any:
    """The render mode for simulated steps: not in a window."""
    mode = getattr(core, "render_mode", None)
    return None if mode == "human" else mode


class Own(Way):
    """The user's own environment is set to the state and back again."""

    def __init__(self, env: Any):
        super().__init__(env)
        *self.uppers, core = self.layers  # wrappers may have states of their own
        ways = next((pair for pair in SAVING if all(callable(getattr(core, name, None)) for name in pair)), None)
        if ways is None:
            raise UnfitError
        self.named = f"by {ways[0]} and {ways[1]}"
        self.get, self.put = (getattr(core, name) for name in ways)
        common = [*self.layers, *self.shared, *self.drawn]
        self.memo = {id(part): part for part in common}
        self.names = named_alike(common)

    def save(self) -> Any:
        return self._copy(self.get()), [self._copy(vars(layer)) for layer in self.uppers]

    keep = save

    def _copy(self, saved: Any) -> Any:
        try:
            return copy.deepcopy(saved, dict(self.memo))
        except TypeError:  # an object that only the environment can read
            return saved

    def _restore(self, saved: Any) -> None:
        self.put(self._copy(saved[0]))
        for layer, attributes in zip(self.uppers, saved[1], strict=True):
            vars(layer).clear()
            vars(layer).update(self._copy(attributes))

    @contextlib.contextmanager
    def visit(self, saved: Any, rng: np.random.Generator) -> Iterator[Any]:
        core = self.layers[-1]
        with self.lock:
            here, hidden = self.save(), {name: vars(core)[name] for name in HIDDEN if name in vars(core)}
            try:
                self._restore(saved)
                vars(core).update(_np_random=rng, render_mode=silent(core))
                yield self.layers[0]
            finally:
                self._restore(here)
                vars(core).update(hidden)

    def mark(self, saved: Any) -> Hashable:
        core, uppers = saved
        return marked(core, self.names), *(attributes_marked(layer, self.names) for layer in uppers)


class Plain:
    """The size of an object that has only attributes."""


class Attributes(Way):
    """A second environment whose attributes are restored, with copies of those that a step may change.

    ``base`` is what most states share: attributes that are numbers, strings, spaces and the like.  Only the difference
    is saved.  The result of a step is never changed: the next step works on copies.
    """

    named = "by copies of its attributes"

    def __init__(self, env: Any):
        super().__init__(env)
        if any(type(layer).__basicsize__ != Plain.__basicsize__ for layer in self.layers):
            raise UnfitError(f"{self.named}: it has more than attributes")
        core = self.layers[-1]
        self.own = [layer for layer in self.layers if layer is core or type(layer).__name__ not in PLAIN_WRAPPERS]
        self.seconds = [object.__new__(type(layer)) for layer in self.own]
        self.stream = np.random.Generator(np.random.PCG64(0))
        self.streams = [stand_in(stream) for stream in self.drawn]
        own, second = [*self.own, *self.drawn], [*self.seconds, *self.streams]
        self.memo = {id(part): part for part in (*self.shared, *second)}
        self.memo.update((id(part), other) for part, other in zip(own, second, strict=True))
        inner = self.seconds[-1]
        for layer in reversed(self.layers):  # a plain wrapper in between is left out
            inner = self.memo.setdefault(id(layer), inner)
        self.names = named_alike(self.shared, own, second)
        fixed = {id(part) for part in (*self.layers, *self.shared, *self.drawn)}
        self.base = [
            {name: value for name, value in vars(layer).items() if type(value) in UNCHANGING or id(value) in fixed}
            for layer in self.own
        ]
        self.bases = [{name: self.memo.get(id(value), value) for name, value in base.items()} for base in self.base]
        self.bases[-1].update(_np_random=self.stream, render_mode=silent(core))
        self.rng: Any = None  # what the streams draw from

    def save(self) -> Any:
        memo, left = dict(self.memo), changed_since(self.base, self.own)
        return [{name: copied(changed[name], memo) for name in changed if name not in HIDDEN} for changed in left]

    def keep(self) -> Any:
        return changed_since(self.bases, self.seconds)

    def _restore(self, saved: list[dict[str, Any]], rng: np.random.Generator) -> None:
        memo = dict(self.memo)
        for layer, base, changed in zip(self.seconds, self.bases, saved, strict=True):
            attributes = layer.__dict__
            attributes.clear()
            attributes.update(base)
            for name, value in changed.items():
                attributes[name] = value if type(value) in UNCHANGING else copied(value, memo)
        if rng is not self.rng:
            redirect([self.stream, *self.streams], rng)
            self.rng = rng

    @contextlib.contextmanager
    def visit(self, saved: Any, rng: np.random.Generator) -> Iterator[Any]:
        with self.lock:
            self._restore(saved, rng)
            yield self.seconds[0]

    def mark(self, saved: list[dict[str, Any]]) -> Hashable:
        return tuple([attributes_marked(changed, self.names) for changed in saved])


def changed_since(bases: list[dict[str, Any]], layers: list[Any]) -> list[dict[str, Any]]:
    """The attributes that are not as in ``bases``."""
    return [
        {name: value for name, value in layer.__dict__.items() if base.get(name, ABSENT) is not value}
        for layer, base in zip(layers, bases, strict=True)
    ]


def copied(value: Any, memo: dict[int, Any]) -> Any:
    """A deep copy, faster for simple values."""
    kind = type(value)
    if kind in UNCHANGING:
        return value
    found = memo.get(id(value), ABSENT)
    if found is not ABSENT:
        return found
    if is_common(value):  # made since
        return value
    if kind is np.ndarray and not value.dtype.hasobject:
        new: Any = value.copy("K")
    elif kind is tuple and UNCHANGING.issuperset(map(type, value)):
        return value
    elif kind is list and UNCHANGING.issuperset(map(type, value)):
        new = [*value]
    else:
        return copy.deepcopy(value, memo)
    memo[id(value)] = new
    return new


# -- identifying states ----------------------------------------------------------------------------


class Marker(pickle.Pickler):
    """Bytes that are equal for equal states; parts shared by all states are replaced by names."""

    def __init__(self, file: io.BytesIO, names: dict[int, int]):
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.names = names

    def reducer_override(self, part: Any) -> Any:
        number = self.names.get(id(part))
        if number is None and type(part) is types.FunctionType:
            number = id(part)
        elif number is None and is_common(part):
            number = -1
        return NotImplemented if number is None else (int, (number,))


def marked(value: Any, names: dict[int, int]) -> Hashable:
    """Something hashable that is equal only for equal values."""
    kind = type(value)
    if kind in UNCHANGING:
        return value if value == value else "nan"  # noqa: PLR0124
    if kind is np.ndarray and not value.dtype.hasobject:
        return hashable(value)
    if kind is tuple:
        return tuple([marked(part, names) for part in value])
    file = io.BytesIO()
    Marker(file, names).dump(value)
    return file.getvalue()


def attributes_marked(attributes: dict[str, Any], names: dict[int, int]) -> frozenset[Any]:
    return frozenset([(name, marked(value, names)) for name, value in attributes.items()])


def named_alike(*groups: list[Any]) -> dict[int, int]:
    """Numbers of parts by id, the same for corresponding parts of all groups."""
    shared, *alike = groups
    names = {id(part): -1 - number for number, part in enumerate(shared)}
    for parts in alike:
        names.update((id(part), number) for number, part in enumerate(parts))
    return names
