"""How far a search or learning is, while the budget is being spent."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .._compile import working_time
from .screen import Progress, in_notebook

PAUSE = 0.2  # seconds between two lines


class Watch:
    """A line on a terminal or in a notebook; or a function of the number of steps."""

    def __init__(self, progress: bool | Callable[[int], object] | None, budget: int, what: str):
        self.progress, self.budget, self.what = progress, budget, what
        self.display, self.due = Progress(PAUSE, soon=progress is True), 0.0
        self.began, self.before = working_time(), -1  # steps at the first line: those of a store were made earlier

    def tick(self, steps: int, now: float) -> None:
        if not callable(self.progress):
            if self.progress is not False:
                self.display.tick(lambda: self.words(steps, now))
        elif now >= self.due:
            self.due = now + PAUSE
            self.progress(steps)

    def words(self, steps: int, now: float) -> str:
        if self.before < 0:
            self.before, self.began = steps, now
        rate = (steps - self.before) / max(now - self.began, 1e-9)
        fast = f", {rate:,.0f} a second" if steps > self.before else ""
        return f"{steps:,} of {self.budget:,} {self.what}{fast}; Ctrl-C stops and shows the result so far"


@contextmanager
def observing(progress: bool | Callable[[int], object] | None, budget: int, count: Callable[[], int]) -> Iterator[None]:
    """Watch from another thread how far a search is, so that what it does is the same whether watched or not."""
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

    with watching(progress, budget, "simulations") as watch:
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
    with watch.display:
        yield watch
