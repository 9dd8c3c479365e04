"""Announces and times compilation, and switches the garbage collector off meanwhile."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

kernels: set[Callable[..., Any]] = set()  # kernels whose compilation is announced
_mine = threading.local()
PAUSE = 5.0  # seconds between two lines, at least
_announced = -PAUSE  # when the last line was written


def announce(name: str, kept: bool) -> None:
    """The notice of compilation unless a caller sets ``notify``: a line, and another where it takes long."""
    global _announced
    from .cache import cache_folder

    now = time.monotonic()
    if now < _announced + PAUSE:
        return
    _announced = now
    folder = cache_folder()
    where = "kept on disk for next time" if kept and folder and os.access(folder, os.W_OK) else "not kept"
    print(f"varde: compiling {name}, which takes some seconds ({where})", file=sys.stderr, flush=True)


# called before a kernel compiles, with its name and whether it is kept
notify: Callable[[str, bool], None] | None = announce


def compile_seconds() -> float:
    """Seconds this thread has spent compiling so far, or waiting for another thread to compile."""
    return getattr(_mine, "seconds", 0.0)


class Collector:
    """The garbage collector is off while any thread compiles.

    Numba makes millions of long-lived objects: collecting among them takes a tenth of the time.
    """

    def __init__(self) -> None:
        self.lock, self.compiling, self.was_on = threading.Lock(), 0, False

    def stop(self) -> None:
        with self.lock:
            self.compiling += 1
            if self.compiling == 1:
                self.was_on = gc.isenabled()
                gc.disable()

    def go_on(self) -> None:
        with self.lock:
            self.compiling -= 1
            if self.compiling == 0 and self.was_on:
                gc.enable()


def listen() -> None:
    """Follow what Numba reports of its compiling."""
    from numba.core import caching, event

    collector = Collector()

    class Compiling(event.Listener):
        def on_start(self, started: Any) -> None:
            dispatcher = started.data["dispatcher"]
            if notify is not None and dispatcher.py_func in kernels:
                notify(dispatcher.py_func.__name__, type(dispatcher._cache) is not caching.NullCache)

        def on_end(self, ended: Any) -> None:
            pass

    class Stopwatch(event.Listener):
        def on_start(self, started: Any) -> None:
            depth = getattr(_mine, "depth", 0)
            _mine.depth = depth + 1
            if depth == 0:
                _mine.began = time.perf_counter()
                collector.stop()

        def on_end(self, ended: Any) -> None:
            if not getattr(_mine, "depth", 0):
                return  # begun before this listened
            _mine.depth -= 1
            if _mine.depth == 0:
                _mine.seconds = compile_seconds() + time.perf_counter() - _mine.began
                collector.go_on()

    event.register("numba:compile", Compiling())
    event.register("numba:compiler_lock", Stopwatch())
