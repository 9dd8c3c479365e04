"""Where blocks are measured: threads of this process, processes of this machine, or a Dask cluster.

All of them are a ``concurrent.futures.Executor``; the bits of a result do not depend on which.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

from .. import _compile
from .._compile import notice
from .._pool import cores, threads

LOCAL = "local"  # in place of the address of a scheduler: a cluster just for this command
CONNECT = 10.0  # seconds to wait for a scheduler
COUNT = 5.0  # seconds between two counts of the workers, which come and go
PATIENCE = 5.0  # seconds for a pool to notice that its processes are gone
AHEAD = 3  # blocks in flight for each worker: one being measured, the others in transit


class ClusterError(RuntimeError):
    """There is no cluster; the message says what to do."""


class Workers(NamedTuple):
    """The executor that measures blocks."""

    executor: Executor
    number: Callable[[], int]  # how many blocks are measured at the same time
    by_name: bool  # whether they import varde themselves

    def room(self) -> int:
        """How many blocks may be in flight."""
        return AHEAD * max(self.number(), 2)


@contextmanager
def hired(
    workers: int | None = None,
    processes: bool = False,
    cluster: str | None = None,
    quiet: bool = False,
    engine: str = "auto",
) -> Iterator[Workers]:
    """The workers: threads, processes, or those of a cluster; one per core unless a number is given.

    With the engine "compiled", threads and processes do not try first how long something takes in Python.
    """
    number = workers or cores()
    if cluster is not None:
        with dask_client(cluster, number) as client:
            yield Workers(client.get_executor(pure=False), counted(client), True)
        return
    pool = process_pool(number, quiet, engine) if processes else threads(number)
    try:
        with _compile.using(engine):
            yield Workers(pool, lambda: number, processes)
    except BaseException:
        if processes:
            kill(pool)
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


# -- processes -----------------------------------------------------------------------------------


def process_pool(number: int, quiet: bool = False, engine: str = "auto") -> Executor:
    """Spawned processes (a fork of a process with threads may hang) that end with this one."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(number, get_context("spawn"), initializer=settle, initargs=(quiet, engine))


def kill(pool: Executor) -> None:
    """End the pool's processes and wait for its own thread: then its semaphores are freed.

    A command that fails ends at once, and Python would complain of semaphores that nobody freed.
    """
    thread, processes = getattr(pool, "_executor_manager_thread", None), list(getattr(pool, "_processes", {}).values())
    pool.shutdown(wait=False, cancel_futures=True)  # first: Python 3.11 stumbles over cancelled jobs of a broken pool
    for process in processes:
        process.kill()
    if thread is not None:
        thread.join(PATIENCE)


def settle(quiet: bool, engine: str) -> None:
    """In a new process: leave Ctrl-C to the parent, and do not outlive it."""
    from multiprocessing import parent_process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _compile.using(engine).__enter__()  # for good
    if quiet:
        notice.notify = None

    def follow() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


# -- Dask ----------------------------------------------------------------------------------------


@contextmanager
def dask_client(cluster: str, number: int) -> Iterator[Any]:
    try:
        import distributed
    except ModuleNotFoundError:
        raise ClusterError("Dask is missing: pip install 'varde[cluster]'") from None
    for name in [name for name in logging.root.manager.loggerDict if name.split(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # errors are reported once, by us
    if cluster == LOCAL:
        with deaf_to_ctrl_c():  # the workers inherit it
            # Any free port of this machine's own: without an address, all the world can reach 8787, or it is taken.
            local = distributed.LocalCluster(
                n_workers=number,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL + 1,
            )
        with local, distributed.Client(local, set_as_default=False) as client:
            yield client
        return
    if "://" not in cluster:
        raise ClusterError(f"the cluster is {cluster!r}: write the scheduler's address, tcp://HOST:PORT, or {LOCAL}")
    try:
        client = distributed.Client(cluster, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no Dask scheduler answers at {cluster} ({type(error).__name__}): start one with `dask scheduler`, "
            "or check the address"
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close()


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # signals can only be set in the main thread
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def counted(client: Any) -> Callable[[], int]:
    """The number of threads in the cluster, updated from time to time."""
    last = [-COUNT, 0]

    def count() -> int:
        if time.monotonic() - last[0] > COUNT:
            with suppress(OSError):  # an unreachable scheduler is noticed by the blocks
                last[1] = sum(client.nthreads().values())
            last[0] = time.monotonic()
        return int(last[1])

    return count
