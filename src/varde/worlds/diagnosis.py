"""Mistakes in a user's world that no step shows; ``varde.testing.check_world`` looks for all of them.

* States that never come up again: objects of a class without ``__eq__`` are equal to nothing but themselves.  Two of
  them with the same contents are the proof that they should be equal.
* Random numbers from elsewhere: a step that draws from the generator of ``random`` or ``np.random`` moves it on.  The
  step is called again before anything is said, since somebody else may have done that, and a step that seeds the
  generator from ``rng`` is right.
* A step that continues from a state of its own, as a function that calls an environment does.  Given the same state,
  action and random numbers twice, a correct function returns the same twice.
"""

from __future__ import annotations

import random
import sys
import warnings
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from .function import Function
from .spaces import hashable
from .streams import found_in
from .visited import Atlas

PACKAGE = str(Path(__file__).parents[1])
MOST = 300  # states that are looked at
TIMES = 10  # steps that are taken again: a state where nothing happens proves nothing
PARTS = 20_000  # objects searched for random streams: data may be long
SIMPLE = (int, float, str, bytes, tuple, list, np.ndarray, np.generic, type(None))


def warn(message: str) -> None:
    """Warn at the line outside of this package that called it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, stacklevel=level)


def warn_of_mistakes(world: Function, atlas: Atlas, before: dict[str, Any], joined: bool = True) -> None:
    """``before`` the first step the global generators were there; ``joined``: states should come up again."""
    for words in (twins(atlas) if joined else "", foreign_draws(world, atlas, before)):
        if words:
            warn(words)


# -- states ----------------------------------------------------------------------------------------


def twins(atlas: Atlas) -> str:
    """What to say if two states have the same contents but are not equal; nothing if all is well."""
    if atlas.key is not None:
        return ""
    met: dict[Any, Any] = {}
    for state in atlas.states[:MOST]:
        held = contents(state)
        try:
            other = met.setdefault(held, state) if held is not None else state
        except TypeError:  # something in it cannot be hashed
            continue
        if other is not state and other != state:
            kind = type(identified(state)).__name__
            return (
                f"two states have the same contents and still count as different, because {kind} has no __eq__ and "
                f"__hash__: no state is ever met again. Write @dataclass(frozen=True) above class {kind}, or let "
                "states be tuples, or write key=function, which returns a tuple of what matters"
            )
    return ""


def identified(state: Any) -> Any:
    """The part of a state that is equal to nothing but itself, or None; the state may come with the time."""
    by_identity: Any = object.__hash__
    for part in state if type(state) is tuple else (state,):
        if type(part).__hash__ is by_identity and not callable(part):
            return part
    return None


def contents(state: Any) -> Any:
    """What a state holds, if one part of it is equal to nothing but itself."""
    part = identified(state)
    if part is None:
        return None
    names = [name for kind in type(part).__mro__ for name in getattr(kind, "__slots__", ())]
    held = {**getattr(part, "__dict__", {}), **{name: getattr(part, name) for name in names if hasattr(part, name)}}
    rest = [other for other in state if other is not part] if type(state) is tuple else []
    if not held or any(identified(value) is not None for value in held.values()):
        return None  # it cannot be known what those hold
    return (type(part), hashable(held), *rest)


# -- random numbers --------------------------------------------------------------------------------


def global_states() -> dict[str, Any]:
    """The states of the generators that any code may draw from."""
    numpys: Any = np.random.get_state()
    return {"random": random.getstate(), "np.random": [np.asarray(part).tobytes() for part in numpys]}


def foreign_draws(world: Function, atlas: Atlas, before: dict[str, Any]) -> str:
    """What to say if steps draw from a generator whose state was another ``before``; nothing if they do not."""
    if global_states() == before or world.observed is not None or atlas.slots is not None:
        return ""  # environments have their own generators
    kept = random.getstate(), np.random.get_state()
    try:
        for s in [s for s, legal in enumerate(atlas.legal[:MOST]) if legal][:TIMES]:
            start, ends = global_states(), []
            for _ in range(2):
                world.step(*atlas.pair(s, 0), np.random.default_rng(0))
                ends.append(global_states())
            name = next((name for name in start if start[name] != ends[0][name] != ends[1][name]), "")
            if name:
                return (
                    f"the step draws from {name}, not from the rng that it is given: the same seed gives other results "
                    f"each time. Write rng.random(), rng.normal(), rng.integers(6) and so on in place of {name}"
                )
    except Exception:  # it said so already, or will
        return ""
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
    return ""


# -- a state of its own ----------------------------------------------------------------------------


class Probe:
    """Takes the same step twice, some times; at once if the function holds an environment (``suspect``)."""

    def __init__(self, step: Callable[..., Any], times: int = TIMES, key: Callable[[Any], Any] | None = None):
        self.step, self.left, self.key = step, times, key
        held = held_by(step) if times else []
        inside = [part for one in held for part in getattr(one, "__dict__", {}).values()]
        self.environments = [part.unwrapped for part in held + inside if is_environment(part)]
        self.suspect = bool(self.environments)

    @cached_property
    def streams(self) -> list[Any]:
        """The random streams of the function, as far as they can be found."""
        return found_in(held_by(self.step), PARTS)[1]

    def __call__(self, state: Any, action: Any, rng: np.random.Generator) -> None:
        """Refuse a function that returns something else the second time, or changes its environment."""
        self.left -= 1
        streams = [rng, *self.streams]
        before = [saved(stream) for stream in streams], random.getstate(), np.random.get_state()
        answers, marks = [], []
        for _ in range(2):
            answer = self.step(state, action, rng)
            answers.append(answer)
            marks.append((self.visible(answer), [mark(env) for env in self.environments]))
            for stream, was in zip(streams, before[0], strict=True):
                put_back(stream, was)
            random.setstate(before[1])
            np.random.set_state(before[2])
        if marks[0] != marks[1]:
            raise ValueError(
                f"the step answered {answers[0]!r:.100} and then {answers[1]!r:.100} for the same state {state!r:.50}, "
                f"action {action!r:.50} and random numbers: it continues from its own state, not from the state it "
                "is given. If it calls an environment, write varde.learn(env, ...) or varde.plan(env, ...). If it "
                "draws from a source of its own, draw from rng, or tell learn how an episode begins: "
                "start=function(rng)"
            )

    def visible(self, answer: Any) -> Any:
        """What can be compared of an answer: of states that are equal only to themselves, what they hold."""
        if not isinstance(answer, tuple) or not answer:
            return hashable(answer)
        state, *rest = answer[:3]
        if self.key is not None:
            state = self.key(state)
        elif identified(state) is not None:
            state = contents(state)
        return hashable((state, *rest))


def is_environment(part: Any) -> bool:
    return callable(getattr(part, "reset", None)) and hasattr(part, "action_space") and hasattr(part, "unwrapped")


def mark(env: Any) -> Any:
    """The visible state of an environment: attributes that are numbers, strings, or arrays and tuples of these."""
    return hashable({name: value for name, value in vars(env).items() if isinstance(value, SIMPLE)})


def held_by(step: Any, deep: int = 3) -> list[Any]:
    """Where a function may keep state: its object, its closure, and the globals it uses."""
    function = getattr(step, "func", step)  # of a partial
    held = [getattr(step, "args", ()), getattr(step, "keywords", {}), getattr(function, "__self__", None)]
    function = getattr(function, "__func__", function)
    for cell in getattr(function, "__closure__", None) or ():
        try:
            held.append(cell.cell_contents)
        except ValueError:  # nothing in it yet
            continue
    code, known = getattr(function, "__code__", None), getattr(function, "__globals__", {})
    held += [known[name] for name in getattr(code, "co_names", ()) if name in known]
    inner = [part for part in held if isinstance(part, FunctionType | MethodType)] if deep else []
    return [part for part in held if part is not None] + [part for one in inner for part in held_by(one, deep - 1)]


def saved(stream: Any) -> Any:
    if isinstance(stream, np.random.Generator):
        return stream.bit_generator.state
    return stream.getstate() if isinstance(stream, random.Random) else stream.get_state(legacy=False)


def put_back(stream: Any, state: Any) -> None:
    if isinstance(stream, np.random.Generator):
        stream.bit_generator.state = state
    elif isinstance(stream, random.Random):
        stream.setstate(state)
    else:
        stream.set_state(state)
