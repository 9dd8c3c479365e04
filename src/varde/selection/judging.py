"""``judge``: a selection from results that are there already: an A/B/n test in a file, a data frame, a dict."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from .._keywords import helpful
from ..show.words import listed, percent
from .batches import Batch, Counts, Summary, batch_of
from .checks import check_bounds
from .goals import Goal, goal_of
from .result import Selection
from .tables import Numbers, columns_of, name_in, table_of

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
) -> Selection[str]:
    """Say which option is best, and how sure that is, from results that are there already.

    >>> import varde
    >>> clicks = {"variant": ["a", "b"], "clicks": [12, 31], "views": [400, 410]}
    >>> varde.judge(clicks, option="variant", value=("clicks", "views")).best
    'b'
    >>> varde.judge({"a": [3.1, 2.9, 3.3], "b": [4.0, 4.4, 3.9]}, goal="min").best
    'a'

    Args:
        data: a CSV or JSON file, a data frame (pandas, polars), a dict of columns, rows as dicts or as pairs of option
            and value, or a dict of options and their results.
        option: the column that says which option a row is about.
        value: the column that holds the results; two columns for successes and trials, three for a mean, its standard
            error and n.
        goal: as in ``select``.
        bounds: ``(0, 1)`` says that all results lie in this range.

    Rows without a result are left out; other columns are not used, and the answer names them.  Of more than a million
    results only counts or moments are kept, so memory stays bounded.  The answer also has the chance for those who
    look again and again, and stop when it is high enough: data that are still being collected are watched.
    """
    asked, limits = goal_of(goal), check_bounds(bounds)
    if asked.names:
        raise ValueError(f"goal is {asked}, and judge compares one number: write another goal, or use a Selector")
    table = table_of(data, columns=option is not None or value is not None)
    used = columns_of(table.heads, option, value)
    tallies: dict[str, Tally] = {}
    number, missing, raw, least = Numbers(table.comma), 0, 0, MOST if not asked.singly else math.inf
    single = len(used.numbers) == 1
    wanted = [(i, used.names[0] if single else table.heads[i]) for i in used.numbers]
    for where, cells in table.lines:
        if isinstance(cells, ValueError):
            raise ValueError(f"{where}: {cells}")
        name = name_in(cells[used.option])
        if name is None:
            missing += 1
            continue
        tally = tallies.get(name)
        if tally is None:
            tally = tallies[name] = Tally()
        try:
            read = [number(cells[i], where, what) for i, what in wanted]
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        parts = [part for part in read if part is not None]
        if len(parts) < len(read):
            missing += 1
            tally.missing += 1
        elif single:
            tally.values.append(parts[0])
            raw += 1
            if raw > least and len(tally.values) >= PIECE:
                tally.fold()
        elif asked.singly:
            raise ValueError(f"goal is {asked}, which needs single results: write value=, a column of them")
        else:
            tally.batches.append(batch_of(where, dict(zip(used.names, parts, strict=True))))
    if not tallies:
        raise ValueError("the data have no rows: write some results")
    if raw > least:
        for tally in tallies.values():
            tally.fold()
        exact = all(tally.binary for tally in tallies.values())
        for tally in tallies.values():
            tally.close(exact)
    return Selection._of(
        list(tallies),
        list(tallies),
        [np.array(tally.values) for tally in tallies.values()],
        batches=[tally.batches for tally in tallies.values()],
        goal=goal,
        bounds=limits,
        stopped="not yet",
        notes=notes_on(used.unused, missing, raw if raw > least else 0, tallies),
    )


class Tally:
    """The results of one option."""

    def __init__(self) -> None:
        self.values, self.batches, self.missing = array("d"), list[Batch](), 0
        self.count, self.mean, self.squares, self.binary, self.ones = 0, 0.0, 0.0, True, 0

    def fold(self) -> None:
        """Replace raw results by their moments."""
        x = np.array(self.values)
        if not x.size:
            return
        self.values = array("d")
        self.binary = self.binary and bool(np.isin(x, (0.0, 1.0)).all())
        self.ones += int((x == 1.0).sum())
        mean, both = float(x.mean()), self.count + x.size
        away = mean - self.mean
        self.squares += float(((x - mean) ** 2).sum()) + away * away * self.count * x.size / both
        self.mean += away * x.size / both
        self.count = both

    def close(self, exact: bool) -> None:
        """All results as one batch: counts if all are 0 or 1, which loses nothing, else a summary."""
        if exact:
            self.batches.append(Counts(self.ones, self.count))
        elif self.count > 1:
            self.batches.append(Summary(self.mean, math.sqrt(self.squares / (self.count - 1) / self.count), self.count))
        elif self.count:
            self.values = array("d", [self.mean])


def notes_on(unused: list[str], missing: int, folded: int, tallies: dict[str, Tally]) -> tuple[str, ...]:
    """What was not used, in words."""
    notes = []
    if unused:
        notes.append(f"Columns that were not used: {listed(unused)}.")
    if missing:
        rows = "1 row has no result and is" if missing == 1 else f"{missing:,} rows have no result and are"
        most = max(tallies, key=lambda name: tallies[name].missing)
        many = tallies[most].missing
        share = many / (many + len(tallies[most].values) + sum(batch.n for batch in tallies[most].batches) or 1)
        worst = f", most of them of {most} ({percent(share)} of its rows)" if many > 1 and len(tallies) > 1 else ""
        notes.append(f"{rows} left out{worst}: if that depends on the result, the means are biased.")
    if folded and not all(isinstance(batch, Counts) for tally in tallies.values() for batch in tally.batches):
        notes.append(f"Of {folded:,} results only means and deviations were kept.")
    return tuple(notes)
