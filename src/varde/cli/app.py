"""The application that every command belongs to, and its output."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer
from rich.console import Console

from .. import __version__

if TYPE_CHECKING:
    from ..selection import Selection
    from ..selection.judging import Groups

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)
FAILED, UNSURE, STOPPED = 1, 3, 130  # exit codes; 0: sure, 2: misused
SURE = 0.95  # the chance of being right that counts as sure
OPTIONS, STUDIES = "Your options", "The paper and studies"  # groups of commands


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
    with contextlib.suppress(AttributeError, ValueError):  # closed, or something else in its place
        sys.stdout.reconfigure(errors="varde")  # type: ignore[union-attr]


def say(message: str) -> None:
    """A line on standard error, if anybody reads it."""
    with contextlib.suppress(OSError, ValueError):
        print(f"varde: {message}", file=sys.stderr, flush=True)


def refuse(message: str) -> NoReturn:
    """Print what is wrong and exit with the code of a usage error."""
    say(message)
    raise typer.Exit(2)


def exit_code(found: Selection) -> int:
    return 0 if found.p_right >= SURE else UNSURE


def give_answer(found: Selection | Groups, as_json: bool, page: Path | None) -> bool:
    """Print the answer, and write the page; returns whether that worked.

    The answer may have cost hours: if it cannot be printed it is saved.
    """
    everything = found.to_json()
    if problem := print_or_why_not(everything if as_json else str(found)):
        say(f"the answer could not be printed ({problem}): it is in {save(everything)}")
    if page is not None and not isinstance(found, dict):
        try:
            found.to_html(page)
        except OSError as error:
            problem = str(error)
            say(f"the page could not be written ({problem})")
    return not problem


def print_or_why_not(text: str) -> str:
    if sys.stdout is None or sys.stdout.closed:
        return "standard output is closed"
    try:
        print(text, flush=True)
    except (OSError, ValueError) as error:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  # else Python tries again at the end
        return str(error)
    return ""


def save(text: str) -> Path:
    """A new file with the text, in this folder or else in that for temporary files."""
    for folder in (Path(), Path(tempfile.gettempdir())):
        with contextlib.suppress(OSError):
            handle, name = tempfile.mkstemp(".json", "varde-answer-", folder.resolve())
            with open(handle, "w", encoding="ascii") as file:
                file.write(text + "\n")
            return Path(name)
    print(text, file=sys.stderr)
    return Path("standard error")


def out() -> Console:
    """Standard output; wide enough for a table if it is not a terminal.  Names in [brackets] are not markup."""
    console = Console(markup=False)
    return console if console.is_terminal else Console(width=120, markup=False)


PLAIN = dict(zip("✓✗◐≈→…·±\u2212\u00a0", ("+", "x", "/", "~", "->", "..", "-", "+-", "-", " "), strict=True))


def in_plain(error: UnicodeError) -> tuple[str, int]:
    """Characters that a terminal lacks, in others."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(PLAIN.get(x) or x.encode("ascii", "backslashreplace").decode() for x in letters), error.end


codecs.register_error("varde", in_plain)
