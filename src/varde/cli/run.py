"""``varde run`` and ``varde resume``: options that are shell commands."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import OPTIONS, app, refuse
from .options import Budget, Crn, Listed, Minimise, Retries, Seed, ready
from .table import Display

if TYPE_CHECKING:
    from ..selection import Selection, Selector
    from ..selection.shell import Command

FAILED, UNSURE, STOPPED = 1, 3, 130  # exit codes; 0: sure, 2: misused

JOBS = typer.Option("-j", "--jobs", help="commands at once")
Timeout = Annotated[float | None, typer.Option(help="seconds until a command is ended and counts as failed")]
Page = Annotated[Path | None, typer.Option("--html", help="write a page with the estimates and how sure they are")]
AsJson = Annotated[bool, typer.Option("--json", help="the selection as JSON on standard output")]
Quiet = Annotated[bool, typer.Option("--quiet", help="no live table")]
Seconds = Annotated[float, typer.Option(help="end after so long, with what is known by then", show_default=False)]
Sure = Annotated[float, typer.Option(help="the chance of being the best that counts as sure")]


@app.command(rich_help_panel=OPTIONS)
def run(
    command: Annotated[str, typer.Argument(help="for the shell, with {option} and {seed} where they go")],
    options: Listed = None,
    budget: Budget = None,
    minimise: Minimise = False,
    jobs: Annotated[int, JOBS] = 1,
    store: Annotated[Path | None, typer.Option(help="keep every result in this file: the same command goes on")] = None,
    timeout: Timeout = None,
    retries: Retries = 2,
    pattern: Annotated[
        str | None, typer.Option(help="where the number is: (...) of the last match [default: the last line]")
    ] = None,
    cost: Annotated[str | None, typer.Option(help="column of the options file with the cost of a run")] = None,
    seed: Seed = 0,
    crn: Crn = False,
    stop: Annotated[float | None, typer.Option(help="end early: wrong with at most this chance")] = None,
    margin: Annotated[float, typer.Option(help="with --stop: a difference that does not matter to you")] = 0.0,
    page: Page = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    sure: Sure = 0.95,
    seconds: Seconds = math.inf,
) -> None:
    """Run a command for each option, again and again where it matters, and say which option is the best.

    The command prints a number. Ends with code 0 when the answer is sure, 3 when it is not, 1 when every option fails.

    Example: varde run "./sim --s {s} --S {S} --seed {seed}" --options designs.csv --min --budget 500 -j 4
    """
    if options is None or budget is None:
        missing = "--options" if options is None else "--budget"
        refuse(
            f"{missing} is missing: write varde run 'COMMAND {{option}} --seed {{seed}}' --options a,b,c --budget 200"
        )
    check_page(page)
    job = {"command": command, "pattern": pattern, "timeout": timeout, "jobs": jobs, "stop": stop, "margin": margin}
    selector, runs = ready(begin, job, options, budget, minimise, store, retries, cost, seed, crn)
    finish(selector, runs, jobs, store, page, as_json, quiet, sure, seconds)


@app.command(rich_help_panel=OPTIONS)
def resume(
    store: Annotated[Path, typer.Argument(help="the file of varde run --store")],
    budget: Annotated[str | None, typer.Option(help="+500 adds, 2500 is the whole of it")] = None,
    jobs: Annotated[int | None, JOBS] = None,
    timeout: Timeout = None,
    page: Page = None,
    as_json: AsJson = False,
    quiet: Quiet = False,
    sure: Sure = 0.95,
    seconds: Seconds = math.inf,
) -> None:
    """Go on with a varde run that was stopped, or has a larger budget now."""
    check_page(page)
    changes = {name: value for name, value in (("jobs", jobs), ("timeout", timeout)) if value is not None}
    selector, runs, job = ready(go_on, store, budget, changes)
    finish(selector, runs, job["jobs"], store, page, as_json, quiet, sure, seconds)


def check_page(page: Path | None) -> None:
    """Find out before the work, not after, whether the page can be written."""
    if page is not None and not os.access(page if page.exists() else page.parent, os.W_OK):
        refuse(f"cannot write {page}: write --html with a file of yours")


def begin(
    job: dict[str, Any],
    listed: str,
    budget: float,
    minimise: bool,
    store: Path | None,
    retries: int,
    cost: str | None,
    seed: int,
    crn: bool,
) -> tuple[Selector, Command]:
    from ..selection import Selector
    from ..selection.listing import costs_of, plain, read_options

    options = read_options(listed)
    runs = make_command(job, columns=list(next(iter(options.values()), {"option": ""})))
    selector = Selector(
        plain(options),
        budget,
        goal="min" if minimise else "max",
        seed=seed,
        crn=crn,
        costs=None if cost is None else costs_of(options, cost),
        store=store,
        retries=retries,
        stop=job["stop"],
        margin=job["margin"],
    )
    if store is not None:
        before = selector.noted("run")
        if before is not None and before["command"] != job["command"]:
            selector.close()
            raise ValueError(
                f"{store} was made by another command, {before['command']!r}: write that one, or another --store"
            )
        selector.note("run", job)
    return selector, runs


def go_on(store: Path, budget: str | None, changes: dict[str, Any]) -> tuple[Selector, Command, dict[str, Any]]:
    from ..selection import Selector

    with Selector.open(store) as file:
        job = file.noted("run")
    if job is None:
        raise ValueError(f"{store} was not made by varde run, and has no command: write varde ask {store}")
    job.update(changes)
    selector = Selector.open(store, stop=job.get("stop"), margin=job.get("margin", 0.0))
    try:
        if budget is not None:
            extend(selector, budget)
        first = next(iter(selector.options.values()))
        return selector, make_command(job, list(first) if isinstance(first, dict) else ["option"]), job
    except ValueError:
        selector.close()
        raise


def extend(selector: Selector, budget: str) -> None:
    """Add to the budget: +500, or up to a total."""
    try:
        amount = float(budget)
    except ValueError:
        raise ValueError(f"budget is {budget!r}: write +500 to add, or 2500 for the whole of it") from None
    more = amount if budget.startswith("+") else amount - (selector.budget or 0.0)
    if more < 0.0:
        raise ValueError(f"budget is {budget}, the file has {selector.budget:g} already: write more, or +500 to add")
    if more > 0.0:
        selector.add_budget(more)


def make_command(job: dict[str, Any], columns: list[str]) -> Command:
    from ..selection.shell import Command

    if job["jobs"] < 1:
        raise ValueError(f"--jobs is {job['jobs']}: write 1 or more")
    return Command(job["command"], columns, pattern=job["pattern"], timeout=job["timeout"])


def finish(
    selector: Selector,
    runs: Command,
    jobs: int,
    store: Path | None,
    page: Path | None,
    as_json: bool,
    quiet: bool,
    sure: float,
    seconds: float,
) -> None:
    """Spend what is left of the budget, and say what came out."""
    from ..selection.select import drive

    if not 0.0 < sure < 1.0:
        selector.close()
        refuse(f"--sure is {sure:g}: write a chance between 0 and 1, such as 0.95")
    if not seconds > 0.0:
        selector.close()
        refuse(f"--seconds is {seconds:g}: write how long it may take, more than 0")
    # Whoever ends this politely gets what Ctrl-C gets: results kept, commands ended.
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    with selector:
        try:
            with Display(selector, quiet or as_json) as display:
                stopped = drive(selector, runs, jobs, progress=display.tick, seconds=seconds).stopped
        except KeyboardInterrupt:  # a second one
            stopped = "interrupted"
        finally:
            runs.stop()
            signal.signal(signal.SIGTERM, before)
        found = ready(selector.recommend, stopped) if selector.spent else None
        failing = selector.failing
    if found is not None:
        tell_people(found, page, as_json)
    if stopped == "interrupted":
        how = f"go on with varde resume {store}" if store is not None else "write --store FILE to be able to go on"
        print(f"varde: stopped; {how}", file=sys.stderr)
        raise typer.Exit(STOPPED)
    if found is None and not failing:
        print("varde: no result yet: other processes work on all that can be handed out", file=sys.stderr)
        raise typer.Exit(UNSURE)
    if found is None or len(failing) == len(found.rows):
        name, reason = next(iter(failing.items()))
        print(f"varde: every option fails; {name!r}: {reason}", file=sys.stderr)
        raise typer.Exit(FAILED)
    raise typer.Exit(0 if found.p_best >= sure else UNSURE)


def tell_people(found: Selection, page: Path | None, as_json: bool) -> None:
    print(json.dumps(found.to_dict()) if as_json else found)
    if page is not None:
        found.to_html(page)
