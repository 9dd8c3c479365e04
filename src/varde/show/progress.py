"""How far a search or learning is, while the budget is being spent."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._compile import working_time
from .screen import Notebook, Terminal, in_notebook, open_screen

if TYPE_CHECKING:
    from rich.text import Text

PATIENCE, PAUSE = 2.0, 0.2  # seconds: what is over sooner needs no display; between two lines


class Watch:
    """A line on a terminal or in a notebook; or a function of the number of steps."""

    def __init__(self, progress: bool | Callable[[int], object] | None, budget: int, what: str):
        self.progress, self.budget, self.what = progress, budget, what
        self.began = working_time()
        wait = math.inf if progress is False else 0.0 if progress is True or callable(progress) else PATIENCE
        self.due = self.began + wait
        self.before = -1  # steps at the first line: those of a store were made earlier
        self.screen: Terminal | Notebook | None = None

    def tick(self, steps: int, now: float) -> None:
        if now < self.due:
            return
        self.due = now + PAUSE
        if callable(self.progress):
            self.progress(steps)
            return
        if self.before < 0:
            self.before, self.began = steps, now
        self.screen = self.screen or open_screen()
        if self.screen is None:
            self.due = math.inf
        else:
            self.screen.show(self._words(steps, now))

    def _words(self, steps: int, now: float) -> Text:
        from rich.text import Text

        rate = (steps - self.before) / max(now - self.began, 1e-9)
        fast = f", {rate:,.0f} a second" if steps > self.before else ""
        return Text(f"{steps:,} of {self.budget:,} {self.what}{fast}; Ctrl-C stops and shows the result so far")


@contextmanager
def observing(
    progress: bool | Callable[[int], object] | None, budget: int, count: Callable[[], int], what: str = "simulations"
) -> Iterator[None]:
    """Watch from another thread how far something is, so that what it does is the same whether watched or not."""
    if progress is False or (progress is None and not (sys.stderr.isatty() or in_notebook())):
        yield
        return
    over, failed = threading.Event(), list[BaseException]()

    def look(watch: Watch) -> None:
        try:
            while not over.wait(PAUSE):
                watch.tick(count(), working_time())
        except BaseException as error:  # of a function of the user's
            failed.append(error)

    with watching(progress, budget, what) as watch:
        thread = threading.Thread(target=look, args=(watch,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()
        if callable(progress):
            progress(count())
    if failed:
        raise failed[0]


@contextmanager
def watching(progress: bool | Callable[[int], object] | None, budget: int, what: str = "steps") -> Iterator[Watch]:
    watch = Watch(progress, budget, what)
    try:
        yield watch
    finally:
        if watch.screen is not None:
            watch.screen.close()
