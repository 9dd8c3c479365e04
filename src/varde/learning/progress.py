"""How far learning is, while the budget is being spent."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE, PAUSE = 2.0, 0.2  # seconds: what is over sooner needs no display; between two lines


class Watch:
    """A line on stderr, unless that is no terminal; or a function of the number of steps."""

    def __init__(self, progress: bool | Callable[[int], object] | None, budget: int, what: str):
        self.progress, self.budget, self.what = progress, budget, what
        self.began = time.perf_counter()
        wait = math.inf if progress is False else 0.0 if progress is True or callable(progress) else PATIENCE
        self.due = self.began + wait
        self.before = -1  # steps at the first line: those of a store were made earlier
        self.screen: Any = None

    def tick(self, steps: int, now: float) -> None:
        if now < self.due:
            return
        self.due = now + PAUSE
        if callable(self.progress):
            self.progress(steps)
            return
        if self.before < 0:
            self.before, self.began = steps, now
        if self.screen is None:
            self._open()
        if self.screen is not None:
            self._show(steps, now)

    def _open(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True)
        if not console.is_terminal:
            self.due = math.inf
            return
        self.screen = Live(console=console, auto_refresh=False, transient=True)
        self.screen.start()

    def _show(self, steps: int, now: float) -> None:
        from rich.text import Text

        rate = (steps - self.before) / max(now - self.began, 1e-9)
        fast = f", {rate:,.0f} a second" if steps > self.before else ""
        words = f"{steps:,} of {self.budget:,} {self.what}{fast}; Ctrl-C stops and shows the result so far"
        self.screen.update(Text(words), refresh=True)


@contextmanager
def watching(progress: bool | Callable[[int], object] | None, budget: int, what: str = "steps") -> Iterator[Watch]:
    watch = Watch(progress, budget, what)
    try:
        yield watch
    finally:
        if watch.screen is not None:
            watch.screen.stop()
