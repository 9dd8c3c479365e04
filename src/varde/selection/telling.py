"""Results as users tell them, one or many: which draws they answer, and the events they cause.

Nothing is changed here: all events are planned first, so that either all of many results are kept or none.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..check import decimal, shown, whole
from .batches import COUNTS, SUMMARY, Batch, batch_of, check_batch
from .checks import called, check_promise, check_value, name_of, some
from .draws import Draw
from .events import Batch as BatchTold
from .events import Event, Note, Tell, check_writable, plain
from .goals.limits import numbers_of
from .ledger import Ledger
from .settings import Settings

WANTED = (
    "pairs of option and value, a dict of options and lists of values, or a table with the columns option and value, "
    "or successes and trials, or mean, sem and n"
)
BATCHES = {*COUNTS, *SUMMARY}
NUMBERS = {"value", *BATCHES}
FIELDS = {"draw", *NUMBERS}
NAMED = 5  # bad rows that an error names
LABEL = "told: "  # how notes about results that must not be told again begin


class AlreadyToldError(ValueError):
    """A draw was told a second result; the first is kept."""


class Told(NamedTuple):
    """The outcome of telling many results."""

    counted: int  # rows, whatever number of trials each stands for; without those of draws that have a result already
    skipped: tuple[tuple[str, str], ...] = ()  # which rows were left out, and why
    before: bool = False  # all of it was told before, under the same label


class Row(NamedTuple):
    """A result, and where it comes from."""

    where: str
    fields: Any  # draw, value, or those of a batch; an exception if it could not be read


class Checked(NamedTuple):
    """A valid result, provided its draw exists."""

    draw: Any
    number: float
    data: dict[str, Any] | None = None
    batch: Batch | None = None


Results = list[tuple[str, Checked | Exception]]  # where each comes from, and it or what is wrong with it


# -- what a user may write ---------------------------------------------------------------------------


def rows_of(results: Any, refuse_option: Callable[[Any], None] = lambda draw: None) -> Iterator[Row]:
    """The rows of the results, whatever their form; ``refuse_option`` an option as the id of a draw."""
    if isinstance(results, Mapping):
        for name, given in results.items():
            single = isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable) or is_single(given)
            for place, value in enumerate([given] if single else given, 1):
                yield Row(f"result {place} of {shown(name)}", fields_of((name_of(name), value)))
    elif hasattr(results, "columns") and hasattr(results, "__getitem__"):
        names = [str(name) for name in results.columns]
        for place, cells in enumerate(zip(*(list(results[name]) for name in results.columns), strict=True), 1):
            yield Row(
                f"row {place}", fields_of({n: cell for n, cell in zip(names, cells, strict=True) if not is_empty(cell)})
            )
    elif isinstance(results, (str, bytes, Draw)) or not isinstance(results, Iterable) or is_single(results):
        raise TypeError(f"results is {shown(results)}: write {WANTED}")
    else:
        for place, given in enumerate(results, 1):
            if type(given) in (tuple, list) and len(given) == 2 and not isinstance(given[0], (Draw, str)):
                refuse_option(given[0])
            yield given if isinstance(given, Row) else Row(f"row {place}", fields_of(given))


def fields_of(given: Any) -> Any:
    """The fields of a pair of draw and value, or of a row by column, the draw or the name of its option under "draw".

    Numbers may be written as text, as the csv module reads them.  An exception if one is wrong.
    """
    if isinstance(given, (tuple, list)) and not isinstance(given, Draw) and len(given) == 2:
        draw, value = given
        names = value.keys() if isinstance(value, Mapping) else set()
        found = {"draw": draw, **(value if names & BATCHES and names <= NUMBERS - {"value"} else {"value": value})}
    elif not isinstance(given, Mapping):
        return {"row": given}
    else:
        found = dict(given)
        key = next((key for key in ("draw", "option", "name") if key in given), None)
        if key is not None:
            found = {"draw": found.pop(key), **found}
            found["draw"] = found["draw"] if key == "draw" else name_of(found["draw"])
    try:
        return {name: number_of(name, part) if name in NUMBERS else part for name, part in found.items()}
    except ValueError as error:
        return error


def number_of(name: str, cell: Any) -> Any:
    """The number in a cell of a table, which may be a text as in a CSV file."""
    number = decimal(cell) if isinstance(cell, str) else cell
    if number is None and isinstance(cell, str):
        point = cell.replace(",", ".")
        if decimal(point) is not None:
            raise ValueError(f"{name} is {shown(cell)}, with a decimal comma: write {point}")
        raise ValueError(f"{name} is {shown(cell)}: write a number, such as 0.5 or 400")
    return number


def is_single(given: Any) -> bool:
    """Whether it is a single number in the form of an array."""
    return getattr(given, "ndim", 1) == 0


def is_empty(cell: Any) -> bool:
    return cell is None or (isinstance(cell, (float, np.floating)) and bool(np.isnan(cell)))


def check_fields(fields: Any) -> None:
    """Refuse an invalid row."""
    if isinstance(fields, Exception):
        raise fields
    if "row" in fields and "draw" not in fields:
        raise TypeError(f"it is {shown(fields['row'])}: write (option, value), or a dict with option and value")
    if fields.get("draw") is None:
        raise ValueError(f"it has {', '.join(map(str, fields)) or 'nothing'}, and no option: write its option too")
    unknown = next((name for name in fields if name not in FIELDS), None)
    if unknown is not None:
        raise ValueError(f"it has {shown(unknown)}: write option and value, or successes, trials, or mean, sem, n")


def check_row(settings: Settings, paired: bool, fields: Any) -> Checked | Exception:
    """A result that can be told, or why it cannot."""
    try:
        check_fields(fields)
        fields = {name: part for name, part in fields.items() if part is not None}
        if fields.keys().isdisjoint(BATCHES):
            return check_value_of(settings, fields["draw"], fields.get("value"))
        return check_batch_of(settings, paired, fields["draw"], fields)
    except (TypeError, ValueError) as error:
        return error


def checked(settings: Settings, paired: bool, rows: Iterable[Row]) -> Results:
    """Results that can be told, or why they cannot: before anybody waits for a lock."""
    return [(row.where, check_row(settings, paired, row.fields)) for row in rows]


def check_value_of(settings: Settings, draw: Any, value: Any) -> Checked:
    """One result, with its further numbers where there are any."""
    names, data = settings.goal.names, None
    if names:
        numbers = numbers_of(called(draw), value, names)
        value, data = numbers[names[0]], plain("the result", {"numbers": numbers})
    return Checked(draw, check_value(draw, value, settings.bounds), data)


def check_batch_of(settings: Settings, paired: bool, draw: Any, fields: Mapping[str, Any]) -> Checked:
    """Many results without their values."""
    what = called(draw)
    if "value" in fields:
        raise ValueError(f"the result of {what} has a value and other fields: write the value, or counts, or a summary")
    batch = batch_of(what, fields)
    check_batch(what, batch, settings.goal, paired, settings.bounds)
    check_promise(what, batch, settings.stop)
    return Checked(draw, batch.mean, batch._asdict(), batch)


def refused(bad: Sequence[tuple[str, Exception]], total: int) -> Exception:
    """One error for all bad rows, of the type of the first."""
    words = [f"{where}: {error}" if where else str(error) for where, error in bad[:NAMED]]
    if len(bad) > NAMED:
        words.append(f"and {len(bad) - NAMED:,} more")
    if total > 1:
        words[0] = f"{len(bad):,} of {total:,} results cannot be told, so none is; {words[0]}"
    kind = next(kind for kind in (AlreadyToldError, TypeError, ValueError) if isinstance(bad[0][1], kind))
    return kind("; ".join(words))


# -- what happened -----------------------------------------------------------------------------------


class Telling:
    """Plans the events of results told in one transaction, before any of them is applied."""

    def __init__(self, ledger: Ledger, draws: Sequence[Any] = ()):
        """``draws`` are answered among the results: a result by name answers another draw."""
        self.ledger, self.next_id = ledger, ledger.next_id
        self.taken = draws and {draw.id if isinstance(draw, Draw) else draw for draw in draws if type(draw) is not str}
        self.answered: set[int] = set()
        self.live: dict[int, deque[int]] | None = None  # pending draws by option, oldest first

    def event(self, told: Checked, now: float) -> Event | None:
        """None if it does not count: another worker with the same draw was first."""
        draw, number, data, batch = told
        ledger, i = self.ledger, -1
        if isinstance(draw, str):
            i = option_of(ledger, draw)
            id = self.next_id if batch else self.oldest(i)
        else:
            id = id_of(ledger, draw)
        kind = BatchTold if batch else Tell
        ticket = None if id in self.answered else ledger.tickets.get(id) or ledger.given_up.get(id)
        if ticket is not None:
            if isinstance(draw, Draw) and draw.seed != ticket.seed:
                raise ValueError(f"{draw} belongs to another selection: tell draws of this one")
            self.answered.add(id)
            return kind(id, ticket.option, number, ticket.replicate, ticket.seed, data, now)
        if i >= 0:
            if ledger.items:
                raise ValueError(
                    f"no draw of {draw!r} is pending, "
                    "and the item that this result is for is not known: use ask, and tell that draw"
                )
            self.next_id += 1
            return kind(id, i, number, data=data, time=now)
        if id in ledger.unsure:
            return None
        raise AlreadyToldError(f"draw {id} already has its result, the first is kept: tell another draw")

    def oldest(self, i: int) -> int:
        """The oldest pending draw of option ``i``, or a new one."""
        if self.live is None:
            self.live = {}
            for id in self.ledger.live:
                self.live.setdefault(self.ledger.tickets[id].option, deque()).append(id)
        waiting = self.live.get(i)
        while waiting:
            if (id := waiting.popleft()) not in self.taken:
                return id
        return self.next_id


def planned(ledger: Ledger, rows: Results, once: str | None, skip: bool) -> tuple[list[Event], Told]:
    """The events of many results and what to say of them; an error if one is bad, unless those are skipped."""
    label = f"{LABEL}{once}"
    if once is not None and label in ledger.notes:
        return [], Told(0, (), True)
    draws = [result.draw for _, result in rows if isinstance(result, Checked)]
    telling, now = Telling(ledger, draws), time.time()
    events, bad = [], []
    for where, result in rows:
        try:
            if isinstance(result, Exception):
                raise result
            events.append(telling.event(result, now))
        except (TypeError, ValueError) as error:
            bad.append((where, error))
    if bad and not skip:
        raise refused(bad, len(rows))
    happened: list[Event] = [event for event in events if event is not None]
    told = Told(len(happened), tuple((where, str(error)) for where, error in bad))
    if once is not None:
        check_writable("once", label)
        happened.append(Note(label, {"counted": told.counted, "skipped": len(bad)}, now))
    return happened, told


def option_of(ledger: Ledger, name: str) -> int:
    i = ledger.numbers.get(name)
    if i is None:
        raise ValueError(f"there is no option {name!r}: write one of {some(ledger.names)}")
    return i


def id_of(ledger: Ledger, draw: Any) -> int:
    id = draw.id if isinstance(draw, Draw) else draw
    if type(id) is not int:
        id = whole("draw", draw, "a draw, its id, or the name of its option", 0)
    if not 1 <= id < ledger.next_id:
        raise ValueError(
            f"there is no draw {id}: write the draw that ask returned, its id, or the name of an option, such as "
            f"{ledger.names[0]!r}"
        )
    return int(id)
