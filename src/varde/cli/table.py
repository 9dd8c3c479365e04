"""The live table of a selection."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

if TYPE_CHECKING:
    from ..selection import Selector

SHOWN = 10  # options
PAUSE = 0.5  # seconds between two tables


class Display:
    """Who leads and where the budget goes, on stderr; silent where that is not a terminal."""

    def __init__(self, selector: Selector, quiet: bool):
        console = Console(stderr=True)
        self.quiet = quiet or not console.is_terminal
        self.selector, self.began = selector, time.monotonic()
        self.spent_before, self.shown = selector.spent, 0.0
        self.live = Live(console=console, auto_refresh=False, transient=True)

    def tick(self, selector: Selector) -> None:
        from ..selection.words import table

        now = time.monotonic()
        if self.quiet or now - self.shown < PAUSE or not selector.spent:
            return
        self.shown = now
        columns = ("option", "n", "mean", "95 % interval", "P(best)")
        grid = table(selector.recommend(), SHOWN, columns).rich()
        self.live.update(Group(Text(self.headline(now)), grid), refresh=True)

    def headline(self, now: float) -> str:
        spent, budget = self.selector.spent, self.selector.budget
        done, took = spent - self.spent_before, now - self.began
        line = f"{spent:,g} of {budget:,g} spent" if budget is not None else f"{spent:,g} spent"
        if budget is not None and done > 0:
            line += f", about {duration(took * (budget - spent) / done)} left"
        return line + "; Ctrl-C keeps what is done"

    def __enter__(self) -> Display:
        if not self.quiet:
            self.live.start()
        return self

    def __exit__(self, *error: Any) -> None:
        if not self.quiet:
            self.live.stop()


def duration(seconds: float) -> str:
    if seconds < 100.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 6000.0 else f"{seconds / 3600.0:.1f} h"
