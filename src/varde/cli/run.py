"""``varde run`` and ``varde resume``: options that are shell commands."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..check import decimal, positive
from ..selection.address import Address
from .app import FAILED, OPTIONS, STOPPED, UNSURE, app, exit_code, give_answer, refuse, say
from .options import AsJson, Calls, Page, Place, Wanted, check_page, place, ready, stop_of, takes

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
        return Command(self.command, columns, items=items, pattern=self.pattern, timeout=timeout, numbers=names)


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
    cost: Annotated[str | None, typer.Option(metavar="COLUMN", help="column with the cost of a run")] = None,
    page: Page = None,
    as_json: AsJson = False,
    seconds: Seconds = math.inf,
) -> None:
    """Run a command for each option, most often where it matters, and say which option is best.

    The command prints a number; for best:NAME several, as JSON or as lines NAME=NUMBER. Exits with code 0 if the
    answer is 95 % sure, 3 if it is not, 1 if no command works or the answer cannot be printed.

    Example: varde run "./sim --s {s} --S {S} --seed {seed}" --options designs.csv --min --budget 500 -j 4
    """
    if wanted.options is None or (wanted.budget is None and wanted.items is None):
        missing = "--options" if wanted.options is None else "--budget"
        refuse(
            f"{missing} is missing: write varde run 'COMMAND {{option}} --seed {{seed}}' --options a,b,c --budget 200"
        )
    check_page("--html", page)
    ready(positive, "--seconds", seconds, "how long it may take, more than 0")
    job = Job(command, pattern, workers, wanted.stop, wanted.margin, wanted.calls)
    selector = ready(begin, job, wanted, cost, store)
    finish(selector, job, store, page, as_json, seconds)


@app.command(rich_help_panel=OPTIONS)
def resume(
    store: Annotated[
        Place, typer.Argument(parser=place, metavar="FILE", help="the file or address of varde run --store")
    ],
    budget: Annotated[
        str | None, typer.Option(metavar="[+]NUMBER", help="+500 adds to the budget, 2500 sets it")
    ] = None,
    workers: Annotated[int | None, WORKERS] = None,
    calls: Calls = None,
    page: Page = None,
    as_json: AsJson = False,
    seconds: Seconds = math.inf,
    trust: Annotated[
        bool, typer.Option("--trust", help="run a command from another user's file or from a database")
    ] = False,
) -> None:
    """Continue a varde run that was stopped, or give it a larger budget.

    Shows the command in the file, and runs it.
    """
    check_page("--html", page)
    ready(positive, "--seconds", seconds, "how long it may take, more than 0")
    selector, job = ready(go_on, store, budget, {"workers": workers, "calls": calls}, trust)
    say(f"runs {printable(job.command)}")
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
        if before is not None and before["command"] != job.command:
            selector.close()
            raise ValueError(
                f"{store} was made by another command, {before['command']!r}: write that one, or another --store"
            )
        selector.note("run", job._asdict())
    return selector


def printable(text: str) -> str:
    """On one line, without control characters."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def refuse_stranger(store: Path | Address, command: str) -> None:
    """A command from another user's file, or from a database, runs only with ``--trust``."""
    if isinstance(store, Address):
        why = f"others can write to {store}"
    elif hasattr(os, "getuid") and (owner := store.stat().st_uid) != os.getuid():
        why = f"{store} belongs to another user (uid {owner})"
    else:
        return
    raise ValueError(
        f"{why}, and this would run the command in it:\n    {printable(command)}\n"
        "write --trust if that is what you want"
    )


def go_on(store: Path | Address, budget: str | None, changes: dict[str, Any], trust: bool) -> tuple[Selector, Job]:
    from ..selection import Selector

    with Selector.open(store) as file:
        noted = file.notes.get("run")
    if noted is None:
        raise ValueError(f"{store} was not made by varde run, and has no command: write varde ask {store}")
    if not trust:
        refuse_stranger(store, str(noted["command"]))
    noted |= {name: value for name, value in changes.items() if value is not None}
    job = Job(**{name: noted[name] for name in Job._fields if name in noted})
    selector = Selector.open(store, **job.how)
    try:
        if budget is not None:
            extend(selector, budget)
        command_of(job, selector)
    except ValueError:
        selector.close()
        raise
    return selector, job


def command_of(job: Job, selector: Selector) -> Command:
    option, item = next(iter(selector.options.values())), next(iter(selector.items.values()), None)
    return job.over(option, item, selector.settings.goal.names)


def extend(selector: Selector, budget: str) -> None:
    """Add to the budget: +500, or up to a total."""
    amount = decimal(budget)
    if amount is None:
        raise ValueError(f"budget is {budget!r}: write +500 to add, or 2500 for the total")
    more = amount if budget.startswith("+") else amount - (selector.budget or 0.0)
    if more < 0.0:
        raise ValueError(f"budget is {budget}, the file has {selector.budget:g} already: write more, or +500 to add")
    if more > 0.0:
        selector.add_budget(more)


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
    how_to_go_on = (
        f"continue with varde resume {store}" if store is not None else "write --store FILE to be able to continue"
    )
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
