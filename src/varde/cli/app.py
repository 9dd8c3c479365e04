"""The application that every command belongs to, and its output."""

from __future__ import annotations

import sys
from typing import Annotated, Any, NoReturn, TextIO, cast

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
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Decide well from noisy samples: Variance Driven Exploration."""


def refuse(message: str) -> NoReturn:
    """Print what is wrong and exit with the code of a usage error."""
    print(f"varde: {message}", file=sys.stderr)
    raise typer.Exit(2)


def out() -> Console:
    """Standard output; wide enough for a table if it is not a terminal.  Names in [brackets] are not markup."""
    console = Console(markup=False, file=plain_file())
    return console if console.is_terminal else Console(width=120, markup=False, file=plain_file())


PLAIN = {
    "✓": "+",
    "✗": "x",
    "◐": "/",
    "≈": "~",
    "→": "->",
    "…": "..",
    "·": "-",
    "±": "+-",
    "\u2212": "-",
    "\u00a0": " ",
}


class Plain:
    """Standard output of a terminal without these characters."""

    def __init__(self, file: TextIO):
        self.file = file

    def write(self, text: str) -> int:
        for sign, plain in PLAIN.items():
            text = text.replace(sign, plain)
        encoding = self.file.encoding or "ascii"
        return self.file.write(text.encode(encoding, "replace").decode(encoding))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def plain_file() -> TextIO | None:
    """A file that replaces characters the terminal lacks; None if it has them all."""
    try:
        "".join(PLAIN).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return cast("TextIO", Plain(sys.stdout))
    return None
