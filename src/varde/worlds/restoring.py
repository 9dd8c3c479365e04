"""Ways to put an environment back into an earlier state; ``restored`` verifies them.

- ``Own``: the environment saves itself, by ``get_state``/``set_state`` or ``clone_state``/``restore_state``;
- ``Attributes``: a second environment whose attributes are set, with copies of those that a step may change.

Random streams are not part of a state: a copy that kept its stream would draw the same card at every visit.  All
streams that are found are replaced by stand-ins, which draw from the generator of the step.
"""

from __future__ import annotations

import contextlib
import copy
import io
import pickle
import threading
import types
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from .spaces import PLAIN_WRAPPERS, Moves, hashable, without
from .streams import UNCHANGING, found_in, is_common, redirect, stand_in

SAVING = (("get_state", "set_state"), ("clone_state", "restore_state"))
HIDDEN = ("_np_random", "render_mode")  # attributes that are not part of a state
ABSENT = object()


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
