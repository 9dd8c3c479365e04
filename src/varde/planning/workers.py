"""Workers take the steps of a search: threads, processes, a cluster, or an event loop.

Replies are processed in the order of the requests, and every request has its own random numbers: the result of a search
depends on how many requests are pending, not on which or how many workers take the steps, or on who is first.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections import deque
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._compile import working_time
from .._pool import first_done, in_processes, make_workers, unsendable
from ..worlds.discovered import Discovered
from ..worlds.function import SimulationError, failed, where

Request = tuple[int, int, int]  # which pending trial, state, action
Reply = tuple[int, int, float]  # which pending trial, successor, reward
Names = tuple[int, ...]  # of a stream of random numbers

QUEUED = 2  # requests for each worker: one in progress, one queued


def make_step(step: Callable[..., Any], state: Any, action: Any, names: Names) -> Any:
    """The job of a worker."""
    return step(state, action, np.random.default_rng(names))


async def await_step(step: Callable[..., Any], state: Any, action: Any, names: Names) -> Any:
    return await step(state, action, np.random.default_rng(names))


@dataclass
class Asked:
    """A pending request."""

    t: int  # which pending trial
    state: int
    action: int
    number: int  # of all requests of the search
    job: Future[Any] | None = None  # None: not sent yet


class Workers:
    """Takes the steps of a search; ``names`` identify its random numbers."""

    def __init__(self, step: Callable[..., Any], known: Discovered, workers: Any, names: Names):
        self.step, self.known, self.workers, self.names = step, known, workers, names
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

    def ask(self, requests: list[Request]) -> None:
        for t, state, action in requests:
            self.pending.append(Asked(t, state, action, self.count))
            self.count += 1
            if not self.suspects:
                self._send(self.pending[-1])

    def _send(self, asked: Asked) -> None:
        pair, names = self.known.pair(asked.state, asked.action), (*self.names, asked.number)
        job = await_step if self.awaited else make_step
        asked.job = self.pool.submit(functools.partial(job, self.step, *pair, names))

    def replies(self, end: float) -> list[Reply]:
        """Trial, successor and reward of the first in line; nothing if it has none at ``end``."""
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
                number, reward, _ = self.known.take(job.result(), asked.state, asked.action)
                self.pending.popleft()
                self.suspects -= 1 if self.suspects else 0
                return [(asked.t, number, reward)]
            except BrokenExecutor as error:
                self._mend(asked, error)
            except SimulationError:
                raise
            except Exception as error:
                raise failed(error, *self.known.pair(asked.state, asked.action)) from error

    def _mend(self, asked: Asked, error: BrokenExecutor) -> None:
        """A worker died and broke its pool: take another, and find out which request did it."""
        if not self.pool.mend() or self.suspects:
            place = where(*self.known.pair(asked.state, asked.action))
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
