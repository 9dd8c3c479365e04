"""Many steps at once, for a world with ``step_many(states, actions, rng)``: arrays in, arrays out."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..check import shown
from ..worlds.function import SimulationError
from ..worlds.visited import Atlas, failed, where

NUMBERS = (bool, int, float, np.number, np.bool_)
BLAME = 1.0  # seconds to find out which of many steps failed


class Rows:
    """Names by number in an array: numbers or strings [N], tuples of numbers [N, k], arrays [N, ...]; else a list.

    The first name decides which; ``needed`` says whether every name must fit.
    """

    def __init__(self, names: list[Any], needed: Callable[[int], Any] = lambda number: True):
        self.names, self.needed, self.filled = names, needed, 0
        self.like = next(name for number, name in enumerate(names) if needed(number))
        self.array = as_array([self.like])

    def __getitem__(self, numbers: np.ndarray) -> Any:
        if self.array is None:
            return [self.names[i] for i in numbers.tolist()]
        if len(self.names) > self.filled:
            self.write(range(self.filled, len(self.names)))
        return self.array[numbers]

    def write(self, numbers: Sequence[int]) -> None:
        """Enter the names of these numbers."""
        if (array := self.array) is None:
            return
        size = len(self.names)
        new = [self.names[i] if self.needed(i) else self.like for i in numbers]
        rows = as_array(new)
        if rows is None or rows.shape[1:] != array.shape[1:] or (rows.dtype.kind == "U") != (array.dtype.kind == "U"):
            odd = next((name for name in new if not alike(name, self.like)), new[0])
            raise TypeError(
                f"{shown(odd)} is of another type than {shown(self.like)}, so they do not fit into one array: "
                "write numbers, strings, or tuples of as many numbers"
            )
        kind = np.result_type(array, rows)
        if kind.kind == "f" and "u" in (array.dtype.kind, rows.dtype.kind):  # 64 bits do not fit into a float
            kind = np.dtype(object)
        if size > len(array) or kind != array.dtype:
            grown = np.zeros((max(size, 2 * len(array)), *array.shape[1:]), kind)
            grown[: len(array)] = array
            array = grown
        array[numbers] = rows
        self.array, self.filled = array, size


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
    return np.array(names) if plain else None


def rows_of(names: list[Any]) -> Any:
    """Names in the form that ``step_many`` takes."""
    found = as_array(names)
    return names if found is None else found


def alike(name: Any, other: Any) -> bool:
    """Whether two names fit into one array."""
    return as_array([other, name]) is not None


class Batches:
    """Answers requests by ``step_many``."""

    def __init__(self, atlas: Atlas, step_many: Callable[..., Any], rng: Any):
        self.atlas, self.step_many, self.rng = atlas, step_many, rng
        self.states = Rows(atlas.states, lambda number: atlas.legal[number])
        self.actions = Rows(list(atlas.labels))
        self.stacked = isinstance(self.states.like, np.ndarray)
        atlas.renamed = []

    def __call__(self, requests: np.ndarray) -> tuple[list[int], np.ndarray]:
        """The successors and the rewards of requests [B, 4]."""
        try:
            states, actions = self._asked(requests)
            began = time.perf_counter()
            try:
                answer = self.step_many(states, actions, self.rng)
            except Exception as error:
                raise self._blame(error, requests, states, actions, time.perf_counter() - began) from error
            return self._taken(answer, requests)
        except SimulationError:
            raise
        except Exception as error:
            raise SimulationError(f"the world failed in step_many: {type(error).__name__}: {error}") from error

    def _asked(self, requests: np.ndarray) -> tuple[Any, Any]:
        if self.atlas.slots is not None:
            actions = [self.atlas.legal[state][action] for state, action in requests[:, 1:3].tolist()]
            return self.states[requests[:, 1]], rows_of(actions)
        known, labels = self.actions.names, self.atlas.labels
        if len(labels) > len(known):
            known.extend(itertools.islice(labels, len(known), None))
        if self.atlas.renamed:
            self.states.write(self.atlas.renamed)
            self.atlas.renamed = []
        return self.states[requests[:, 1]], self.actions[requests[:, 3]]

    def _taken(self, answer: Any, requests: np.ndarray) -> tuple[list[int], np.ndarray]:
        size = len(answer) if isinstance(answer, (tuple, list)) else 0
        if size not in (2, 3, 5):
            raise TypeError(f"it returned {answer!r:.200}: return (states, rewards) or (states, rewards, overs)")
        names, rewards = self._names(answer[0]), np.asarray(answer[1], np.float64)
        overs = np.asarray(answer[2], bool) if size > 2 else rewards
        if not len(names) == len(requests) == rewards.size == overs.size or rewards.ndim * overs.ndim != 1:
            many = f"{len(names)} states, {rewards.size} rewards" + (f" and {overs.size} overs" if size > 2 else "")
            raise ValueError(f"it returned {many} for {len(requests)} steps: return one of each per step")
        if self.states.array is None:  # the states themselves, not copies of them
            ends = overs.tolist() if size > 2 else [False] * len(names)
            steps = zip(requests.tolist(), zip(names, rewards.tolist(), ends, strict=True), strict=True)
            return [self._take(answer, *request[1:3]) for request, answer in steps], rewards
        number_of, key = self.atlas.numbers.get, self.atlas.key
        found: list[Any]
        try:
            found = [number_of(name) for name in names] if key is None else [number_of(key(name)) for name in names]
        except Exception:
            found = [None] * len(names)  # ``meet`` says what is wrong
        if size > 2:
            for i in overs.nonzero()[0].tolist():
                found[i] = self._take((names[i], 0.0, True), *requests[i, 1:3].tolist())
        if None in found:
            found = [
                self._take((names[i], 0.0, False), *requests[i, 1:3].tolist()) if number is None else number
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

    def _blame(self, error: Exception, requests: np.ndarray, states: Any, actions: Any, took: float) -> SimulationError:
        """The error, with state and action if one of the steps fails the same way alone."""
        words, end = f"{type(error).__name__}: {error}", time.perf_counter() + BLAME
        for i, (_, s, a, _) in enumerate(requests.tolist()):
            if time.perf_counter() + took > end:
                break
            try:
                self.step_many(states[i : i + 1], actions[i : i + 1], self.rng)
            except Exception as again:
                if type(again) is type(error):
                    return SimulationError(f"the world failed in step_many {where(*self.atlas.pair(s, a))}: {words}")
        return SimulationError(f"the world failed in step_many, with {len(requests)} steps: {words}")
