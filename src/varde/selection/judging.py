"""``judge``: a selection from results that are there already: an A/B/n test in a file, a data frame, a dict."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .._keywords import helpful
from ..certainty.assumptions import Note
from ..check import as_float, refuse
from ..show.words import listed, percent
from .batches import Batch, Counts, Summary, batch_of
from .checks import check_bounds
from .evidence import Evidence
from .goals import Goal, goal_of
from .reasons import detail
from .result import Selection
from .tables import Table, results_of, table_of

MOST = 1_000_000  # raw results; of more, counts or moments are kept
PIECE = 65_536  # results that are summarised together


@helpful(
    budget="the results are there already; write varde.select(function, options, budget) to make some",
    columns="write option= and value=, the names of two columns",
    metric="write value={}, the column that holds the results",
    group="write option={}, the column that says which option a row is about",
)
def judge(
    data: Any,
    *,
    option: str | None = None,
    value: str | Sequence[str] | None = None,
    goal: Literal["max", "min"] | Goal = "max",
    bounds: tuple[float, float] | None = None,
    time: str | Literal[False] | None = None,
) -> Selection[str]:
    """Say which option is best, and how sure that is, from results that are there already.

    >>> import varde
    >>> clicks = {"variant": ["a", "b"], "clicks": [12, 31], "views": [400, 410]}
    >>> varde.judge(clicks, option="variant", value=("clicks", "views")).best
    'b'
    >>> varde.judge({"a": [3.1, 2.9, 3.3], "b": [4.0, 4.4, 3.9]}, goal="min").best
    'a'

    Args:
        data: a CSV file, a data frame (pandas, polars), a dict of columns, rows as dicts, or a dict of options and
            their results.
        option: the column that says which option a row is about.
        value: the column that holds the results; two columns for successes and trials, three for a mean, its standard
            error and n.
        goal: as in ``select``.
        bounds: ``(0, 1)`` says that all results lie in this range.
        time: the column that says when a result came; False if the order of the rows means nothing.  Otherwise rows are
            in order of time, unless every option is sorted by size.

    Rows without a result are left out; other columns are not used, and the answer names them.  Of more than a million
    results only counts or moments are kept, so memory stays bounded.  The answer also has the chance for those who
    look again and again, and stop when it is high enough: data that are still being collected are watched.
    """
    asked, limits = goal_of(goal), check_bounds(bounds)
    if asked.names:
        raise ValueError(f"goal is {asked}, and judge compares one number: write another goal, or use a Selector")
    table = table_of(data, option is not None or value is not None)
    timed = isinstance(time, str)
    if timed:
        table = in_order_of(table, str(time))
    elif time not in (None, False):
        refuse("time", time, "the name of a column, or False", TypeError)
    read = results_of(table, option, value, draws=False)
    tallies: dict[str, Tally] = {}
    missing, raw, least = 0, 0, math.inf if asked.singly else MOST
    for row, (where, cells) in enumerate(read.rows):
        if isinstance(cells, ValueError):
            raise ValueError(f"{where}: {cells}")
        name = cells.pop("draw")
        if name is None:
            missing += 1
            continue
        tally = tallies.get(name)
        if tally is None:
            tally = tallies[name] = Tally()
        if not cells:
            missing += 1
            tally.missing += 1
        elif len(cells) == 1 and "value" in cells:
            tally.values.append(cells["value"])
            tally.rows.append(row)
            raw += 1
            if raw > least and len(tally.values) >= PIECE:
                tally.fold()
        elif asked.singly:
            raise ValueError(f"goal is {asked}, which needs single results: write value=, a column of them")
        else:
            tally.batches.append(batch_of(where, cells))
    if not tallies:
        raise ValueError("the data have no rows: write some results")
    return Selection.of(
        Evidence(
            list(tallies),
            list(tallies),
            [np.array(tally.values) for tally in tallies.values()],
            batches=[tally.batches for tally in tallies.values()],
            goal=goal,
            bounds=limits,
            stopped="not yet",
            ordered=time is not False,
            times=[np.array(tally.rows) for tally in tallies.values()] if timed and raw <= least else None,
            notes=notes_on([name for name in read.unused if name != time], missing, raw if raw > least else 0, tallies),
        )
    )


class Tally:
    """The results of one option."""

    def __init__(self) -> None:
        self.values, self.rows = array("d"), array("q")
        self.batches, self.missing = list[Batch](), 0

    def fold(self) -> None:
        """Replace raw results by one batch: counts if all are 0 or 1, which loses nothing, else a summary."""
        x = np.array(self.values)
        ones = int((x == 1.0).sum())
        is_count = ones + int((x == 0.0).sum()) == x.size
        sem = float(x.std(ddof=1)) / math.sqrt(x.size)
        self.batches.append(Counts(ones, x.size) if is_count else Summary(float(x.mean()), sem, x.size))
        self.values = array("d")


def notes_on(unused: list[str], missing: int, folded: int, tallies: dict[str, Tally]) -> list[Note]:
    """What was not used, in words."""
    notes = []
    if unused:
        notes.append(detail("unused", f"Columns that were not used: {listed(unused)}.", len(unused)))
    if missing:
        rows = "1 row has no result and is" if missing == 1 else f"{missing:,} rows have no result and are"
        most = max(tallies, key=lambda name: tallies[name].missing)
        many = tallies[most].missing
        share = many / (many + len(tallies[most].values) + sum(batch.n for batch in tallies[most].batches) or 1)
        worst = f", most of them of {most} ({percent(share)} of its rows)" if many > 1 and len(tallies) > 1 else ""
        text = f"{rows} left out{worst}: if that depends on the result, the means are biased."
        notes.append(Note("missing", (most,), missing, text))
    if folded and any(isinstance(batch, Summary) for tally in tallies.values() for batch in tally.batches):
        notes.append(detail("folded", f"Of {folded:,} results only means and deviations were kept.", folded))
    return notes


def in_order_of(table: Table, column: str) -> Table:
    """The rows from the first to the last in time."""
    if column not in table.heads:
        raise ValueError(f"time is {column!r}, and the columns are {listed(table.heads)}: write one of those, or False")
    place = table.heads.index(column)

    def when(line: Any) -> Any:
        cell = None if isinstance(line[1], ValueError) or place >= len(line[1]) else line[1][place]
        number = as_float(cell) if not isinstance(cell, str) else number_in(cell)
        return (2, 0.0, "") if cell in (None, "") else (1, 0.0, str(cell)) if number is None else (0, number, "")

    return table._replace(lines=sorted(table.lines, key=when))


def number_in(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
