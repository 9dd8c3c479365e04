"""Every number of the report in one table, for a spreadsheet or a data frame."""

from __future__ import annotations

from collections.abc import Sequence

from ..._table import Entry, Sheet
from ..intervals import interval
from ..study import deviation
from .load import Result, Skipped

HEAD = ["study", "part", "problem", "algorithm", "setting", "step", "runs", "seed", "version"]
HEAD += ["value", "stderr", "low", "high", "published", "deviation", "verdict", "likely_reason"]


def as_csv(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    """``part`` is "paper" or "beyond"; ``low`` and ``high`` are the 95 % interval; ``deviation`` in standard errors."""
    lines: list[list[Entry]] = []
    for result in results:
        part = "paper" if result.study.place else "beyond"
        for row in result.rows:
            low, high = interval(result.study, row) or (None, None)
            apart = None if row.published is None else f"{deviation(result.study, row):.3f}"
            what = (row.problem, row.algorithm, row.setting, row.step, row.runs, result.seed, result.version)
            found = (row.value, row.stderr, low, high, row.published, apart, row.verdict, row.reason)
            lines.append([result.name, part, *what, *found])
    return Sheet(HEAD, lines).csv()
