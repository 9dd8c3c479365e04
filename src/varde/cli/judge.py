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
    from ..selection.judging import Groups


@app.command(rich_help_panel=OPTIONS)
@takes("minimise goal")
def judge(
    file: Annotated[Path, typer.Argument(help="results: CSV with commas, semicolons or tabs")],
    wanted: Wanted,
    option: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="which option a row is about; or A,B: a column for each")
    ] = None,
    value: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="the results; or two: successes,trials; or three: mean,sem,n"),
    ] = None,
    control: Annotated[str | None, typer.Option(metavar="OPTION", help="say how much better the others are")] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="whose result it is: those of one person count as one")
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="COLUMN", help="groups: an answer for each")] = None,
    time: Annotated[str | None, typer.Option(metavar="COLUMN", help="when a result came")] = None,
    no_time: Annotated[bool, typer.Option("--no-time", help="the order of the rows means nothing")] = False,
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
    if by is not None and page is not None:
        refuse("--by gives several answers, and a page has one: leave --html out, or --by")
    options, columns = (given.split(",") if given is not None and "," in given else given for given in (option, value))
    how: Any = {"option": options, "value": columns, "control": control, "unit": unit, "by": by}
    how["time"] = False if no_time and time is None else time

    def answer() -> Selection | Groups:
        try:
            return judged(file, goal=asked, **how)
        except ValueError as error:
            said = re.sub(r"\b(option|value|control|unit|time|by)=(?=(\W))", r"--\1", str(error))
            said = said.replace("[...]", " A,B")
            raise ValueError(said) from None

    found = ready(answer)
    groups = {None: found} if by is None else found
    sure = [exit_code(each) for each in groups.values()]
    raise typer.Exit(max(sure) if give_answer(found, as_json, page) else FAILED)
