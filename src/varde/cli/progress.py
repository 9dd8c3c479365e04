"""A live display of how far the work is."""

from __future__ import annotations

import time

from rich.console import Console

from .. import _jit


class Progress:
    """A bar on stderr for anything that takes over two seconds; silent where stderr is not a terminal."""

    PATIENCE = 2.0

    def __init__(self, name: str, total: int):
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        self.bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self.name, self.began = name, time.perf_counter()
        self.task = self.bar.add_task(name, total=total)

    def tick(self) -> None:
        self.bar.update(self.task, advance=1, description=self.name)
        if not self.bar.live.is_started and time.perf_counter() - self.began > self.PATIENCE:
            self.bar.start()

    def compiling(self, kernel: str) -> None:
        """Compilation takes seconds: show the bar at once and say what it waits for."""
        self.bar.update(self.task, description=f"{self.name}: compiling (once per machine)")
        self.bar.start()

    def __enter__(self) -> Progress:
        self.before = _jit.notify
        if not self.bar.disable:
            _jit.notify = self.compiling
        return self

    def __exit__(self, *exc: object) -> None:
        if not self.bar.disable:
            _jit.notify = self.before
        self.bar.stop()
