"""A live display of how far the work is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console

from .._compile import notice

if TYPE_CHECKING:
    from ..studies.running import Plan
    from ..studies.store import Block


class Progress:
    """Bars on stderr for anything that takes over two seconds: the studies at work, and the whole.

    Where stderr is not a terminal there are none; with ``quiet`` it is not even said that something is compiled.
    """

    PATIENCE = 2.0

    def __init__(self, plans: Sequence[Plan], quiet: bool = False):
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        console = Console(stderr=True)
        self.quiet = quiet
        self.bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self.began = time.perf_counter()
        self.tasks = {
            plan.study.name: self.bars.add_task(
                plan.study.name,
                total=len(plan.portions),
                completed=plan.reused,
                visible=len(plans) == 1,
                start=len(plans) == 1,
                note=f"{plan.reused:,} from before" if plan.reused else "",
            )
            for plan in plans
        }
        totals = sum(len(plan.portions) for plan in plans), sum(plan.reused for plan in plans)
        self.total = self.bars.add_task("total", total=totals[0], completed=totals[1], visible=len(plans) > 1, note="")

    def tick(self, plan: Plan, block: Block) -> None:
        """A block is done."""
        if self.bars.disable:
            return
        name, now = plan.study.name, time.perf_counter()
        over = len(plan.done) == len(plan.portions)
        self.bars.start_task(self.tasks[name])
        self.bars.update(self.tasks[name], advance=1, visible=not over)
        self.bars.update(self.total, advance=1, description="total", visible=len(self.tasks) > 1)
        if not self.bars.live.is_started and now - self.began > self.PATIENCE:
            self.bars.start()

    def compiling(self, kernel: str, kept: bool) -> None:
        """Compilation takes seconds: show the bars at once and say what they wait for."""
        self.bars.update(self.total, description="compiling (once per machine)", visible=True)
        self.bars.start()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Out of the way of what is printed meanwhile."""
        shown = self.bars.live.is_started
        self.bars.stop()
        yield
        if shown:
            self.bars.start()

    def __enter__(self) -> Progress:
        self.notify = notice.notify
        if self.quiet:
            notice.notify = None
        elif not self.bars.disable:
            notice.notify = self.compiling
        return self

    def __exit__(self, *exc: object) -> None:
        notice.notify = self.notify
        self.bars.stop()
