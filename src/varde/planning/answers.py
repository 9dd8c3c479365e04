"""Who answers the requests of a search, when several trials are under way: ``step_many``, or workers.

``Batches`` hands all requests to ``step_many(states, actions, rng)``: arrays in, arrays out.  ``Workers`` are threads,
processes, a cluster, or an event loop.  Replies are processed in the order of the requests, and every request of a
worker has its own random numbers: the result of a search depends on how many requests are pending, not on which or how
many workers take the steps, or on who is first.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._compile import working_time
from .._pool import first_done, in_processes, make_workers, unsendable
from ..check import LARGEST, shown
from ..worlds.function import SimulationError, failed, finite, where
from ..worlds.visited import Atlas

LaneRequest = tuple[int, int, int]  # lane, state, action
Reply = tuple[int, int, float]  # lane, successor, reward
Names = tuple[int, ...]  # of a stream of random numbers

NUMBERS = (bool, int, float, np.number, np.bool_)
BLAME = 1.0  # seconds to find out which of many steps failed
QUEUED = 2  # requests for each worker: one in progress, one queued


# -- many steps at once ------------------------------------------------------------------------------


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

    def replies(self, end: float) -> list[Reply]:
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
            return self._taken(answer, requests)
        except SimulationError:
            raise
        except Exception as error:
            raise SimulationError(f"the world failed in step_many: {type(error).__name__}: {error}") from error

    def dismiss(self) -> None:
        self.pending = []

    def _taken(self, answer: Any, requests: list[LaneRequest]) -> list[Reply]:
        size = len(answer) if isinstance(answer, (tuple, list)) else 0
        if size not in (2, 3, 5):
            raise TypeError(f"it returned {answer!r:.200}: return (states, rewards) or (states, rewards, overs)")
        names, rewards = self._names(answer[0]), np.asarray(answer[1], np.float64)
        overs = np.asarray(answer[2], bool) if size > 2 else np.zeros(rewards.shape, bool)
        if not len(names) == len(requests) == rewards.size == overs.size or rewards.ndim * overs.ndim != 1:
            many = f"{len(names)} states, {rewards.size} rewards" + (f" and {overs.size} overs" if size > 2 else "")
            raise ValueError(f"it returned {many} for {len(requests)} steps: return one of each per step")
        for i in np.flatnonzero(~(np.abs(rewards) <= LARGEST)).tolist():
            finite(float(rewards[i]), *self.atlas.pair(*requests[i][1:]))
        replies: list[Reply] = []
        number_of, key = self.atlas.numbers.get, self.atlas.key
        for (lane, s, a), name, reward, over in zip(requests, names, rewards.tolist(), overs.tolist(), strict=True):
            number = None
            try:
                if self.in_rows and not over:  # elsewhere a state may be the one that was given, changed
                    with contextlib.suppress(TypeError):  # ``take`` says what is wrong
                        number = number_of(name if key is None else key(name))
                if number is None:
                    number = self.atlas.take((name, reward, over), s, a)[0]
            except SimulationError:
                raise
            except Exception as error:
                raise failed(error, *self.atlas.pair(s, a)) from error
            replies.append((lane, number, reward))
        return replies

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


# -- workers -----------------------------------------------------------------------------------------


def make_step(step: Callable[..., Any], state: Any, action: Any, names: Names) -> Any:
    """The job of a worker."""
    return step(state, action, np.random.default_rng(names))


async def await_step(step: Callable[..., Any], state: Any, action: Any, names: Names) -> Any:
    return await step(state, action, np.random.default_rng(names))


@dataclass
class Asked:
    """A pending request."""

    lane: int
    state: int
    action: int
    number: int  # of all requests of the search
    job: Future[Any] | None = None  # None: not sent yet


class Workers:
    """Takes the steps of a search; ``names`` identify its random numbers."""

    def __init__(self, step: Callable[..., Any], atlas: Atlas, workers: Any, names: Names):
        self.step, self.atlas, self.workers, self.names = step, atlas, workers, names
        self.awaited = is_async(step)
        if in_processes(workers) and (why := unsendable(step)) is not None:
            raise TypeError(
                f"the step cannot be sent to another process ({why}): write a def or a class at the top "
                "level of a module, or use threads, workers=8"
            )
        self.pending: deque[Asked] = deque()  # in the order of the requests
        self.suspects = 0  # how many at its front were pending when a worker died: each is sent alone
        self.count = 0  # requests so far

    def __enter__(self) -> Workers:
        self.pool = make_workers(self.workers, self.awaited)
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.close()

    def ask(self, requests: list[LaneRequest]) -> None:
        for lane, state, action in requests:
            self.pending.append(Asked(lane, state, action, self.count))
            self.count += 1
            if not self.suspects:
                self._send(self.pending[-1])

    def _send(self, asked: Asked) -> None:
        pair, names = self.atlas.pair(asked.state, asked.action), (*self.names, asked.number)
        job = await_step if self.awaited else make_step
        asked.job = self.pool.submit(functools.partial(job, self.step, *pair, names))

    def replies(self, end: float) -> list[Reply]:
        """Lane, successor and reward of the first in line; nothing if it has none at ``end``."""
        while True:
            asked = self.pending[0]
            if asked.job is None:
                self._send(asked)
            job: Any = asked.job
            if not job.done():
                first_done([job], end - working_time())
            if not job.done():
                return []
            try:
                number, reward, _ = self.atlas.take(job.result(), asked.state, asked.action)
                self.pending.popleft()
                self.suspects -= 1 if self.suspects else 0
                return [(asked.lane, number, reward)]
            except BrokenExecutor as error:
                self._mend(asked, error)
            except SimulationError:
                raise
            except Exception as error:
                raise failed(error, *self.atlas.pair(asked.state, asked.action)) from error

    def _mend(self, asked: Asked, error: BrokenExecutor) -> None:
        """A worker died and broke its pool: take another, and find out which request did it."""
        if not self.pool.mend() or self.suspects:
            place = where(*self.atlas.pair(asked.state, asked.action))
            raise SimulationError(f"a worker died {place}: {type(error).__name__}: {error}") from error
        self.suspects = len(self.pending)
        for each in self.pending:
            each.job = each.job if has_result(each.job) else None

    def dismiss(self) -> None:
        """Stop waiting for pending requests."""
        for each in self.pending:
            if each.job is not None:
                self.pool.cancel(each.job)
        self.pending.clear()
        self.suspects = 0


def has_result(job: Future[Any] | None) -> bool:
    return job is not None and job.done() and not job.cancelled() and job.exception() is None


def is_async(step: Any) -> bool:
    return inspect.iscoroutinefunction(step) or inspect.iscoroutinefunction(type(step).__call__)


def at_once(workers: Any, step: Any) -> int:
    """How many steps the workers take at the same time."""
    with contextlib.closing(make_workers(workers, is_async(step))) as pool:
        return pool.at_once
