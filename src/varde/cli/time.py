"""``varde time``: which command is fastest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from .app import FAILED, OPTIONS, STOPPED, UNSURE, app, refuse, say
from .options import ready

if TYPE_CHECKING:
    from ..timing import Bench


@app.command("time", rich_help_panel=OPTIONS)
def time_commands(
    commands: Annotated[list[str], typer.Argument(metavar="COMMAND", help="shell commands, each in quotes")],
    warm_up: Annotated[
        int, typer.Option("-w", "--warmup", min=0, help="warm-up runs of each command, not counted")
    ] = 1,
    runs: Annotated[
        int | None, typer.Option("-r", "--runs", min=2, help="exactly this many runs of each command")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.001, help="time limit")] = 60.0,
    sure: Annotated[float, typer.Option(help="end when one is the fastest with this probability")] = 0.95,
    margin: Annotated[float, typer.Option(min=0.0, help="relative difference that does not matter")] = 0.01,
    prepare: Annotated[
        str | None, typer.Option("-p", "--prepare", metavar="COMMAND", help="command to run before each run, not timed")
    ] = None,
    no_shell: Annotated[bool, typer.Option("-N", "--no-shell", help="run the commands without a shell")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="every run and the decision as JSON on standard output")
    ] = False,
) -> None:
    """Find the fastest command, and say how sure that is.

    Runs the commands in turn for as long as it takes to tell. Exits with code 0 if the answer is sure or the difference
    does not matter, 3 if neither, 1 if a command fails.

    Example: varde time 'sort words.txt' 'sort --parallel=4 words.txt'
    """
    from ..show.screen import Progress
    from ..timing import Bench, Command, TimingError
    from ..timing.text import as_json as everything
    from ..timing.text import progress

    if not 0.5 <= sure < 1.0:
        refuse(f"--sure is {sure:g}: write a chance from 0.5 to 1, such as 0.95")

    def make() -> Bench:
        every = [Command(text, not no_shell) for text in commands]
        before = None if prepare is None else Command(prepare, not no_shell)
        return Bench(every, warm_up, runs, seconds, sure, margin, before)

    bench = ready(make)
    try:
        with Progress() as display:
            bench.run(lambda selector: display.tick(lambda: progress(selector)))
    except TimingError as error:
        say(str(error))
        raise typer.Exit(FAILED) from None
    if not any(timing.runs for timing in bench.timings):
        say("stopped before the first run was complete")
        raise typer.Exit(STOPPED)
    if as_json:
        print(json.dumps(everything(bench)))
    else:
        print(bench)
    raise typer.Exit(STOPPED if bench.stopped == "interrupted" else 0 if bench.decided else UNSURE)
