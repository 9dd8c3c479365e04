"""``varde run``: options that are shell commands."""

from __future__ import annotations

import contextlib
import logging
import math
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..check import positive
from ..selection.address import Address
from .app import FAILED, OPTIONS, STOPPED, UNSURE, app, exit_code, give_answer, refuse, say
from .options import AsJson, Page, Place, Wanted, check_page, place, ready, stop_of, takes

if TYPE_CHECKING:
    from ..selection import Selector
    from ..selection.shell import Command

SHOWN = 10  # options in the live table
# SIGTERM and a closed terminal do what Ctrl-C does: results are kept, commands ended.
ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))

# The order of results does not depend on timing, so that the same seed chooses the same draws.
HOW_MANY = "commands at once; results count in the order asked for, so one that hangs holds up all: see --calls timeout"
WORKERS = typer.Option("-j", "--workers", help=HOW_MANY)
Seconds = Annotated[float, typer.Option(help="time limit; ends with the result so far", show_default=False)]


class Job(NamedTuple):
    """What to run, and until when; kept as a note in the file of the selection."""

    command: str
    pattern: str | None = None
    workers: int = 1
    stop: float | None = None
    margin: float = 0.0
    calls: dict[str, Any] | None = None
    clock: str | None = None

    @property
    def how(self) -> dict[str, Any]:
        """The settings that every process chooses for itself."""
        from ..selection import Calls

        return {"stop": stop_of(self.stop, self.margin), "calls": Calls(**self.calls or {})}

    def over(self, option: Any, item: Any = None, names: Sequence[str] = ()) -> Command:
        """The command for options and items like these, which prints a number, or several by these names."""
        from .._pool import check_workers
        from ..selection.shell import Command

        check_workers(self.workers)
        columns = list(option) if isinstance(option, dict) else ["option"]
        items = [] if item is None else list(item) if isinstance(item, dict) else ["item"]
        timeout = self.how["calls"].timeout
        how: dict[str, Any] = {"pattern": self.pattern, "timeout": timeout, "numbers": names, "clock": self.clock}
        return Command(self.command, columns, items=items, **how)


@app.command(rich_help_panel=OPTIONS)
@takes("options items budget minimise goal limits seed crn alike calls stop margin")
def run(
    command: Annotated[
        str, typer.Argument(metavar="COMMAND", help="shell command with {option}, {seed} and {item} as placeholders")
    ],
    wanted: Wanted,
    workers: Annotated[int, WORKERS] = 1,
    store: Annotated[
        Place,
        typer.Option(
            parser=place,
            metavar="FILE|ADDRESS",
            help="keep every result in this file or database; the same command continues",
        ),
    ] = None,
    pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="regular expression for the number: (...) of the last match",
            show_default="the last line",
        ),
    ] = None,
    clock: Annotated[
        str | None,
        typer.Option("--time", metavar="wall|cpu", help="the result is how many seconds it took; less is better"),
    ] = None,
    cost: Annotated[str | None, typer.Option(metavar="COLUMN", help="column with the cost of a run")] = None,
    page: Page = None,
    as_json: AsJson = False,
    seconds: Seconds = math.inf,
) -> None:
    """Run a command for each option, most often where it matters, and say which option is best.

    The command prints a number; for best:NAME several, as JSON or as lines NAME=NUMBER. With --time the result is how
    long it took instead. Exits with code 0 if the
    answer is 95 % sure, 3 if it is not, 1 if no command works or the answer cannot be printed.

    Example: varde run "./sim --s {s} --S {S} --seed {seed}" --options designs.csv --min --budget 500 -j 4
    """
    if wanted.options is None or (wanted.budget is None and wanted.items is None):
        missing = "--options" if wanted.options is None else "--budget"
        refuse(
            f"{missing} is missing: write varde run 'COMMAND {{option}} --seed {{seed}}' --options a,b,c --budget 200"
        )
    if clock is not None:  # common random numbers: in turn, so that what slows the machine down affects all alike
        wanted = replace(wanted, minimise=wanted.minimise or wanted.goal is None, crn=True)
    check_page("--html", page)
    ready(positive, "--seconds", seconds, "how long it may take, more than 0")
    job = Job(command, pattern, workers, wanted.stop, wanted.margin, wanted.calls, clock)
    selector = ready(begin, job, wanted, cost, store)
    finish(selector, job, store, page, as_json, seconds)


def begin(job: Job, wanted: Wanted, cost: str | None, store: Path | Address | None) -> Selector:
    from ..selection.option_lists import costs_of

    options, tests = wanted.listed(), wanted.tests() or {}
    first, goal = next(iter(options.values()), {"option": ""}), wanted.question()
    # A command that cannot be run is refused before a file is made.
    job.over(first, next(iter(tests.values()), None), goal.names if goal else ())
    selector = wanted.selector(options, store, None if cost is None else costs_of(options, cost))
    if store is not None:
        before = selector.notes.get("run")
        if before is not None and (before["command"], before.get("clock")) != (job.command, job.clock):
            selector.close()
            timed = f" with --time {before['clock']}" if before.get("clock") else ""
            raise ValueError(
                f"{store} was made by another command, {before['command']!r}{timed}: write that one, or another --store"
            )
        selector.note("run", job._asdict())
    return selector


def command_of(job: Job, selector: Selector) -> Command:
    option, item = next(iter(selector.options.values())), next(iter(selector.items.values()), None)
    return job.over(option, item, selector.settings.goal.names)


def finish(
    selector: Selector, job: Job, store: Path | Address | None, page: Path | None, as_json: bool, seconds: float
) -> None:
    """Spend the rest of the budget, and print the result."""
    from ..selection.progress import Display
    from ..selection.select import drive

    runs = command_of(job, selector)
    with selector:
        try:
            with Display(selector, rows=SHOWN) as display, warnings_shown():
                progress = False if as_json else display.tick
                stopped = drive(selector, runs, job.workers, progress=progress, seconds=seconds, signals=ENDING).stopped
        except KeyboardInterrupt:  # a second one
            stopped = "interrupted"
        finally:
            runs.stop()
        found, failure = None, ""
        try:
            found = selector.recommend(stopped)
        except RuntimeError as error:
            failure = str(error)
        except ValueError:  # no result yet
            pass
    given = found is not None and give_answer(found, as_json, page)
    how_to_go_on = "the same command continues" if store is not None else "write --store FILE to be able to continue"
    if stopped == "interrupted":
        say(f"stopped; {how_to_go_on}")
        raise typer.Exit(STOPPED)
    if found is None:
        say(failure or "no result yet: other processes are working on all draws")
        raise typer.Exit(FAILED if failure else UNSURE)
    if found.stopped == "outage":
        say(f"stopped by an outage; {how_to_go_on}")
    raise typer.Exit(exit_code(found) if given else FAILED)


@contextlib.contextmanager
def warnings_shown() -> Iterator[None]:
    """Pauses, and options left out, on standard error."""

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(record.getMessage())

    handler, logger = Shown(logging.WARNING), logging.getLogger("varde")
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
