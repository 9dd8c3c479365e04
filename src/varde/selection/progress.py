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
        self.selector, self.live = selector, None
        self.always, self.began, self.shown = always, time.monotonic(), 0.0

    def tick(self) -> None:
        now = time.monotonic()
        if now - self.began < (0.0 if self.always else PATIENCE) or now - self.shown < 0.2:
            return
        self.shown = now
        if self.live is None:
            self.start()
        self.live.update(self.text(now), refresh=True)  # type: ignore[attr-defined]

    def start(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, force_terminal=True if self.always else None)
        quiet = Console(quiet=True)
        self.live = Live(console=console if console.is_terminal else quiet, auto_refresh=False, transient=True)  # type: ignore[assignment]
        self.live.start()  # type: ignore[attr-defined]

    def text(self, now: float) -> Any:
        from rich.text import Text

        spent, budget = self.selector.spent, self.selector.budget
        left = (now - self.began) * (budget / spent - 1.0) if budget and spent else 0.0
        said = [f"{spent:,} of {budget:,}" if budget else f"{spent:,}"]
        if self.selector.leader is not None:
            said.append(f"{shorten(self.selector.leader)} leads")
        failing = len(self.selector.failing)
        if failing:
            said.append(f"{failing} failing")
        if left >= 1.0:
            said.append(f"about {left:,.0f} s left")
        return Text("  ·  ".join(said))

    def close(self) -> None:
        if self.live is not None:
            self.live.stop()
