"""The application that every command joins, and how commands speak."""

from __future__ import annotations

import sys
from typing import Annotated, NoReturn

import typer
from rich.console import Console

from .. import __version__

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


OPTIONS, WORLDS, STUDIES = "Your options", "Your worlds", "The paper and studies"  # groups of commands


def show_version(wanted: bool) -> None:
    if wanted:
        print(f"varde {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="and no more")
    ] = False,
) -> None:
    """Decide well from noisy samples: Variance Driven Exploration."""


def refuse(message: str) -> NoReturn:
    """Say what is wrong and leave with the code of a usage error."""
    print(f"varde: {message}", file=sys.stderr)
    raise typer.Exit(2)


def out() -> Console:
    """Standard output; wide enough for a table when it is not a terminal."""
    console = Console()
    return console if console.is_terminal else Console(width=120)
