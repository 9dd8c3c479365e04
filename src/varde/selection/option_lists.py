"""Reads options, or items of a fixed test set: ``a,b,c``, or a file with one per line, CSV row or JSON item."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..check import decimal
from .tables import of_csv, sample_of

TABLES = (".csv", ".tsv")
Listing = dict[str, dict[str, Any]]  # name of the option -> its columns, "option" among them; the same of items


def read_options(text: str, what: str = "option") -> Listing:
    """Options by name, each with the columns that a command may use; ``option`` is the name.

    >>> read_options("small,large")
    {'small': {'option': 'small'}, 'large': {'option': 'large'}}

    A row of a CSV file is named by its column ``option`` or ``name``, else by all its columns, as in ``s=20 S=60``.
    With ``what="item"`` the same for items.
    """
    path = Path(text)
    if path.is_file():
        rows = list(rows_of(path, what))
    elif text and path.is_dir():
        raise ValueError(f"{text} is a folder: write --{what}s with a file, or names such as a,b,c")
    elif path.suffix in (".csv", ".tsv", ".json", ".txt"):
        raise ValueError(f"there is no file {text}: write --{what}s with a file of yours, or names such as a,b,c")
    else:
        rows = [{what: name.strip()} for name in next(csv.reader([text], skipinitialspace=True), [])]
    options: Listing = {}
    for place, row in enumerate(rows, 1):
        name = name_of(row, what)
        if not name:
            raise ValueError(f"{what} {place} of {text} has no name: write one, or leave it out")
        if name in options:
            raise ValueError(f"{what} {name!r} comes twice in {text}: write every {what} once")
        if row.keys() != rows[0].keys():
            raise ValueError(
                f"{what} {name!r} of {text} has {', '.join(row)}, the first has {', '.join(rows[0])}: "
                "write the same columns for all"
            )
        if "seed" in row:
            raise ValueError(f"{text} has a column 'seed', which varde fills in itself: write another name for it")
        options[name] = {**row, what: name}
    return options


def rows_of(path: Path, what: str) -> Iterator[dict[str, Any]]:
    if path.suffix == ".json":
        yield from json_rows(path, text_of(path), what)
    elif path.suffix in TABLES:
        yield from table_rows(path)
    else:
        yield from ({what: line.strip()} for line in text_of(path).splitlines() if line.strip())


def text_of(path: Path) -> str:
    """All that is in a file, however its letters are written."""
    return path.read_bytes().decode(sample_of(str(path))[1], "replace")


def table_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Rows of a table whose first line names the columns."""
    names, lines, *_ = of_csv(str(path))
    if len(set(names)) < len(names) or not all(names):
        raise ValueError(f"the first line of {path} is {','.join(names)}: write distinct names of the columns there")
    for where, cells in lines:
        if isinstance(cells, ValueError):
            raise ValueError(f"{where} of {path}: {cells}")
        yield dict(zip(names, (cell.strip() for cell in cells), strict=True))


def json_rows(path: Path, text: str, what: str) -> Iterator[dict[str, Any]]:
    """A list of names or of objects, or an object of values or objects by name."""
    try:
        items = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not JSON ({error}): write a list of {what}s") from None
    if isinstance(items, dict):
        items = [
            {**(value if isinstance(value, dict) else {"value": value}), what: name} for name, value in items.items()
        ]
    if not isinstance(items, list):
        raise ValueError(f"{path} holds a {type(items).__name__}: write a list of {what}s")
    for item in items:
        yield item if isinstance(item, dict) else {what: str(item)}


def name_of(row: dict[str, Any], what: str) -> str:
    for column in (what, "name"):
        if column in row:
            return str(row[column])
    return " ".join(f"{column}={value}" for column, value in row.items())


def plain(options: Listing) -> dict[str, Any]:
    """Plain names, without columns."""
    return {name: name if len(row) == 1 else row for name, row in options.items()}


def costs_of(options: Listing, column: str) -> dict[str, float]:
    """The cost of a run of each option, from one of the columns."""
    for name, row in options.items():
        if column not in row:
            raise ValueError(f"option {name!r} has no column {column!r}: write --cost with one of {', '.join(row)}")
        if not isinstance(row[column], (int, float)) and decimal(str(row[column])) is None:
            raise ValueError(f"the cost of {name!r} is {row[column]!r}: write a number")
    return {name: float(row[column]) for name, row in options.items()}
