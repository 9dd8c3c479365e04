"""Compiling: by one thread at a time, not interrupted in the middle, announced and timed.

Numba keeps what it has compiled in one place for the whole process.  An exception in the middle leaves that half made:
of 40 places in which a KeyboardInterrupt was raised, some broke the kernel, and some all that was compiled later.  So
Ctrl-C waits for a safe point: where Numba is about to compile the next helper, which is as good a place to fail as a
mistake in the code would be, and before LLVM goes over the whole, which takes 0.2 to 3.5 s and then is kept.
"""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from .interrupts import asking, safe_point, uninterrupted

PAUSE = 5.0  # seconds between two lines, at least
_announced = -PAUSE  # when the last line was written
lock = threading.RLock()  # held while anything is compiled or loaded


def announce(name: str, stored: bool) -> None:
    """The notice of compilation unless a caller sets ``notify``: a line, and another where it takes long."""
    global _announced
    now = time.monotonic()
    if now < _announced + PAUSE:
        return
    _announced = now
    where = "kept on disk for next time" if stored else "not kept"
    print(f"varde: compiling {name}, which takes some seconds ({where})", file=sys.stderr, flush=True)


# called before a kernel compiles, with its name and whether it is stored
notify: Callable[[str, bool], None] | None = announce


class Here(threading.local):
    seconds = 0.0  # that this thread has waited for compiled code


here = Here()


def working_time() -> float:
    """A clock that leaves out the time this thread has waited for compiled code."""
    return time.perf_counter() - here.seconds


@contextlib.contextmanager
def compiling() -> Iterator[None]:
    """What is done within it is waiting for compiled code.

    The garbage collector is off meanwhile: Numba makes millions of long-lived objects, and collecting among them takes
    a tenth of the time.
    """
    began = time.perf_counter()
    try:
        with lock, uninterrupted() as answer, asking(answer):
            collects = gc.isenabled()
            gc.disable()
            try:
                yield
            finally:
                if collects:
                    gc.enable()
    finally:
        here.seconds += time.perf_counter() - began


def listen() -> None:
    """Make a safe point of every function that Numba begins to compile."""
    from numba.core import event

    class Begin(event.Listener):
        def on_start(self, started: Any) -> None:
            safe_point()

        def on_end(self, ended: Any) -> None:
            pass

    event.register("numba:compile", Begin())
