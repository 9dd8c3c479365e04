"""The progress display of a selection."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from .._screen import Notebook, Terminal, open_screen
from .checks import shorten
from .text import table

if TYPE_CHECKING:
    from .selector import Selector

PATIENCE = 2.0  # seconds before a display appears
COLUMNS = ("option", "n", "mean", "95 % interval", "P(best)")


@contextmanager
def make_display(progress: Any, selector: Selector) -> Iterator[Callable[[], None]]:
    """A function to call after every result."""
    if callable(progress):
        yield lambda: progress(selector)
    elif progress is False:
        yield lambda: None
    else:
        with Display(selector, always=progress is True) as display:
            yield display.tick


class Display:
    """A line, and with ``rows`` a table of the likeliest options; silent where it cannot be written over."""

    def __init__(self, selector: Selector, *, rows: int = 0, always: bool = False):
        self.selector, self.rows, self.always = selector, rows, always
        self.began, self.spent_before = time.monotonic(), selector.spent
        self.due = self.began + (0.0 if always or rows else PATIENCE)
        self.screen: Terminal | Notebook | None = None

    def tick(self, *_: Any) -> None:
        now = time.monotonic()
        if now < self.due or not self.selector.spent:
            return
        self.due = now + (0.5 if self.rows else 0.2)
        self.screen = self.screen or open_screen(self.always)
        if self.screen is None:
            self.due = math.inf
        else:
            self.screen.show(self.content(now))

    def content(self, now: float) -> Any:
        from rich.console import Group
        from rich.text import Text

        line = Text(self.headline(now))
        return Group(line, table(self.selector.recommend(), self.rows, COLUMNS).rich()) if self.rows else line

    def headline(self, now: float) -> str:
        spent, budget, paused = self.selector.spent, self.selector.budget, self.selector.paused
        if paused is not None and paused.seconds:
            return f"{spent:,g} spent, {paused}; Ctrl-C keeps what is done"
        parts = [f"{spent:,g} of {budget:,g} spent" if budget is not None else f"{spent:,g} spent"]
        if not self.rows:
            failing = len(self.selector.failing)
            parts += [f"{shorten(self.selector.leader or 'none')} leads"] + [f"{failing} failing"] * bool(failing)
        if budget is not None and spent > self.spent_before:
            rest = (now - self.began) * (budget - spent) / (spent - self.spent_before)
            parts.append(f"about {rest:.0f} s left" if rest < 100.0 else f"about {rest / 60.0:.0f} min left")
        return f"{', '.join(parts)}; Ctrl-C keeps what is done"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.screen is not None:
            self.screen.close()
