"""Every number of the report in one table, for a spreadsheet or a data frame."""

from __future__ import annotations

from collections.abc import Sequence

from ..._table import Entry, Sheet
from ..judging.intervals import interval
from ..judging.verdict import verdict
from .load import Result, Skipped

HEAD = ["study", "paper", "part", "problem", "algorithm", "setting", "step", "runs", "seed", "version"]
HEAD += ["value", "stderr", "low", "high", "published", "margin", "verdict", "more_runs", "likely_reason"]


def as_csv(results: Sequence[Result], skipped: Sequence[Skipped]) -> str:
    """One line per number.

    ``part`` is the part of the paper, or "beyond"; ``low`` and ``high`` are the 95 % interval; a number within
    ``margin`` of the published one is the same; ``more_runs`` would probably decide what these runs cannot tell.
    """
    lines: list[list[Entry]] = []
    for result in results:
        paper = result.paper.title if result.paper else ""
        part = "beyond" if result.further else result.paper.part_of(result.name) if result.paper else ""
        for row in result.rows:
            low, high = interval(result.study, row) or (None, None)
            judged = None if row.published is None else verdict(result.study, row)
            what = (row.problem, row.algorithm, row.setting, row.step, row.runs, result.seed, result.version)
            lines.append([result.name, paper, part, *what, row.value, row.stderr, low, high, row.published])
            lines[-1] += [judged.margin, judged.word, judged.more or None] if judged else [None, None, None]
            lines[-1].append(row.reason)
    return Sheet(HEAD, lines).csv()
