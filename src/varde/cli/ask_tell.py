"""``varde ask`` and ``varde tell``: a selection in a file or a database, from any language."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..check import decimal
from .app import OPTIONS, app, refuse, say
from .options import File, Wanted, ready, takes

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
def tell(
    file: File,
    draw: Annotated[
        str,
        typer.Argument(
            metavar="DRAW", help="id of the draw or name of the option; - reads lines of id and value from stdin"
        ),
    ],
    value: Annotated[str | None, typer.Argument(metavar="VALUE", help="the result")] = None,
    failed: Annotated[str | None, typer.Option("--failed", metavar="WHY", help="the draw failed, and why")] = None,
) -> None:
    """Record the result of a draw; it is on disk when this returns."""
    if draw != "-" and (value is None) == (failed is None):
        refuse('there is no result: write a draw and a number, or --failed "the reason"')
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


def say_where(selector: Selector) -> None:
    spent, budget, leader = selector.spent, selector.budget, selector.leader
    of = "" if budget is None else f" of {budget:,g}"
    print(f"{spent:,g}{of} spent; ahead: {leader or 'none yet'}", file=sys.stderr)


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
