"""``varde time``: which command is fastest."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from .app import OPTIONS, app, out, refuse
from .options import ready
from .run import FAILED, STOPPED, UNSURE

if TYPE_CHECKING:
    from ..timing import Bench


class TwoWords(TyperCommand):
    """A command whose -L takes a name and a list, as in ``-L n 1,2,4``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        joined: list[str] = []
        rest = iter(args)
        for word in rest:
            joined.append(word)
            if word in ("-L", "--parameter-list"):
                name = next(rest, "")
                joined.append(name if "=" in name else f"{name}={next(rest, '')}")
        return super().parse_args(ctx, joined)


@app.command("time", rich_help_panel=OPTIONS, cls=TwoWords)
def time_commands(
    commands: Annotated[
        list[str], typer.Argument(metavar="COMMAND", help="shell commands, each in quotes; {n} stands for a parameter")
    ],
    lists: Annotated[
        list[str] | None,
        typer.Option("-L", "--parameter-list", help="a parameter and its values", metavar="NAME A,B,..."),
    ] = None,
    warm_up: Annotated[
        int, typer.Option("-w", "--warmup", min=0, help="warm-up runs of each command, not counted")
    ] = 1,
    runs: Annotated[
        int | None, typer.Option("-r", "--runs", min=2, help="exactly this many runs of each command")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.0, help="time limit")] = 60.0,
    sure: Annotated[float, typer.Option(help="end when one is the fastest with this probability")] = 0.95,
    margin: Annotated[float, typer.Option(min=0.0, help="relative difference that does not matter")] = 0.01,
    prepare: Annotated[
        str | None, typer.Option("-p", "--prepare", metavar="COMMAND", help="command to run before each run, not timed")
    ] = None,
    ignore: Annotated[bool, typer.Option("-i", "--ignore-failure", help="time commands even if they fail")] = False,
    no_shell: Annotated[bool, typer.Option("-N", "--no-shell", help="run the commands without a shell")] = False,
    shell: Annotated[
        str, typer.Option("-S", "--shell", metavar="PROGRAM", help="shell to run the commands in")
    ] = "/bin/sh",
    json_file: Annotated[
        Path | None, typer.Option("--export-json", help="write every run and the decision to this file")
    ] = None,
    markdown_file: Annotated[
        Path | None, typer.Option("--export-markdown", help="write the table to this file")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="every run and the decision as JSON on standard output")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="no progress line")] = False,
    seed: Annotated[int, typer.Option(help="seed for the order within a round")] = 0,
) -> None:
    """Find the fastest command, and say how sure that is.

    Runs the commands in shuffled rounds for as long as it takes to tell. Exits with code 0 if the answer is sure or the
    difference does not matter, 3 if neither, 1 if a command fails.

    Example: varde time 'sort {n}.txt' 'sort --parallel=4 {n}.txt' -L n small,large
    """
    from ..timing import Bench, Command, TimingError, parameters
    from ..timing.text import as_json as everything
    from ..timing.text import notices, sentence, table

    if not 0.5 <= sure < 1.0:
        refuse(f"--sure is {sure:g}: write a chance from 0.5 to 1, such as 0.95")
    for file in (json_file, markdown_file):
        if file is not None and not file.absolute().parent.is_dir():
            refuse(f"the folder of {file} does not exist: write a file in a folder that does")
    given = [(name, values) for name, _, values in (text.partition("=") for text in lists or ())]

    def make() -> Bench:
        reader = None if no_shell else shell
        every = [Command(text, values, reader) for text in commands for values in parameters(given, text)]
        unused = next((name for name, _ in given if not any(name in command.values for command in every)), None)
        if unused is not None:
            raise ValueError(f"no command has {{{unused}}}: write it where the parameter {unused} goes")
        before = None if prepare is None else Command(prepare, None, reader)
        return Bench(
            every,
            warm_up=warm_up,
            runs=runs,
            seconds=seconds,
            sure=sure,
            margin=margin,
            prepare=before,
            ignore=ignore,
            seed=seed,
        )

    bench = ready(make)
    failed = None
    with progress(not quiet and not as_json) as tick:
        try:
            bench.run(tick)
        except TimingError as error:
            failed = error
    if failed is not None:
        print(f"varde: {failed}", file=sys.stderr)
        raise typer.Exit(FAILED)
    if not any(timing.runs for timing in bench.timings):
        print("varde: stopped before the first round was complete", file=sys.stderr)
        raise typer.Exit(STOPPED)
    if as_json:
        print(json.dumps(everything(bench)))
    else:
        console = out()
        console.print(sentence(bench), highlight=False, markup=False)
        console.print()
        console.print(table(bench).rich())
        for notice in notices(bench):
            console.print(f"Note: {notice}", highlight=False, markup=False)
    if json_file is not None:
        json_file.write_text(json.dumps(everything(bench), indent=2), encoding="utf-8")
    if markdown_file is not None:
        markdown_file.write_text(table(bench).markdown() + "\n", encoding="utf-8")
    if bench.stopped == "interrupted":
        raise typer.Exit(STOPPED)
    decided = bench.found is None or bench.stopped in ("sure", "equal") or bench.found.p_right >= sure
    raise typer.Exit(0 if decided else UNSURE)


@contextmanager
def progress(wanted: bool) -> Iterator[Callable[[Bench], None]]:
    """A function to call after every round: a line on a terminal."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    from ..selection.text import percent, short

    console = Console(stderr=True)
    if not wanted or not console.is_terminal:
        yield lambda bench: None
        return
    with Live(console=console, auto_refresh=False, transient=True) as screen:

        def tick(bench: Bench) -> None:
            leads = (
                "" if bench.found is None else f": {short(bench.best.name)} leads, {percent(bench.found.p_right)} sure"
            )
            screen.update(Text(f"round {bench.round}{leads}; Ctrl-C stops and shows the result so far"), refresh=True)

        yield tick
