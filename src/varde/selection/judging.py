"""``judge``: a selection from results that are there already: an A/B/n test in a file, a data frame, a dict."""

from __future__ import annotations

import json
import math
import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from .._keywords import helpful
from ..certainty.assumptions import Note
from ..check import as_float, refuse
from ..show.words import listed, percent
from .batches import Batch, Counts, Summary, batch_of
from .checks import check_bounds
from .evidence import Evidence
from .goals import Goal, goal_of
from .lifts import Known, lift
from .reasons import detail
from .result import Selection
from .tables import Table, name_in, place_of, results_of, table_of
from .wide import in_rows

ORDER = {"trend", "correlated", "cycle"}  # what only an order shows
MOST = 1_000_000  # raw results; of more, counts or moments are kept
WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,15})", re.ASCII)  # options that are whole numbers
PIECE = 65_536  # results that are summarised together


@overload
def judge(
    data: Any,
    *,
    option: str | Sequence[str] | None = ...,
    value: str | Sequence[str] | None = ...,
    goal: Literal["max", "min"] | Goal = ...,
    bounds: tuple[float, float] | None = ...,
    time: str | Literal[False] | None = ...,
    control: object = ...,
    unit: str | None = ...,
    by: None = ...,
) -> Selection[str | int]: ...
@overload
def judge(
    data: Any,
    *,
    option: str | Sequence[str] | None = ...,
    value: str | Sequence[str] | None = ...,
    goal: Literal["max", "min"] | Goal = ...,
    bounds: tuple[float, float] | None = ...,
    time: str | Literal[False] | None = ...,
    control: object = ...,
    unit: str | None = ...,
    by: str,
) -> Groups: ...
@helpful(
    budget="the results are there already; write varde.select(function, options, budget) to make some",
    columns="write option= and value=, the names of two columns",
    metric="write value={}, the column that holds the results",
    group="write option={}, the column that says which option a row is about",
)
def judge(
    data: Any,
    *,
    option: str | Sequence[str] | None = None,
    value: str | Sequence[str] | None = None,
    goal: Literal["max", "min"] | Goal = "max",
    bounds: tuple[float, float] | None = None,
    time: str | Literal[False] | None = None,
    control: object = None,
    unit: str | None = None,
    by: str | None = None,
) -> Selection[str | int] | Groups:
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
        option: the column that says which option a row is about; or a list of columns, if each option has one.
        value: the column that holds the results; two columns for successes and trials, three for a mean, its standard
            error and n.
        goal: as in ``select``.
        bounds: ``(0, 1)`` says that all results lie in this range.
        time: the column that says when a result came; False if the order of the rows means nothing.  Otherwise rows are
            in order of time, unless every option is sorted by size.
        control: an option; ``lifts`` of the answer are then those of all others over it, absolute and relative.
        unit: the column that says whose result it is, such as a user: results of one unit for an option are averaged,
            and count as one.
        by: a column of groups: a dict with an answer for each.

    Names that differ in case and spaces only are joined, and a note says so; whole numbers are ints.  If each option
    has a column of results, that is noticed where no other column has a name that is usual for options.

    Rows without a result are left out; other columns are not used, and the answer names them.  Of more than a million
    results only counts or moments are kept, so memory stays bounded.  The answer also has the chance for those who
    look again and again, and stop when it is high enough: data that are still being collected are watched.
    """
    asked, limits = goal_of(goal), check_bounds(bounds)
    if asked.names:
        raise ValueError(f"goal is {asked}, and judge compares one number: write another goal, or use a Selector")
    table = table_of(data, option is not None or value is not None)
    if isinstance(time, str):
        table = in_order_of(table, time)
    elif time is not None and time is not False:
        refuse("time", time, "the name of a column, or False", TypeError)
    one, columns = (option, None) if option is None or isinstance(option, str) else (None, list(option))
    said = ""
    if columns is not None and value is not None:
        raise ValueError(f"option names columns of results, and value is {value!r}: leave value= out")
    if one is None and value is None:
        heads = table.heads
        table, said = in_rows(table, columns, [name for name in (time, unit, by) if isinstance(name, str)])
        if table.heads is not heads:
            one, value = "option", "value"
    rest = (one, value, asked, limits, time, control, unit, said)
    if by is None:
        return answer_of(table, *rest)
    return Groups({group: answer_of(some, *rest, by) for group, some in split(table, by).items()}, by)


class Groups(dict[Any, "Selection[str | int]"]):
    """An answer for each group."""

    def __init__(self, answers: Mapping[Any, Selection[str | int]], by: str):
        super().__init__(answers)
        self.by = by

    def __str__(self) -> str:
        return "\n\n".join(f"{self.by}: {group}\n{answer}" for group, answer in self.items())

    def to_json(self) -> str:
        """All answers, by the names of the groups."""
        return json.dumps({str(group): answer.to_dict() for group, answer in self.items()})


def answer_of(
    table: Table,
    option: str | None,
    value: str | Sequence[str] | None,
    asked: Goal,
    bounds: tuple[float, float] | None,
    time: str | Literal[False] | None,
    control: object,
    unit: str | None,
    said: str,
    group: str | None = None,
) -> Selection[str | int]:
    """The answer from the rows of a table."""
    whose: Sequence[Any] | None = None
    if unit is not None:
        place = place_of(table, "unit", unit)
        table = table._replace(lines=list(table.lines))
        whose = [None if isinstance(cells, ValueError) else cells[place] for _, cells in table.lines]
    read = results_of(table, option, value, draws=False)
    tallies: dict[str, Tally] = {}
    missing, raw, least = 0, 0, math.inf if asked.singly or whose is not None else MOST
    for row, (where, cells) in enumerate(read.rows):
        if isinstance(cells, ValueError):
            raise ValueError(f"{where}: {cells}")
        name = cells.pop("draw")
        if name is None:
            missing += 1
            continue
        key = joined(name)
        tally = tallies.get(key)
        if tally is None:
            tally = tallies[key] = Tally()
        tally.spellings[name] += 1
        if not cells:
            missing += 1
            tally.missing += 1
        elif whose is not None:
            if set(cells) != {"value"}:
                raise ValueError(f"unit is {unit!r}, which needs single results: write value=, a column of them")
            tally.units.setdefault(whose[row], []).append((cells["value"], row))
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
    tallies = {tally.name: tally for tally in tallies.values()}
    if whose is not None and bounds is None and all(tally.is_yes_or_no for tally in tallies.values()):
        bounds = 0.0, 1.0  # of shares, too
    for tally in tallies.values():
        tally.average()
    timed = isinstance(time, str)
    unused = [name for name in read.unused if name not in (time, unit, group)]
    evidence = Evidence(
        list(tallies),
        whole(list(tallies)),
        [np.array(tally.values) for tally in tallies.values()],
        batches=[tally.batches for tally in tallies.values()],
        goal=asked.shown,
        bounds=bounds,
        stopped="not yet",
        ordered=time is not False,
        times=[np.array(tally.rows) for tally in tallies.values()] if timed and raw <= least else None,
        notes=notes_on(unused, missing, raw if raw > least else 0, tallies, said),
    )
    found = Selection.of(evidence)
    if time is None and ORDER & {note.code for note in found.noticed}:
        text = "The order of the rows was taken as time: if it means nothing, write time=False (--no-time)."
        found = replace(found, noticed=(*found.noticed, detail("order", text)))
    return found if control is None else over(found, control, evidence.rates)


def over(found: Selection[str | int], control: object, rates: bool) -> Selection[str | int]:
    """The same with the lifts of all others over the control."""
    name = next((name for name in found if joined(name) == joined(str(control))), None)
    if name is None:
        raise ValueError(f"control is {control!r}, and the options are {listed(list(found))}: write one of those")
    if found.goal_record.measure != "mean":
        raise ValueError(f"goal is {found.goal_record}, and lifts are of means: leave control= out")
    known = {row.name: Known(row.n, row.mean, row.sd) for row in found.rows}
    lifts = tuple(lift(other, one, known[name], rates) for other, one in known.items() if other != name)
    return replace(found, lifts=lifts)


def split(table: Table, column: str) -> dict[Any, Table]:
    """The rows of each group, by its commonest spelling; those without one are left out."""
    place, groups, spellings = place_of(table, "by", column), dict[str, list[Any]](), dict[str, Counter[str]]()
    for where, cells in table.lines:
        if isinstance(cells, ValueError):
            raise ValueError(f"{where}: {cells}")
        if (name := name_in(cells[place])) is not None:
            groups.setdefault(joined(name), []).append((where, cells))
            spellings.setdefault(joined(name), Counter())[name] += 1
    names = [commonest(spellings[key]) for key in groups]
    return dict(zip(whole(names), (table._replace(lines=lines) for lines in groups.values()), strict=True))


def joined(name: str) -> str:
    """The same for spellings that differ in case and spaces only."""
    return " ".join(name.split()).casefold()


def commonest(spellings: Counter[str]) -> str:
    """The commonest spelling; a whole number without its decimals."""
    name = " ".join(spellings.most_common(1)[0][0].split())
    return name.removesuffix(".0") if WHOLE.fullmatch(name.removesuffix(".0")) else name


def whole(names: Sequence[str]) -> list[Any]:
    """Numbers, if all are whole ones."""
    return list(map(int, names)) if all(map(WHOLE.fullmatch, names)) else list(names)


def is_blank(cell: Any) -> bool:
    return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))


class Tally:
    """The results of one option."""

    def __init__(self) -> None:
        self.values, self.rows = array("d"), array("q")
        self.batches, self.missing = list[Batch](), 0
        self.spellings = Counter[str]()
        self.units: dict[Any, list[tuple[float, int]]] = {}

    @property
    def name(self) -> str:
        return commonest(self.spellings)

    @property
    def is_yes_or_no(self) -> bool:
        """Whether all results of units are 0 or 1."""
        return all(value in (0.0, 1.0) for results in self.units.values() for value, _ in results)

    def average(self) -> None:
        """One result for each unit; a result without a unit stands alone."""
        for unit, results in self.units.items():
            for some in [[one] for one in results] if is_blank(unit) else [results]:
                self.values.append(math.fsum(value for value, _ in some) / len(some))
                self.rows.append(some[0][1])
        if self.units:
            order = np.argsort(self.rows, kind="stable")
            self.values = array("d", np.array(self.values)[order].tolist())
            self.rows = array("q", np.array(self.rows)[order].tolist())

    def fold(self) -> None:
        """Replace raw results by one batch: counts if all are 0 or 1, which loses nothing, else a summary."""
        x = np.array(self.values)
        ones = int((x == 1.0).sum())
        is_count = ones + int((x == 0.0).sum()) == x.size
        sem = float(x.std(ddof=1)) / math.sqrt(x.size)
        self.batches.append(Counts(ones, x.size) if is_count else Summary(float(x.mean()), sem, x.size))
        self.values = array("d")


def notes_on(unused: list[str], missing: int, folded: int, tallies: dict[str, Tally], said: str) -> list[Note]:
    """What was not used, in words."""
    notes = [Note("wide", tuple(tallies), len(tallies), said)] if said else []
    if unused:
        notes.append(detail("unused", f"Columns that were not used: {listed(unused)}.", len(unused)))
    spelt = {name: len(tally.spellings) for name, tally in tallies.items() if len(tally.spellings) > 1}
    if spelt:
        text = f"{sum(spelt.values()):,} spellings that differ in case and spaces only were joined"
        text = f"{text} as {listed(list(spelt))}."
        notes.append(Note("joined", tuple(spelt), sum(spelt.values()), text))
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
        if cell in (None, ""):
            return 2, 0.0
        return (0, number) if number is not None else (1, counting(str(cell)))

    return table._replace(lines=sorted(table.lines, key=when))


def counting(text: str) -> list[str | int]:
    """A text in parts, so that 9:30 comes before 10:00."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"([0-9]+)", text))]


def number_in(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
