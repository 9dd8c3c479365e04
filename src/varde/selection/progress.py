"""Who leads, while the budget is being spent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .checks import shorten

if TYPE_CHECKING:
    from .selector import Selector

PATIENCE = 2.0  # seconds: what is over sooner needs no display


@contextmanager
def make_display(progress: Any, selector: Selector) -> Iterator[Callable[[], None]]:
    """A function to call after every result."""
    if callable(progress):
        yield lambda: progress(selector)
    elif progress is False:
        yield lambda: None
    else:
        line = Line(selector, always=progress is True)
        try:
            yield line.tick
        finally:
            line.close()


class Line:
    """One line on stderr that shows how far the work is and who leads."""

    def __init__(self, selector: Selector, always: bool):
        self.selector, self.screen = selector, None
        self.always, self.began, self.shown = always, time.monotonic(), 0.0

    def tick(self) -> None:
        now = time.monotonic()
        if now - self.began < (0.0 if self.always else PATIENCE) or now - self.shown < 0.2:
            return
        self.shown = now
        if self.screen is None:
            self.start()
        self.screen.update(self.text(now), refresh=True)  # type: ignore[attr-defined]

    def start(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, force_terminal=True if self.always else None)
        quiet = Console(quiet=True)
        self.screen = Live(console=console if console.is_terminal else quiet, auto_refresh=False, transient=True)  # type: ignore[assignment]
        self.screen.start()  # type: ignore[attr-defined]

    def text(self, now: float) -> Any:
        from rich.text import Text

        spent, budget = self.selector.spent, self.selector.budget
        seconds = (now - self.began) * (budget / spent - 1.0) if budget and spent else 0.0
        parts = [f"{spent:,} of {budget:,}" if budget else f"{spent:,}"]
        if self.selector.leader is not None:
            parts.append(f"{shorten(self.selector.leader)} leads")
        failing = len(self.selector.failing)
        if failing:
            parts.append(f"{failing} failing")
        if seconds >= 1.0:
            parts.append(f"about {seconds:,.0f} s left")
        return Text("  ·  ".join(parts))

    def close(self) -> None:
        if self.screen is not None:
            self.screen.stop()
