"""Reads files of results: CSV with commas, semicolons or tabs, or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..check import shown
from .batches import COUNTS, SUMMARY
from .telling import Row, is_number, number_of

WHOSE = ("option", "name", "draw")
NUMBERS = ("value", "cost", *COUNTS, *SUMMARY)
HEADS = "option,value or option,successes,trials or option,mean,sem,n"


class Read(NamedTuple):
    """What is in a text."""

    rows: list[Row]
    unused: list[str]  # columns that mean nothing here


def read_results(text: str, names: Sequence[str] = ()) -> Read:
    """The rows of a text; ``names`` are the numbers of a result if it has several.

    >>> read_results("option;value\\na;0.5\\n").rows
    [Row(where='line 2', fields={'draw': 'a', 'value': 0.5})]
    """
    text = text.removeprefix("\ufeff")  # which spreadsheets put in front
    records = list(objects_of(text) if text.lstrip()[:1] in ("{", "[") else cells_of(text, names))
    known = {*WHOSE, *NUMBERS, *names}
    unused = {str(name): None for _, cells in records if isinstance(cells, dict) for name in cells if name not in known}
    rows = [Row(f"line {line}", fields_of(cells, names)) for line, cells in records]
    return Read(rows, list(unused))


def cells_of(text: str, names: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """(line, cells by column) of a table; without a header the columns are option and value."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    between = next((mark for mark in "\t;" if mark in first), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, skipinitialspace=True)
    heads: list[str] | None = None
    try:
        for line in reader:
            cells = [cell.strip() for cell in line]
            if not any(cells):
                continue
            if heads is None:
                heads = heads_of(cells, names)
                if heads is not None:
                    continue
                heads = ["option", "value"]
            if len(cells) > len(heads):
                comma = " (a decimal comma? write a point)" if between == "," else ""
                yield (
                    reader.line_num,
                    ValueError(f"it has {len(cells)} cells under {len(heads)} columns{comma}: write one for each"),
                )
            else:
                yield reader.line_num, {head: cell for head, cell in zip(heads, cells, strict=False) if cell}
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num} cannot be read ({error}): write CSV") from None


def heads_of(cells: list[str], names: Sequence[str]) -> list[str] | None:
    """The names of the columns, or None if there are none and the first line is a result."""
    heads = [cell if cell in names else cell.lower() for cell in cells]
    whose, numbers = [head in WHOSE for head in heads], [head in NUMBERS or head in names for head in heads]
    if any(whose) and any(numbers):
        if len(set(heads)) < len(heads) or sum(whose) > 1:
            raise ValueError(f"the columns are {','.join(cells)}: write each once, and one of option, name and draw")
        return heads
    if len(cells) == 2 and not any(numbers) and not names and (is_number(cells[1]) or "," in cells[1]):
        return None
    raise ValueError(f"the first line is {shown(','.join(cells))}: write the columns there, {HEADS}")


def objects_of(text: str) -> Iterator[tuple[int, Any]]:
    """(line, object) of a JSON list of objects, or of a line each."""
    if text.lstrip().startswith("["):
        try:
            listed = json.loads(text)
        except ValueError as error:
            raise ValueError(f"it is not JSON ({error}): write a list of objects") from None
        yield from enumerate(listed, 1)
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                yield number, ValueError(f"it is {shown(line.strip())}, not JSON ({error}): write an object per line")


def fields_of(cells: Any, names: Sequence[str]) -> Any:
    """A row for ``tell_many``, or what is wrong with it."""
    if isinstance(cells, Exception):
        return cells
    if not isinstance(cells, dict):
        return {"row": cells}
    found: dict[str, Any] = {}
    for name, cell in cells.items():
        try:
            if name in WHOSE:
                text = str(cell)
                found["draw"] = int(text) if name == "draw" and text.isdecimal() else text
            elif name in names:
                found.setdefault("value", {})[name] = number_of(name, cell)
            elif name in NUMBERS and cell is not None:
                found[name] = cell if name == "value" and isinstance(cell, dict) else number_of(name, cell)
        except ValueError as error:
            return error
    return found
