"""Compiling: by one thread at a time, interrupted where it does no harm, announced and timed.

Numba keeps what it has compiled in one place for the whole process.  An exception in the middle leaves that half made:
of 40 places in which a KeyboardInterrupt was raised, some broke the kernel, and some all that was compiled later.  So
Ctrl-C waits for a safe point: where Numba asks for the next helper, which is as good a place to fail as a mistake in
the code would be.
"""

from __future__ import annotations

import _signal as signals  # type: ignore[import-not-found]  # ``signal`` makes enums of all, which takes 30 us
import contextlib
import gc
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


class Here(threading.local):
    """What this thread waits for."""

    seconds = 0.0  # that it has waited for compiled code

    def __init__(self) -> None:
        self.asked: list[Callable[[], None]] = []  # what safe points call, which raises if the work is to end


here = Here()


class uninterrupted(contextlib.ContextDecorator):  # noqa: N801
    """Defer Ctrl-C until what must not be left half done is complete; also a decorator.

    ``with`` gives a function to be called where a Ctrl-C that has come meanwhile does no harm.
    """

    def __enter__(self) -> Callable[[], None]:
        self.asked: list[tuple[int, Any]] = []
        self.before = before = signals.getsignal(signals.SIGINT)
        self.defers = callable(before) and threading.current_thread() is threading.main_thread()
        if self.defers:
            signals.signal(signals.SIGINT, lambda *how: self.asked.append(how))
        return self.answer

    def answer(self) -> None:
        while self.asked:
            self.before(*self.asked.pop())

    def __exit__(self, *error: object) -> None:
        if self.defers:
            signals.signal(signals.SIGINT, self.before)
            self.answer()

    def _recreate_cm(self) -> uninterrupted:
        return uninterrupted()


@contextlib.contextmanager
def asking(answer: Callable[[], None]) -> Iterator[None]:
    """Within it, safe points call ``answer``, which may raise."""
    here.asked.append(answer)
    try:
        yield
    finally:
        here.asked.remove(answer)


def safe_point() -> None:
    for answer in here.asked:
        answer()


class Left(BaseException):
    """Nobody waits for the work of this thread any more."""


@contextlib.contextmanager
def left_when(over: Callable[[], bool]) -> Iterator[None]:
    """In a thread that Ctrl-C does not reach: leave what is within at the next safe point once it is ``over``."""

    def answer() -> None:
        if over():
            raise Left

    with contextlib.suppress(Left), asking(answer):
        yield


# -- compiling -------------------------------------------------------------------------------------

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
