"""Every number of the report in one table, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Sequence

from ...show.sheet import no_formula
from ..judging.intervals import interval
from ..judging.verdict import verdict
from .load import Result, Skipped

HEAD = ["study", "paper", "part", "problem", "algorithm", "setting", "step", "runs", "seed", "version"]
HEAD += ["value", "stderr", "low", "high", "published", "margin", "verdict", "likely_reason"]


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
