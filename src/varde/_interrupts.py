"""Ctrl-C at a moment when nothing is half done: signals are held back, and let through where waiting does no harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """The first Ctrl-C waits until nothing is half done; a second one does not."""

    def __init__(self) -> None:
        self.open = self.asked = False

    def handle(self, *_: Any) -> None:
        again, self.asked = self.asked, True
        if self.open or again:
            raise KeyboardInterrupt

    @contextmanager
    def allowed(self) -> Iterator[None]:
        if self.asked:
            raise KeyboardInterrupt
        self.open = True
        try:
            yield
        finally:
            self.open = False


@contextmanager
def deferred_interrupts(signals: Sequence[signal.Signals]) -> Iterator[Interrupts]:
    """Defer these signals that way, except those that the program ignores or handles itself."""
    interrupts, before = Interrupts(), {}
    if threading.current_thread() is threading.main_thread():
        usual = signal.default_int_handler, signal.SIG_DFL
        before = {each: signal.getsignal(each) for each in signals if signal.getsignal(each) in usual}
    try:
        for each in before:
            signal.signal(each, interrupts.handle)
        yield interrupts
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
