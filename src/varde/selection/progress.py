"""The progress display of a selection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..show.screen import Progress
from ..show.table import sheet
from .checks import shorten

if TYPE_CHECKING:
    from .selector import Selector

LEFT_OUT = ("sd", "verdict")  # columns that a narrow terminal has no room for


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


class Display(Progress):
    """A line, and with ``rows`` a table of the likeliest options."""

    def __init__(self, selector: Selector, *, rows: int = 0, always: bool = False):
        super().__init__(0.5 if rows else 0.2, always or rows > 0, always)
        self.selector, self.rows = selector, rows
        self.began, self.spent_before = time.monotonic(), selector.spent

    def tick(self, *_: Any) -> None:
        if time.monotonic() >= self.due and self.selector.spent:
            super().tick(self.content)

    def content(self) -> Any:
        from rich.console import Group
        from rich.text import Text

        line = Text(self.headline())
        if not self.rows:
            return line
        found = self.selector.recommend()
        return Group(line, sheet(found, found._top(self.rows), without=LEFT_OUT).rich())

    def headline(self) -> str:
        spent, budget, paused = self.selector.spent, self.selector.budget, self.selector.paused
        if paused is not None and paused.seconds:
            return f"{spent:,g} spent, {paused}; Ctrl-C keeps what is done"
        parts = [f"{spent:,g} of {budget:,g} spent" if budget is not None else f"{spent:,g} spent"]
        if not self.rows:
            failing = len(self.selector.failing)
            parts += [f"{shorten(self.selector.leader or 'none')} leads"] + [f"{failing} failing"] * bool(failing)
        if budget is not None and spent > self.spent_before:
            rest = (time.monotonic() - self.began) * (budget - spent) / (spent - self.spent_before)
            parts.append(f"about {rest:.0f} s left" if rest < 100.0 else f"about {rest / 60.0:.0f} min left")
        return f"{', '.join(parts)}; Ctrl-C keeps what is done"
