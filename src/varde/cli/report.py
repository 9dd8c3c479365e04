"""``varde report``: the file of a selection, or a folder of results of studies, as a page and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..selection.address import Address
from .app import OPTIONS, app, give_answer, out, refuse
from .options import Place, place, ready


@app.command(rich_help_panel=OPTIONS)
def report(
    source: Annotated[
        Place,
        typer.Argument(
            parser=place,
            metavar="FILE|FOLDER",
            help="a selection: its file or address; or the folder of varde reproduce",
        ),
    ] = "results",
    target: Annotated[
        Path | None, typer.Option("--out", help="where the report goes", show_default="the folder")
    ] = None,
    page: Annotated[Path | None, typer.Option("--html", help="for a selection: write its page here")] = None,
    table: Annotated[Path | None, typer.Option("--csv", help="for a selection: write its table here")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for a selection: everything as JSON")] = False,
) -> None:
    """Report on a selection, or on a folder of results of studies.

    For a selection, says what to take, how sure that is, and where the budget went.
    For a folder, writes report.html and report.csv: published and measured numbers, what holds, what does not, and why.
    """
    stored = isinstance(source, Address)
    if not stored and not source.exists():
        refuse(f"{source} does not exist: write the file of a selection, or the folder that varde reproduce wrote to")
    if not stored and source.name.endswith((".json", ".json.xz")) and source.is_file():
        refuse(f"{source} is a file of results: write the folder it is in, {source.parent}")
    if stored or source.is_file():
        if target is not None:
            refuse(f"{source} is a selection: write --html or --csv with the name of a file")
        report_selection(source, page, table, as_json)
    elif page or table or as_json:
        refuse(f"{source} is a folder: --html, --csv and --json are for the file of a selection")
    else:
        report_studies(source, target)


def report_selection(file: Path | Address, page: Path | None, table: Path | None, as_json: bool) -> None:
    from ..selection import Selector

    with ready(Selector.open, file) as selector:
        found = ready(selector.recommend)
    given = give_answer(found, as_json, page)
    if table is not None:
        ready(found.to_csv, table)
    if not given:
        raise typer.Exit(1)


def report_studies(folder: Path, target: Path | None) -> None:
    from .._files import make_writable
    from ..studies.report import NoResultsError, write_report

    try:
        if target is not None:
            make_writable(target)
        written = write_report(folder, target)
    except NoResultsError as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"cannot write to {target or folder} ({error.strerror}): write --out with a folder of yours")
    names = ", ".join(path.name for path in written)
    out().print(f"Written to {target or folder}: {names}", highlight=False, soft_wrap=True)
