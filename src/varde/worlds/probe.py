"""Checks that a step function starts from the state it is given, not from some state of its own.

A function that calls an environment of its own does the latter.  As long as every step follows the last one this goes
unnoticed; but after the end of an episode it begins the next one anywhere, which is then taken for ``start``.  Given
the same state, action and random numbers twice, a correct function returns the same twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from .noticing import contents, identified
from .spaces import hashable
from .streams import found_in

SIMPLE = (int, float, str, bytes, tuple, list, np.ndarray, np.generic, type(None))
PARTS = 20_000  # objects searched for random streams: data may be long
TIMES = 10  # how often it is checked: a state where nothing happens proves nothing


class Probe:
    """Checks a step function at the first few starts; at once if it holds an environment (``suspect``)."""

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
