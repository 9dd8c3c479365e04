"""Every number of the report in one table, for a spreadsheet or a data frame."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from ...paper.reasons import likely
from .load import Left, Result
from .tally import apart

HEAD = ["study", "part", "problem", "algorithm", "setting", "step", "runs", "seed", "version"]
HEAD += ["value", "stderr", "low", "high", "published", "deviation", "verdict", "likely_reason"]


def safe(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else text


def as_csv(results: Sequence[Result], left_out: Sequence[Left]) -> str:
    """``part`` is "paper" or "beyond"; ``low`` and ``high`` are the 95 % interval; ``deviation`` in standard errors."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(HEAD)
    for result in results:
        for row in result.rows:
            low, high = result.interval(row) or ("", "")
            told = row.verdict is not None
            table.writerow(
                [
                    safe(result.name),
                    "paper" if result.of_the_paper else "beyond",
                    *map(safe, (row.problem, row.algorithm, row.setting)),
                    row.step,
                    row.runs,
                    result.seed,
                    safe(result.version),
                    row.value,
                    row.stderr,
                    low,
                    high,
                    "" if row.published is None else row.published,
                    f"{apart(result, row):.3f}" if told else "",
                    row.verdict or "",
                    likely(result.name, row) if told and row.verdict != "reproduced" else "",
                ]
            )
    return text.getvalue().encode("utf-8", "replace").decode()
