"""Where a user's function runs: here, in threads, on an event loop, or in any executor.

A runner takes a draw and gives a ``concurrent.futures.Future``; ``begun`` is when it started, for the timeout.
"""

from __future__ import annotations

import functools
import inspect
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np

from .draws import Draw


def evaluate(function: Callable[..., Any], wants: tuple[str, ...], option: Any, seed: int) -> Any:
    """Call the user's function with what it wants to have."""
    given = {"seed": seed, "rng": np.random.default_rng(seed)} if "rng" in wants else {"seed": seed}
    return function(option, **{name: given[name] for name in wants})


def wanted(function: Callable[..., Any]) -> tuple[str, ...]:
    """Which of ``seed`` and ``rng`` the function has as parameters besides the option."""
    bound = function.keywords if isinstance(function, functools.partial) else {}
    try:
        parameters = list(inspect.signature(function).parameters)[1:]
    except (TypeError, ValueError):
        return ()
    return tuple(name for name in ("seed", "rng") if name in parameters and name not in bound)


def is_async(function: Any) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


class Runner:
    """Runs in this thread, one at a time."""

    at_once = 1

    def __init__(self, function: Callable[..., Any]):
        self.function, self.wants = function, wanted(function)
        self.begun: dict[int, float] = {}

    def job(self, draw: Draw) -> Callable[[], Any]:
        return functools.partial(evaluate, self.function, self.wants, draw.option, draw.seed)

    def submit(self, draw: Draw) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(self.job(draw)())
        except Exception as error:
            future.set_exception(error)
        return future

    def abandon(self, draw: Draw) -> None:
        """Nobody waits for this one any more."""

    def close(self) -> None:
        """Take no more work; what still runs is not waited for."""


class Pool(Runner):
    """An executor of the user's: threads, processes, a cluster."""

    def __init__(self, function: Callable[..., Any], executor: Executor):
        super().__init__(function)
        self.executor = executor
        self.at_once = size_of(executor)

    def submit(self, draw: Draw) -> Future[Any]:
        self.begun[draw.id] = time.monotonic()
        return self.executor.submit(self.job(draw))


def size_of(executor: Any) -> int:
    """How many calls an executor works on at once, as far as it says."""
    workers = getattr(executor, "_max_workers", None)
    if workers is None and hasattr(executor, "_client"):  # Dask's
        workers = sum(executor._client.ncores().values())
    return max(int(workers or 8), 1)


class Threads(Runner):
    """Daemon threads: one that hangs keeps neither the others nor the end of the program waiting."""

    def __init__(self, function: Callable[..., Any], at_once: int):
        super().__init__(function)
        self.at_once = at_once
        self.todo: queue.SimpleQueue[tuple[Draw, Future[Any]] | None] = queue.SimpleQueue()
        for _ in range(at_once):
            self.hire()

    def hire(self) -> None:
        threading.Thread(target=self.work, name="varde", daemon=True).start()

    def work(self) -> None:
        while (task := self.todo.get()) is not None:
            draw, future = task
            if not future.set_running_or_notify_cancel():
                continue
            self.begun[draw.id] = time.monotonic()
            try:
                result = self.job(draw)()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

    def submit(self, draw: Draw) -> Future[Any]:
        future: Future[Any] = Future()
        self.todo.put((draw, future))
        return future

    def abandon(self, draw: Draw) -> None:
        self.hire()  # in place of the one that hangs

    def close(self) -> None:
        for _ in range(self.at_once):
            self.todo.put(None)


def make_runner(function: Callable[..., Any], workers: Any, timeout: float | None) -> Runner:
    """The runner that ``workers`` asks for."""
    if isinstance(workers, bool) or not (
        workers is None or hasattr(workers, "__index__") or hasattr(workers, "submit")
    ):
        raise TypeError(f"workers is {workers!r}: write a number, or an executor of concurrent.futures")
    if hasattr(workers, "__index__") and workers < 1:
        raise ValueError(f"workers is {workers}: write 1 or more")
    if is_async(function):
        if hasattr(workers, "submit"):
            raise TypeError("an async function runs on an event loop: write workers=8 for eight at once")
        from .tasks import Tasks  # asyncio is imported by whoever needs it

        return Tasks(function, 8 if workers is None else workers, timeout)
    if hasattr(workers, "submit"):
        return Pool(function, workers)
    if (workers or 1) > 1 or timeout is not None:
        return Threads(function, workers or 1)
    return Runner(function)
