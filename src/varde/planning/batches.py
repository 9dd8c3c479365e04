"""Many steps at once, for a world with ``step_many(states, actions, rng)``: arrays in, arrays out."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .._compile import working_time
from ..check import shown
from ..worlds.function import SimulationError
from ..worlds.visited import Atlas, failed, where
from .workers import LaneRequest

NUMBERS = (bool, int, float, np.number, np.bool_)
BLAME = 1.0  # seconds to find out which of many steps failed


def as_array(names: list[Any]) -> np.ndarray | None:
    """An array with one row per name, if they are all of one suitable type."""
    kind = type(names[0])
    if isinstance(names[0], tuple):
        inner = {len(name) if isinstance(name, tuple) else -1 for name in names}
        plain = len(inner) == 1 and all(isinstance(x, NUMBERS) for name in names for x in name) and inner != {0}
    elif isinstance(names[0], np.ndarray):
        plain = all(isinstance(name, np.ndarray) and name.shape == names[0].shape for name in names)
    else:
        kinds = NUMBERS if isinstance(names[0], NUMBERS) else str
        plain = issubclass(kind, (*NUMBERS, str)) and all(isinstance(name, kinds) for name in names)
    found = np.array(names) if plain else None
    if found is not None and found.dtype.kind == "f" and isinstance(names[0], int) and max(map(abs, names)) > 2**53:
        return np.array(names, object)  # large numbers do not fit into a float
    return found


def rows_of(names: list[Any]) -> Any:
    """Names in the form that ``step_many`` takes."""
    found = as_array(names)
    return names if found is None else found


def rows(like: Any, names: list[Any], wanted: bool) -> Any:
    """Names in an array if that is ``wanted``, all of the type of the first one, ``like``."""
    found = as_array([like, *names]) if wanted else None
    if found is not None or not wanted:
        return names if found is None else found[1:]
    odd = next(name for name in names if as_array([like, name]) is None)
    raise TypeError(
        f"{shown(odd)} is of another type than {shown(like)}, so they do not fit into one array: write numbers, "
        "strings, or tuples of as many numbers"
    )


class Batches:
    """Answers all requests at once, by ``step_many``.

    Numbers, strings and tuples of as many numbers come in an array, if the first state is such a thing.
    """

    def __init__(self, atlas: Atlas, step_many: Callable[..., Any], rng: Any):
        self.atlas, self.step_many, self.rng = atlas, step_many, rng
        self.pending: list[LaneRequest] = []
        first = atlas.states[0]
        self.in_rows, self.stacked = as_array([first]) is not None, isinstance(first, np.ndarray)
        self.actions_in_rows = as_array([atlas.legal[0][0]]) is not None

    def ask(self, requests: list[LaneRequest]) -> None:
        self.pending += requests

    def replies(self, end: float) -> list[tuple[int, int, float]]:
        """Lane, successor and reward of all requests; nothing if it is later than ``end``."""
        if working_time() >= end:
            return []
        requests, self.pending = self.pending, []
        try:
            states = rows(self.atlas.states[0], [self.atlas.states[s] for _, s, _ in requests], self.in_rows)
            names = [self.atlas.legal[s][a] for _, s, a in requests]
            actions = rows(self.atlas.legal[0][0], names, self.actions_in_rows)
            began = time.perf_counter()
            try:
                answer = self.step_many(states, actions, self.rng)
            except Exception as error:
                raise self._blame(error, requests, states, actions, time.perf_counter() - began) from error
            numbers, rewards = self._taken(answer, requests)
        except SimulationError:
            raise
        except Exception as error:
            raise SimulationError(f"the world failed in step_many: {type(error).__name__}: {error}") from error
        return [(asked[0], to, paid) for asked, to, paid in zip(requests, numbers, rewards.tolist(), strict=True)]

    def dismiss(self) -> None:
        self.pending = []

    def _taken(self, answer: Any, requests: list[LaneRequest]) -> tuple[list[int], np.ndarray]:
        size = len(answer) if isinstance(answer, (tuple, list)) else 0
        if size not in (2, 3, 5):
            raise TypeError(f"it returned {answer!r:.200}: return (states, rewards) or (states, rewards, overs)")
        names, rewards = self._names(answer[0]), np.asarray(answer[1], np.float64)
        overs = np.asarray(answer[2], bool) if size > 2 else rewards
        if not len(names) == len(requests) == rewards.size == overs.size or rewards.ndim * overs.ndim != 1:
            many = f"{len(names)} states, {rewards.size} rewards" + (f" and {overs.size} overs" if size > 2 else "")
            raise ValueError(f"it returned {many} for {len(requests)} steps: return one of each per step")
        if not self.in_rows:  # the states themselves, not copies of them
            ends = overs.tolist() if size > 2 else [False] * len(names)
            steps = zip(requests, zip(names, rewards.tolist(), ends, strict=True), strict=True)
            return [self._take(answer, *request[1:]) for request, answer in steps], rewards
        number_of, key = self.atlas.numbers.get, self.atlas.key
        found: list[Any]
        try:
            found = [number_of(name) for name in names] if key is None else [number_of(key(name)) for name in names]
        except Exception:
            found = [None] * len(names)  # ``meet`` says what is wrong
        if size > 2:
            for i in overs.nonzero()[0].tolist():
                found[i] = self._take((names[i], 0.0, True), *requests[i][1:])
        if None in found:
            found = [
                self._take((names[i], 0.0, False), *requests[i][1:]) if number is None else number
                for i, number in enumerate(found)
            ]
        return found, rewards

    def _take(self, answer: tuple[Any, float, bool], s: int, a: int) -> int:
        try:
            return self.atlas.take(answer, s, a)[0]
        except SimulationError:
            raise
        except Exception as error:
            raise failed(error, *self.atlas.pair(s, a)) from error

    def _names(self, successors: Any) -> list[Any]:
        """The names that identify states: a row of an array becomes a tuple, unless states are arrays."""
        if self.stacked:
            return list(np.array(successors))  # a copy: the world may reuse its array
        if not isinstance(successors, np.ndarray):
            return list(successors)
        return successors.tolist() if successors.ndim == 1 else list(map(tuple, successors.tolist()))

    def _blame(
        self, error: Exception, requests: list[LaneRequest], states: Any, actions: Any, took: float
    ) -> SimulationError:
        """The error, with state and action if one of the steps fails the same way alone."""
        words, end = f"{type(error).__name__}: {error}", time.perf_counter() + BLAME
        for i, (_, s, a) in enumerate(requests):
            if time.perf_counter() + took > end:
                break
            try:
                self.step_many(states[i : i + 1], actions[i : i + 1], self.rng)
            except Exception as again:
                if type(again) is type(error):
                    return SimulationError(f"the world failed in step_many {where(*self.atlas.pair(s, a))}: {words}")
        return SimulationError(f"the world failed in step_many, with {len(requests)} steps: {words}")
