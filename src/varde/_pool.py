"""One pool of workers for runs that share nothing: threads, since kernels do not hold the GIL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any


def cores() -> int:
    """How many this process may use; a container may grant fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads(workers: int | None) -> Executor:
    """A pool of threads, one per core unless told otherwise."""
    if workers is not None and workers < 1:
        raise ValueError(f"workers is {workers}: write 1 or more")
    return ThreadPoolExecutor(workers or cores(), thread_name_prefix="varde")


def cut(runs: int, blocks: int) -> Iterator[tuple[int, int]]:
    """``runs`` in about ``blocks`` pieces, as (first, stop)."""
    size = -(-runs // blocks)
    for first in range(0, runs, size):
        yield first, min(first + size, runs)


def in_blocks(block: Callable[[int, int], Any], runs: int, workers: int | None, pieces: int = 8) -> None:
    """Call ``block(first, stop)`` until all runs are done, in about ``pieces`` blocks per worker.

    A block that is a generator is left where it yields when Ctrl-C is pressed or another block fails; one that is not
    is waited for.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}: write 1 or more")
    over, pool = threading.Event(), threads(workers)

    def work(first: int, stop: int) -> None:
        for _ in block(first, stop) or ():
            if over.is_set():
                return

    try:
        for job in [pool.submit(work, *edges) for edges in cut(runs, pieces * (workers or cores()))]:
            job.result()
    finally:
        over.set()
        pool.shutdown(cancel_futures=True)
