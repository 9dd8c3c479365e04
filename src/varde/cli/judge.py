"""``varde judge``: which option is best, from a file of results."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .app import FAILED, OPTIONS, app, exit_code, give_answer, refuse
from .options import AsJson, Page, Wanted, ready, takes

if TYPE_CHECKING:
    from ..selection import Selection


@app.command(rich_help_panel=OPTIONS)
@takes("minimise goal")
def judge(
    file: Annotated[Path, typer.Argument(help="results: CSV with commas, semicolons or tabs")],
    wanted: Wanted,
    option: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="the column that says which option a row is about")
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="the results; or two: successes,trials; or three: mean,sem,n"),
    ] = None,
    control: Annotated[str | None, typer.Option(metavar="OPTION", help="say how much better the others are")] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="whose result it is: those of one person count as one")
    ] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="when a result came")] = None,
    page: Page = None,
    as_json: AsJson = False,
) -> None:
    """Say which option is best, and how sure that is, from a file of results.

    Rows without a result are left out, other columns are not used; the answer says so. Exits with code 0 if the answer
    is 95 % sure, 3 if it is not.

    Example: varde judge results.csv --option variant --value converted
    """
    from ..selection import judge as judged

    if not file.is_file():
        refuse(f"there is no file {file}: write the path of your results")
    asked: Any = ready(wanted.question) or "max"
    columns = value.split(",") if value is not None and "," in value else value

    def answer() -> Selection[str | int]:
        try:
            return judged(file, option=option, value=columns, goal=asked, control=control, unit=unit, time=time)
        except ValueError as error:
            raise ValueError(re.sub(r"\b(option|value|control|unit|time)=", r"--\1", str(error))) from None

    found = ready(answer)
    raise typer.Exit(exit_code(found) if give_answer(found, as_json, page) else FAILED)
