"""Announces and times compilation, and switches the garbage collector off meanwhile."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

kernels: set[Callable[..., Any]] = set()  # kernels whose compilation is announced
PAUSE = 5.0  # seconds between two lines, at least
_announced = -PAUSE  # when the last line was written


def announce(name: str, stored: bool) -> None:
    """The notice of compilation unless a caller sets ``notify``: a line, and another where it takes long."""
    global _announced
    from .disk import cache_folder

    now = time.monotonic()
    if now < _announced + PAUSE:
        return
    _announced = now
    folder = cache_folder()
    where = "kept on disk for next time" if stored and folder and os.access(folder, os.W_OK) else "not kept"
    print(f"varde: compiling {name}, which takes some seconds ({where})", file=sys.stderr, flush=True)


# called before a kernel compiles, with its name and whether it is stored
notify: Callable[[str, bool], None] | None = announce


class Stopwatch(threading.local):
    """How long this thread has waited for compiled code.

    The garbage collector is off meanwhile: Numba makes millions of long-lived objects, and collecting among them takes
    a tenth of the time.
    """

    seconds, depth, began, collects = 0.0, 0, 0.0, False

    def start(self) -> None:
        self.depth += 1
        if self.depth == 1:
            self.began, self.collects = time.perf_counter(), gc.isenabled()
            gc.disable()

    def stop(self) -> None:
        if self.depth == 0:
            return  # begun before anybody listened
        self.depth -= 1
        if self.depth == 0:
            self.seconds += time.perf_counter() - self.began
            if self.collects:  # or another thread, which began before, switches it on again
                gc.enable()


watch = Stopwatch()


def compile_seconds() -> float:
    """Seconds this thread has spent compiling or loading so far, or waiting for another thread that does."""
    return watch.seconds


def working_time() -> float:
    """A clock that leaves out the time this thread has waited for compiled code."""
    return time.perf_counter() - watch.seconds


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """What is done within it is waiting for compiled code."""
    watch.start()
    try:
        yield
    finally:
        watch.stop()


def listen() -> None:
    """Follow what Numba reports of its compiling."""
    from numba.core import caching, event

    class Compiling(event.Listener):
        def on_start(self, started: Any) -> None:
            dispatcher = started.data["dispatcher"]
            if notify is not None and dispatcher.py_func in kernels:
                notify(dispatcher.py_func.__name__, type(dispatcher._cache) is not caching.NullCache)

        def on_end(self, ended: Any) -> None:
            pass

    class Locked(event.Listener):
        def on_start(self, started: Any) -> None:
            watch.start()

        def on_end(self, ended: Any) -> None:
            watch.stop()

    event.register("numba:compile", Compiling())
    event.register("numba:compiler_lock", Locked())
