"""Ctrl-C where it does no harm: not in the middle of a change, and in the middle of compiling at safe points."""

from __future__ import annotations

import _signal as signals  # type: ignore[import-not-found]  # ``signal`` makes enums of all, which takes 30 us
import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any


class Here(threading.local):
    """What safe points of this thread ask; it raises if the work is to end."""

    def __init__(self) -> None:
        self.asked: list[Callable[[], None]] = []


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
