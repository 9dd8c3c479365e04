"""``varde ask``, ``varde tell`` and ``varde copy``: a selection in a file or a database, from any language."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..check import decimal
from .app import OPTIONS, app, refuse, say
from .options import File, Place, Wanted, place, ready, takes

if TYPE_CHECKING:
    from ..selection import Selector

NOTHING_LEFT, NOTHING_NOW = 1, 3  # exit codes of ask


@app.command(rich_help_panel=OPTIONS)
@takes("options items budget minimise goal limits seed crn alike calls")
def ask(
    file: File,
    wanted: Wanted,
    number: Annotated[int, typer.Option("-n", help="draws, planned together")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object per line")] = False,
) -> None:
    """Print what to evaluate next: for each draw a line with id, option, seed and item (if any), separated by tabs.

    A file keeps its settings; a larger --budget raises the one it has. Exits with code 1 when the selection is over,
    and with 3 when nothing can be handed out now because results are pending.
    """
    if number < 1:
        refuse(f"-n is {number}: write 1 or more")
    with ready(wanted.opened, file) as selector:
        from ..selection.worker import OUTSIDE

        draws = selector.ask(number, worker=OUTSIDE, wait=False)
        over, paused = not draws and selector.done, None if draws else selector.paused
        has = selector.budget
    if wanted.budget is not None and has is not None and wanted.budget < has:
        say(f"{file} already has a budget of {has:,g}, which stays")
    for draw in draws:
        if as_json:
            print(json.dumps({name: value for name, value in draw._asdict().items() if value is not None}))
        else:
            item = [] if draw.item_name is None else [" ".join(draw.item_name.split())]
            print(draw.id, " ".join(draw.name.split()), draw.seed, *item, sep="\t")
    if not draws:
        why = "the selection is over" if over else paused or "all draws are handed out: tell some results first"
        say(f"{why}")
        raise typer.Exit(NOTHING_LEFT if over else NOTHING_NOW)


# Anything that is not an option of tell is an argument: -0.5, -1e-3, and names that begin with a dash.
@app.command(rich_help_panel=OPTIONS, context_settings={"ignore_unknown_options": True})
@takes("options minimise goal")
def tell(
    file: File,
    wanted: Wanted,
    draw: Annotated[
        str | None,
        typer.Argument(
            metavar="DRAW", help="id of the draw or name of the option; - reads lines of id and value from stdin"
        ),
    ] = None,
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="the result")] = None,
    failed: Annotated[str | None, typer.Option("--failed", metavar="WHY", help="the draw failed, and why")] = None,
    results: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar="RESULTS",
            help="many results, CSV or JSON: option and value, or successes, trials, or mean, sem, n; - is stdin",
        ),
    ] = None,
    option: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="of --file: which says what option a row is about")
    ] = None,
    column: Annotated[
        str | None, typer.Option("--value", metavar="COLUMN", help="of --file: the results, as for varde judge")
    ] = None,
    skip: Annotated[bool, typer.Option("--skip", help="skip bad rows of --file, and list them")] = False,
) -> None:
    """Record the result of a draw, or many results from a file; they are on disk when this returns."""
    if results is not None:
        if draw is not None or failed is not None:
            refuse(f"--file has the results: leave {draw or '--failed'} out")
        with ready(wanted.opened, file) as selector:
            tell_file(selector, results, option, column, skip)
            say_where(selector)
        return
    if draw is None or (draw != "-" and (value is None) == (failed is None)):
        refuse('there is no result: write a draw and a number, or --failed "the reason", or --file with many results')
    if skip or option or column or wanted != Wanted():
        refuse("--skip, --option, --value, --options, --min and --goal are for many results: write --file too")
    from ..selection import Selector

    with ready(Selector.open, file) as selector:
        if draw == "-":
            for where, line in enumerate(sys.stdin, 1):
                parts = line.rstrip("\n").rsplit("\t" if "\t" in line else None, 1)
                if len(parts) == 2:
                    answer(selector, parts[0], parts[1], None, f"line {where}: ")
                elif line.strip():
                    refuse(f"line {where}: it is {line.strip()!r}: write the draw, a space and its value")
        else:
            answer(selector, draw, value, failed)
        say_where(selector)


def tell_file(selector: Selector, name: str, option: str | None, column: str | None, skip: bool) -> None:
    """Tell all results of a file, or none if one of them is bad; the same file adds nothing the second time."""
    from ..selection.tables import read_results

    where = "standard input" if name == "-" else name
    if name != "-" and not Path(name).is_file():
        refuse(f"there is no file {name}: write --file with a file of yours, or - for standard input")
    found = sys.stdin.buffer.read() if name == "-" else ready(Path(name).read_bytes)
    label = None if name == "-" else f"file {hashlib.sha256(found).hexdigest()[:24]}"
    try:
        read = read_results(found, option, column.split(",") if column else None, selector.settings.goal.names)
        rows = list(read.rows)
        if not rows:
            raise ValueError("there are no results in it: write a line for each")
        told = selector.tell_many(rows, once=label, skip=skip)
    except (TypeError, ValueError) as error:
        refuse(f"{where}: {error}")
    for line, why in told.skipped:
        say(f"{where}: {line} is left out: {why}")
    if read.unused:
        say(f"{where}: unused columns: {', '.join(read.unused)}")
    if told.before:
        say(f"{where} was told before and adds nothing; write --file - < {where} to count it again")
    else:
        print(f"{told.counted:,} of {len(rows):,} rows told", file=sys.stderr)


def say_where(selector: Selector) -> None:
    spent, budget, leader = selector.spent, selector.budget, selector.leader
    of = "" if budget is None else f" of {budget:,g}"
    print(f"{spent:,g}{of} spent; ahead: {leader or 'none yet'}", file=sys.stderr)


@app.command(rich_help_panel=OPTIONS)
def copy(
    file: Annotated[Place, typer.Argument(parser=place, metavar="FILE", help="the selection, which may be in use")],
    to: Annotated[Place, typer.Argument(parser=place, metavar="TO", help="where to copy it: a new file or address")],
) -> None:
    """Copy a selection, even while it is in use."""
    from ..selection.log import copy as copy_file

    print(f"{ready(copy_file, file, to):,} events are in {to}", file=sys.stderr)


def answer(selector: Selector, draw: str, value: str | None, failed: str | None, where: str = "") -> None:
    which: Any = int(draw) if draw.isdecimal() else draw
    if failed is not None and isinstance(which, str):
        refuse(f"{which!r} failed, but which draw of it? write the id that varde ask gave")
    try:
        if failed is not None:
            selector.fail(which, failed)
        else:
            selector.tell(which, as_numbers(value) if selector.settings.goal.names else as_number(value))
    except (TypeError, ValueError) as error:
        refuse(f"{where}{error}")


def as_numbers(text: str | None) -> dict[str, Any]:
    from ..selection.goals.text import read_numbers

    found = read_numbers(text or "")
    if found is None:
        raise ValueError(f"the result is {text!r}: write several numbers by name, profit=3.5,latency=140 or JSON")
    return found


def as_number(text: str | None) -> float:
    found = decimal(text or "")
    if found is None:
        raise ValueError(f"the result is {text!r}: write a decimal number, or --failed with the reason")
    return found
