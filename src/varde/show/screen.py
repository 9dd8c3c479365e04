"""Progress that overwrites itself: on a terminal, in a notebook, or nowhere.

In a notebook one output of the cell is updated, so that progress takes a line however long it lasts; rich would
need ipywidgets there.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from typing import Any, Self

PATIENCE = 2.0  # seconds: what is over sooner needs no display


class Terminal:
    """On stderr, by rich; erased at the end."""

    def __init__(self, console: Any):
        from rich.live import Live

        self.live = Live(console=console, auto_refresh=False, transient=True)
        self.live.start()

    def show(self, content: Any) -> None:
        """A text as it is, or what rich can draw."""
        from rich.text import Text

        self.live.update(Text(content) if isinstance(content, str) else content, refresh=True)

    def close(self) -> None:
        self.live.stop()


class Notebook:
    """An output of the running cell, empty at the end."""

    def __init__(self) -> None:
        from IPython.display import display

        self.handle = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, content: Any) -> None:
        self.handle.update({"text/plain": str(content)}, raw=True)

    def close(self) -> None:
        self.show("")


class Progress:
    """Shows what is made for it after a while, or ``soon``, and then every ``pause`` seconds; silent where nothing can
    be written over, and once nobody reads it any more.
    """

    def __init__(self, pause: float = 0.2, soon: bool = False, always: bool = False):
        self.due, self.pause, self.always = time.monotonic() + (0.0 if soon else PATIENCE), pause, always
        self.screen: Terminal | Notebook | None = None

    def tick(self, make: Callable[[], Any]) -> None:
        now = time.monotonic()
        if now < self.due:
            return
        try:
            self.screen = self.screen or open_screen(self.always)
            if self.screen is not None:
                self.screen.show(make())
            self.due = math.inf if self.screen is None else now + self.pause
        except OSError:
            self.due, self.screen = math.inf, None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.screen is not None:
            self.screen.close()


def open_screen(always: bool = False) -> Terminal | Notebook | None:
    """Where progress can be shown; None if nowhere, unless ``always``."""
    if in_notebook():
        return Notebook()
    from rich.console import Console

    console = Console(stderr=True, force_terminal=True if always else None, force_jupyter=False)
    return Terminal(console) if console.is_terminal else None


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None
