"""The report on a folder of results: a page and a table.

``write_report`` reads the results files of a folder, and the block store next to them if there is one, and writes
``report.html`` and ``report.csv``.  The same folder gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..results import NoResultsError, write
from .load import Result, Skipped, load
from .page import as_html
from .table import as_csv
from .text import in_short

__all__ = ["NoResultsError", "Result", "in_short", "load", "write_files", "write_report"]


def write_report(folder: str | Path, out: str | Path | None = None) -> list[Path]:
    """Write the report on the results in ``folder`` into it, or into ``out``; returns their paths.

    Raises NoResultsError, which says what to do, if there is nothing to report on.
    """
    results, skipped = load(Path(folder))
    return write_files(results, skipped, Path(folder if out is None else out))


def write_files(results: Sequence[Result], skipped: Sequence[Skipped], target: Path) -> list[Path]:
    written = []
    for name, make in (("report.html", as_html), ("report.csv", as_csv)):
        written.append(target / name)
        write(written[-1], make(results, skipped))
    return written
