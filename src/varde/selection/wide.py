"""Wide tables, in which each option has a column of results: a row for each result is made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..show.words import listed
from .tables import OPTION, Numbers, Table, place_of

SAID = "Each column was read as an option: {}. If a column says which option a row is about, write option=."


def in_rows(table: Table, columns: Sequence[str] | None, others: Sequence[str]) -> tuple[Table, str]:
    """The columns option and value, and those that hold no results; and what to say of it.

    ``columns`` are those of results.  Without them a table is wide if no column has a name that is usual for options,
    and all but ``others`` and those that count the rows hold numbers of one kind: all whole, or all not.
    """
    if columns is None and any(head.lower() in OPTION for head in table.heads):
        return table, ""
    lines = list(table.lines)
    table = table._replace(lines=lines)
    places = found(table, others) if columns is None else [place_of(table, "option", column) for column in columns]
    if len(places) < 2:
        return table, ""
    names = [table.heads[i] for i in places]
    beside = [i for i, head in enumerate(table.heads) if i not in places]

    def cells() -> Iterator[tuple[str, Sequence[Any] | ValueError]]:
        for where, line in lines:
            if isinstance(line, ValueError):
                yield where, line
                continue
            for i, name in zip(places, names, strict=True):
                yield f"{where}, {name}", [name, line[i], *(line[j] for j in beside)]

    heads = ["option", "value", *(table.heads[i] for i in beside)]
    return table._replace(heads=heads, lines=cells()), SAID.format(listed(names)) if columns is None else ""


def found(table: Table, others: Sequence[str]) -> list[int]:
    """The columns of results; none if the table cannot be wide."""
    places, kinds = [], set()
    for i, head in enumerate(table.heads):
        if head in others:
            continue
        try:
            read = Numbers(table.comma)
            numbers = [read(line[i], where, head) for where, line in table.lines if not isinstance(line, ValueError)]
        except ValueError:
            return []
        known = [number for number in numbers if number is not None]
        if not known or not head or counts_rows(numbers):
            continue
        places.append(i)
        kinds.add(all(number.is_integer() for number in known))
    return places if len(kinds) == 1 else []


def counts_rows(numbers: Sequence[float | None]) -> bool:
    """1, 2, 3, ... from any number on."""
    first = numbers[0]
    return len(numbers) > 2 and first is not None and all(x == first + i for i, x in enumerate(numbers))
