"""The report on a folder of results: a page and a table.

``write_report`` reads the results files of a folder, and the block store next to them if there is one, and writes
``report.html`` and ``report.csv``.  The same folder gives the same bytes.
"""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Sequence
from pathlib import Path

from ...show.sheet import no_formula
from ..judging.intervals import interval
from ..judging.verdict import verdict
from ..results import NoResultsError, write
from .load import Result, Skipped, load
from .page import as_html
from .words import in_short

__all__ = ["NoResultsError", "Result", "in_short", "load", "write_files", "write_report"]

HEAD = ["study", "paper", "part", "problem", "algorithm", "setting", "step", "runs", "seed", "version"]
HEAD += ["value", "stderr", "low", "high", "published", "margin", "verdict", "likely_reason"]


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


def as_csv(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    """One line per number.

    ``part`` is the part of the paper, or "beyond"; ``low`` and ``high`` are the 95 % interval; a number within
    ``margin`` of the published one is the same.
    """
    text, safe = io.StringIO(), functools.cache(no_formula)  # names and settings come again and again
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEAD)
    for result in results:
        study = result.study
        paper = result.paper.title if result.paper else ""
        part = "beyond" if result.further else result.paper.part_of(result.name) if result.paper else ""
        for row in result.rows:
            named = map(safe, (result.name, paper, part or "", row.problem, row.algorithm, row.setting))
            made = row.step, row.runs, result.seed, safe(result.version)
            measured = row.value, row.stderr, *(interval(study, row) or ("", ""))
            judged: tuple[str | float, ...] = ("", "", "")
            if row.published is not None:
                found = verdict(study, row)
                judged = row.printed, found.margin, found.word
            table.writerow((*named, *made, *measured, *judged, safe(row.reason)))
    return text.getvalue().encode("utf-8", "replace").decode()
