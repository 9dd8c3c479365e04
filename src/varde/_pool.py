"""Parallel work: blocks of runs in threads, and a user's function in one of four ways.

Kernels release the GIL, so threads are enough for independent runs.  A user's function runs in this thread, in
threads, on an event loop, or in an executor of the user's: processes, a cluster.
"""

from __future__ import annotations

import math
import os
import pickle
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable, Collection, Iterator
from concurrent import futures
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from typing import Any

from ._compile import left_when
from .check import whole

Job = Callable[[], Any]

MOST_WORKERS = 10_000  # more is surely a mistake
TICK = 0.1  # seconds between two glances at the clock, and at signals


def in_processes(workers: Any) -> bool:
    """Whether it is a pool of processes; importing that kind takes a while, and whoever has one has imported it."""
    return "concurrent.futures.process" in sys.modules and isinstance(workers, futures.ProcessPoolExecutor)


def cores() -> int:
    """The number of cores this process may use; a container may have fewer than the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads(workers: int | None) -> Executor:
    """A pool of threads, by default one per core."""
    return ThreadPoolExecutor(check_workers(workers) or cores(), thread_name_prefix="varde")


def check_workers(workers: Any, wanted: str = "how many to use at once, 1 or more") -> int | None:
    return None if workers is None else whole("workers", workers, wanted, 1, MOST_WORKERS)


def first_done(jobs: Collection[Future[Any]], seconds: float = math.inf) -> set[Future[Any]]:
    """Wait until one of ``jobs`` is done, or for ``seconds``; returns those that are.

    It never sleeps for longer than a tick: Python overlooks a Ctrl-C that comes in the moment before it falls asleep,
    and notices it only when it wakes.
    """
    end = time.monotonic() + seconds
    while True:
        left = end - time.monotonic()
        done, _ = wait(jobs, min(max(left, 0.0), TICK), FIRST_COMPLETED)
        if done or left <= 0.0:
            return done


def cut(runs: int, blocks: int) -> Iterator[tuple[int, int]]:
    """``runs`` in about ``blocks`` pieces, as (first, stop)."""
    size = -(-runs // blocks)
    for first in range(0, runs, size):
        yield first, min(first + size, runs)


def in_blocks(block: Callable[[int, int], Any], runs: int, workers: int | None, pieces: int = 8) -> str:
    """Call ``block(first, stop)`` until all runs are done, in about ``pieces`` blocks per worker.

    Returns what ended it: "budget" or "interrupted" (Ctrl-C; a second one raises).  When that happens, or another block
    fails, a block that is a generator is left where it yields; any other is waited for.
    """
    over, pool, workers = threading.Event(), threads(workers), check_workers(workers)

    def work(first: int, stop: int) -> None:
        with left_when(over.is_set):
            for _ in block(first, stop) or ():
                if over.is_set():
                    return

    try:
        for job in [pool.submit(work, *edges) for edges in cut(runs, pieces * (workers or cores()))]:
            first_done([job])
            job.result()
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        over.set()
        pool.shutdown(cancel_futures=True)
    return "budget"


# -- a user's function ---------------------------------------------------------------------------


class Here:
    """One job at a time, in the thread that submits it."""

    at_once = 1

    def __init__(self) -> None:
        self._began: weakref.WeakKeyDictionary[Future[Any], float] = weakref.WeakKeyDictionary()

    def submit(self, job: Job) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(job())
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # asyncio's CancelledError among them
            future.set_exception(error)
        return future

    def began(self, future: Future[Any]) -> float | None:
        """When a job started, by the monotonic clock; None if unknown or not started."""
        return self._began.get(future)

    def cancel(self, future: Future[Any]) -> bool:
        """Do not start a job that has not started; returns whether it never will."""
        return future.cancel()

    def mend(self) -> bool:
        """The executor broke, for example because a process was killed; returns whether another replaces it."""
        return False

    def abandon(self) -> None:
        """A job hangs and is no longer waited for."""

    def close(self) -> None:
        """Accept no more work; what still runs is not waited for."""


class Borrowed(Here):
    """An executor of the user's: threads, processes, a cluster."""

    def __init__(self, executor: Any):
        super().__init__()
        self.executor, self.own = executor, False
        self.how: dict[str, Any] = {}
        workers = getattr(executor, "_max_workers", None)
        if workers is None and hasattr(executor, "_client"):  # Dask's
            workers = sum(executor._client.ncores().values())
            self.how = {"pure": False}  # otherwise a retried draw would get the failure that Dask remembers
        self.at_once = max(int(workers or 8), 1)

    def submit(self, job: Job) -> Future[Any]:
        try:
            future: Future[Any] = self.executor.submit(job, **self.how)
        except BrokenExecutor:  # while it was idle
            if not self.mend():
                raise
            future = self.executor.submit(job, **self.how)
        self._began[future] = time.monotonic()
        return future

    def cancel(self, future: Future[Any]) -> bool:
        # When processes die, the executor of Python 3.11 stumbles over a cancelled job, and the other jobs never end.
        return not in_processes(self.executor) and future.cancel()

    def mend(self) -> bool:
        broken = self.executor
        if not in_processes(broken):
            return False
        settings = {"mp_context": "_mp_context", "initializer": "_initializer", "initargs": "_initargs"}
        given = {name: getattr(broken, field) for name, field in settings.items() if hasattr(broken, field)}
        self.close()
        self.executor, self.own = futures.ProcessPoolExecutor(self.at_once, **given), True
        return True

    def close(self) -> None:
        if self.own:
            self.executor.shutdown(wait=False, cancel_futures=True)


class Threads(Here):
    """Daemon threads: one that hangs blocks neither the others nor the end of the program."""

    def __init__(self, at_once: int):
        super().__init__()
        self.at_once = at_once
        self.todo: queue.SimpleQueue[tuple[Job, Future[Any]] | None] = queue.SimpleQueue()
        for _ in range(at_once):
            self.hire()

    def hire(self) -> None:
        threading.Thread(target=self.work, name="varde", daemon=True).start()

    def work(self) -> None:
        while (entry := self.todo.get()) is not None:
            job, future = entry
            if not future.set_running_or_notify_cancel():
                continue
            self._began[future] = time.monotonic()
            try:
                result = job()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)

    def submit(self, job: Job) -> Future[Any]:
        future: Future[Any] = Future()
        self.todo.put((job, future))
        return future

    def abandon(self) -> None:
        self.hire()  # in place of the one that hangs

    def close(self) -> None:
        for _ in range(self.at_once):
            self.todo.put(None)


class Loop(Here):
    """Async jobs on an event loop in its own thread, so that it works even if a loop is running, as in a notebook."""

    def __init__(self, at_once: int, timeout: float | None):
        import asyncio  # only where it is needed

        super().__init__()
        self.at_once, self.timeout, self.asyncio = at_once, timeout, asyncio
        ready = threading.Event()
        self.thread = threading.Thread(target=asyncio.run, args=(self.live(ready),), name="varde", daemon=True)
        self.thread.start()
        ready.wait()

    async def live(self, ready: threading.Event) -> None:
        self.loop, self.over = self.asyncio.get_running_loop(), self.asyncio.Event()
        self.free = self.asyncio.Semaphore(self.at_once)
        ready.set()
        await self.over.wait()

    async def run(self, job: Job) -> Any:
        async with self.free:
            try:
                return await self.asyncio.wait_for(job(), self.timeout)
            except TimeoutError as error:
                raise TimeoutError(str(error) or f"no result within {self.timeout:g} s") from error

    def submit(self, job: Job) -> Future[Any]:
        return self.asyncio.run_coroutine_threadsafe(self.run(job), self.loop)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.over.set)
        self.thread.join(timeout=5.0)


def make_workers(workers: Any, asynchronous: bool = False, timeout: float | None = None) -> Here:
    """The executor for ``workers``: a number of parallel jobs, an executor, or a Dask client."""
    if callable(getattr(workers, "get_executor", None)) and not isinstance(workers, type):
        workers = workers.get_executor()
    executor = callable(getattr(workers, "submit", None)) and not isinstance(workers, type)
    if not executor:
        workers = check_workers(workers, "a number, 1 or more, an executor of concurrent.futures, or a Dask client")
    if asynchronous:
        if executor:
            raise TypeError("an async function runs on an event loop: write workers=8 for eight at once")
        return Loop(8 if workers is None else workers, timeout)
    if executor:
        return Borrowed(workers)
    return Threads(workers or 1) if (workers or 1) > 1 or timeout is not None else Here()


def unsendable(thing: Any) -> str | None:
    """Why something cannot be sent to another process; None if it can."""
    try:
        pickle.dumps(thing)
    except Exception as error:  # whatever a foreign __reduce__ raises
        return f"{type(error).__name__}: {error}"
    return None
