"""Steps taken by workers: threads, processes, a cluster, or an event loop.

Replies are processed in the order of the requests, and every request has its own random numbers: the result of a search
depends on how many requests are pending, not on which or how many workers take the steps, or on who is first.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._compile import working_time
from .._pool import first_done, in_processes, make_workers, unsendable
from ..worlds.function import SimulationError
from ..worlds.visited import Atlas, failed, where

LaneRequest = tuple[int, int, int, int]  # lane, state, action, label
Names = tuple[int, ...]  # of a stream of random numbers

WORTHWHILE = 0.001  # seconds of work sent at a time; slower steps go one by one, so that none waits for others
PIECES = 2  # pieces of work for each worker: one in progress, one queued


Wanted = Sequence[tuple[Any, Any, Names]]  # states, actions, and the names of their random numbers
Made = tuple[list[Any], float]  # what steps returned, and the seconds they took


def make_steps(step: Callable[..., Any], wanted: Wanted) -> Made:
    """The job of a worker: take steps until one fails; the error is raised if it is the first step."""
    answers: list[Any] = []
    began = time.perf_counter()
    for state, action, names in wanted:
        try:
            answers.append(step(state, action, np.random.default_rng(names)))
        except Exception:
            if not answers:
                raise
            break
    return answers, time.perf_counter() - began


async def await_steps(step: Callable[..., Any], wanted: Wanted) -> Made:
    return [await step(state, action, np.random.default_rng(names)) for state, action, names in wanted], 0.0


@dataclass
class Asked:
    """A pending request."""

    lane: int
    state: int
    action: int
    number: int  # of all requests of the search
    job: Future[Any] | None = None  # None: not sent yet
    place: int = 0  # among the steps of the job


class Workers:
    """Takes the steps of a search, with ``batch`` pending requests; ``names`` identify its random numbers."""

    def __init__(self, step: Callable[..., Any], atlas: Atlas, workers: Any, batch: int, names: Names):
        self.step, self.atlas, self.workers, self.batch, self.names = step, atlas, workers, batch, names
        self.awaited = is_async(step)
        if in_processes(workers) and (why := unsendable(step)) is not None:
            raise TypeError(
                f"the step cannot be sent to another process ({why}): write a def or a class at the top "
                "level of a module, or use threads, workers=8"
            )
        self.line: deque[Asked] = deque()  # in the order of the requests
        self.unsent = 0  # how many at the end of the line are still to be sent
        self.suspects = 0  # how many at its front were pending when a worker died: each is sent alone
        self.count = 0  # requests so far

    def __enter__(self) -> Workers:
        self.pool = make_workers(self.workers, self.awaited)
        self.most = 1 if self.awaited else -(-self.batch // (PIECES * self.pool.at_once))  # steps sent at a time
        self.piece = 1  # the same, as far as worthwhile
        return self

    def __exit__(self, *error: object) -> None:
        self.pool.close()

    def ask(self, requests: list[LaneRequest]) -> None:
        for lane, state, action, _ in requests:
            self.line.append(Asked(lane, state, action, self.count))
            self.count += 1
        self.unsent += len(requests)
        if self.unsent >= self.piece and not self.suspects:
            self._send()

    def _send(self) -> None:
        unsent = list(itertools.islice(self.line, len(self.line) - self.unsent, None))
        for first in range(0, len(unsent), self.piece):
            self._submit(unsent[first : first + self.piece])
        self.unsent = 0

    def _submit(self, piece: list[Asked]) -> None:
        """Send some requests."""
        wanted = [(*self.atlas.pair(each.state, each.action), (*self.names, each.number)) for each in piece]
        work: Callable[[], Any] = functools.partial(await_steps if self.awaited else make_steps, self.step, wanted)
        job = self.pool.submit(work)
        for place, each in enumerate(piece):
            each.job, each.place = job, place

    def reply(self, end: float) -> tuple[int, int, float] | None:
        """Lane, successor and reward of the first in line; None if there is none at ``end``."""
        while True:
            asked = self.line[0]
            if asked.job is None and self.suspects:
                self._submit([asked])
            elif asked.job is None:
                self._send()
            job: Any = asked.job
            if not job.done():
                first_done([job], end - working_time())
            if not job.done():
                return None
            try:
                answers, seconds = job.result()
                self.piece = min(self.most, max(1, int(WORTHWHILE * len(answers) / max(seconds, 1e-9))))
                if asked.place < len(answers):
                    number, reward, _ = self.atlas.take(answers[asked.place], asked.state, asked.action)
                    self.line.popleft()
                    self.suspects -= 1 if self.suspects else 0
                    return asked.lane, number, reward
                self._submit([asked])  # a step of its piece failed: sent alone it says why
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
        self.suspects, self.unsent = len(self.line), 0
        for each in self.line:
            each.job = each.job if has_result(each.job) else None

    def dismiss(self) -> None:
        """Stop waiting for pending requests."""
        for each in self.line:
            if each.job is not None:
                self.pool.cancel(each.job)
        self.line.clear()
        self.unsent, self.suspects = 0, 0


def has_result(job: Future[Any] | None) -> bool:
    return job is not None and job.done() and not job.cancelled() and job.exception() is None


def is_async(step: Any) -> bool:
    return inspect.iscoroutinefunction(step) or inspect.iscoroutinefunction(type(step).__call__)


def at_once(workers: Any, step: Any) -> int:
    """How many steps the workers take at the same time."""
    with contextlib.closing(make_workers(workers, is_async(step))) as pool:
        return pool.at_once
