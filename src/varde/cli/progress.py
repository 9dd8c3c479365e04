"""A live display of how far the studies are."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._compile import notice
from ..show import screen

if TYPE_CHECKING:
    from ..studies.running import Plan
    from ..studies.store import Block

WIDTH = 30  # letters of a bar


class Progress:
    """Lines on stderr for anything that takes over two seconds: the studies at work, and the whole.

    Where stderr is not a terminal there are none; with ``quiet`` it is not even said that something is compiled.
    """

    def __init__(self, plans: Sequence[Plan], quiet: bool = False):
        self.plans, self.quiet, self.began, self.display = plans, quiet, time.monotonic(), screen.Progress()

    def tick(self, plan: Plan, block: Block) -> None:
        """A block is done."""
        if not self.quiet:
            self.display.tick(self.content)

    def content(self) -> str:
        several = len(self.plans) > 1
        shown = [plan for plan in self.plans if not several or plan.reused < len(plan.done) < len(plan.portions)]
        lines = [self.line(plan.study.name, [plan]) for plan in shown]
        return "\n".join([*lines, self.line("total", self.plans)] if several else lines)

    def line(self, name: str, plans: Sequence[Plan]) -> str:
        done, reused = sum(len(plan.done) for plan in plans), sum(plan.reused for plan in plans)
        total = sum(len(plan.portions) for plan in plans)
        taken = time.monotonic() - self.began
        left = taken * (total - done) / max(done - reused, 1)
        filled = round(WIDTH * done / max(total, 1))
        times = " ".join(f"{int(each) // 60}:{int(each) % 60:02d}" for each in (taken, left))
        before = f" {reused:,} from before" if reused else ""
        return f"{name:16.16} {'━' * filled:{WIDTH}} {done:,}/{total:,} {times} left{before}"

    def compiling(self, kernel: str, kept: bool) -> None:
        """Compilation takes seconds: say at once what is waited for."""
        self.display.due = 0.0
        self.display.tick(lambda: "compiling (once per machine)")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Out of the way of what is printed meanwhile."""
        self.display.__exit__()
        self.display.screen = None
        yield

    def __enter__(self) -> Progress:
        self.notify = notice.notify
        if self.quiet or sys.stderr.isatty():
            notice.notify = None if self.quiet else self.compiling
        return self

    def __exit__(self, *exc: object) -> None:
        notice.notify = self.notify
        self.display.__exit__()
