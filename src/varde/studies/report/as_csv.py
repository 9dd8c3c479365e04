"""Every number of the report in one table, for a spreadsheet or a data frame."""

from __future__ import annotations

from collections.abc import Sequence

from ..._table import Sheet
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
    lines = [",".join(HEAD)]
    for result in results:
        paper = result.paper.title if result.paper else ""
        part = "beyond" if result.further else result.paper.part_of(result.name) if result.paper else ""
        known: dict[tuple[str, str, str], str] = {}  # names and settings come again and again
        made = f"{result.seed},{quoted(result.version)}"
        for row in result.rows:
            names = row[:3]
            if names not in known:
                known[names] = quoted(result.name, paper, part or "", *names)
            ends = interval(result.study, row)
            span = "," if ends is None else f"{ends[0]!r},{ends[1]!r}"
            line = f"{known[names]},{row.step},{row.runs},{made},{row.value!r},{row.stderr!r},{span},"
            if row.published is not None:
                judged = verdict(result.study, row)
                line += f"{row.printed},{judged.margin!r},{judged.word},{judged.more or ''},"
            else:
                line += ",,,,"
            lines.append(line + (quoted(row.reason) if row.reason else ""))
    return "\n".join(lines) + "\n"


def quoted(*words: str) -> str:
    """Words for a spreadsheet, none of which it would run as a formula."""
    return Sheet(list(words), []).csv()[:-1]
