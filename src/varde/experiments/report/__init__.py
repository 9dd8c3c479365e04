"""A folder of results as a page to read, a text to paste and a table to compute with.

``write_report`` reads the results files of a folder, and the block store beside them where there is one, and writes
``report.html``, ``report.md`` and ``report.csv``.  The same folder gives the same bytes.
"""

from __future__ import annotations

from pathlib import Path

from ..results import NoResultsError, write
from .as_csv import as_csv
from .as_html import as_html
from .as_markdown import as_markdown
from .load import Result, load

__all__ = ["NoResultsError", "Result", "load", "write_report"]


def write_report(folder: str | Path, out: str | Path | None = None) -> list[Path]:
    """Write the report on the results in ``folder`` into it, or into ``out``; returns the three paths.

    Raises NoResultsError, with what to do, where there is nothing to report on.
    """
    folder = Path(folder)
    target = Path(out) if out is not None else folder
    results, skipped = load(folder)
    written = []
    for name, make in (("report.html", as_html), ("report.md", as_markdown), ("report.csv", as_csv)):
        written.append(target / name)
        write(written[-1], make(results, skipped))
    return written
