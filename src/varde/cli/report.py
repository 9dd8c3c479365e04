"""``varde report``: a folder of results as a page, a text and a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .app import app, out, refuse


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(help="where varde reproduce wrote its results")] = Path("results"),
    target: Annotated[Path | None, typer.Option("--out", help="where the report goes [default: the same]")] = None,
) -> None:
    """Write report.html, report.md and report.csv: published and measured, what holds, what does not, and why."""
    from .._files import make_writable
    from ..experiments.report import NoResultsError, write_report

    try:
        if target is not None:
            make_writable(target)
        written = write_report(folder, target)
    except NoResultsError as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"cannot write to {target or folder} ({error.strerror}): write --out with a folder of yours")
    out().print(f"Written to {written[0].parent}: {', '.join(path.name for path in written)}", highlight=False)
