"""``varde report``: a folder of results, or the file of a selection, as a page and a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..selection.address import Address
from .app import STUDIES, app, out, refuse
from .options import Place, place, ready


@app.command(rich_help_panel=STUDIES)
def report(
    source: Annotated[
        Place,
        typer.Argument(
            parser=place,
            metavar="FOLDER|FILE",
            help="the folder of varde reproduce, or a selection: its file or address",
        ),
    ] = "results",
    target: Annotated[
        Path | None, typer.Option("--out", help="where the report goes", show_default="the folder")
    ] = None,
    page: Annotated[Path | None, typer.Option("--html", help="for a selection: write its page here")] = None,
    table: Annotated[Path | None, typer.Option("--csv", help="for a selection: write its table here")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="for a selection: everything as JSON")] = False,
) -> None:
    """Report on a folder of results, or on a selection.

    For a folder, writes report.html, .md and .csv: published and measured numbers, what holds, what does not, and why.
    For a selection, says what to take, how sure that is, and where the budget went.
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


@app.command(rich_help_panel=STUDIES)
def prune(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="the folder of varde reproduce")] = Path("results"),
) -> None:
    """Delete stored blocks that no result in the folder uses any more: those of other code, settings or seeds."""
    from .._files import StoreError
    from ..studies.store import NAME, Blocks, DamagedError

    path = folder / NAME
    if not path.exists():
        refuse(f"there is no {path}: write the folder that varde reproduce wrote to")
    before = path.stat().st_size
    try:
        Blocks(path, read_only=True).close()  # what is damaged, or not ours, is left alone
        with Blocks(path) as store:
            gone, left = store.prune(), len(store)
    except DamagedError as error:
        refuse(f"{error}, and was left unchanged: varde reproduce keeps what can still be read")
    except StoreError as error:
        refuse(str(error))
    after = path.stat().st_size
    print(f"{gone:,} blocks deleted, {left:,} left; {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now")


def report_selection(file: Path | Address, page: Path | None, table: Path | None, as_json: bool) -> None:
    from ..selection import Selector

    with ready(Selector.open, file) as selector:
        found = ready(selector.recommend)
    print(json.dumps(found.to_dict()) if as_json else found)
    for write, path in ((found.to_html, page), (found.to_csv, table)):
        if path is not None:
            ready(write, path)


def report_studies(folder: Path, target: Path | None) -> None:
    from .._files import make_writable
    from ..studies.report import NoResultsError, in_short, load, write_files

    try:
        if target is not None:
            make_writable(target)
        results, skipped = load(folder)
        written = write_files(results, skipped, target or folder)
    except NoResultsError as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"cannot write to {target or folder} ({error.strerror}): write --out with a folder of yours")
    for line in in_short(results):
        out().print(Text(line))
    out().print(f"Written to {written[0].parent}: {', '.join(path.name for path in written)}", highlight=False)
