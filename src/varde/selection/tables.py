"""Tables: a CSV file, read line by line, or columns in memory: a data frame, or a dict of columns or of results.

CSV may have commas, semicolons, tabs or bars between its cells, decimal commas unless commas separate the cells, and
missing values.  Other files are read by pandas or polars, which write data frames.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from ..check import LARGEST, as_float, decimal, shown
from ..show.words import listed
from .batches import COUNTS, SUMMARY
from .checks import name_of
from .telling import Row

OPTION = ("option", "name", "variant", "arm", "group")  # columns that name options if nothing else is said
KINDS = {1: ("value",), 2: COUNTS, 3: SUMMARY}  # what so many columns of numbers are
PARTS = {"value", *COUNTS, *SUMMARY}  # columns of results
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "?", "."}
TRUTH = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0, "y": 1.0, "n": 0.0}
CURRENCY = re.compile(r"[$\u00a3\u20ac\u00a5\u20b9]|\b(USD|EUR|GBP|CHF|JPY)\b")
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([,\u00a0\u202f' ][0-9]{3})+(\.[0-9]*)?")
WITH_COMMA = re.compile(r"[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+),[0-9]*([eE][+-]?[0-9]+)?")
BOMS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
SAMPLE = 100_000  # bytes that show how a file is written
WANTED = "a CSV file, a data frame, a dict of columns or of lists of results, or rows as dicts"


class Table(NamedTuple):
    """Columns by name, and the lines below them with where they are, or what is wrong with one."""

    heads: list[str]
    lines: Iterable[tuple[str, Sequence[Any] | ValueError]]
    comma: bool = False  # a comma may be a decimal point


def place_of(table: Table, what: str, column: str) -> int:
    if column not in table.heads:
        raise ValueError(f"{what} is {column!r}, and the columns are {listed(table.heads)}: write one of those")
    return table.heads.index(column)


def table_of(data: Any, columns: bool = False) -> Table:
    """The table; ``columns`` says that a dict holds columns, and not the results of each option."""
    if isinstance(data, (str, os.PathLike)):
        return of_csv(os.fspath(data))
    if isinstance(data, Mapping):
        if columns or not all(is_list(one) and all_numbers(one) for one in data.values()):
            return of_columns(data)
        pairs = ((name, value) for name, values in data.items() for value in as_list(values))
        return Table(["option", "value"], with_places(pairs, "result"))
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return of_columns({str(name): data[name] for name in data.columns})
    if not isinstance(data, Iterable) or isinstance(data, bytes):
        raise TypeError(f"data is {shown(data)}: write {WANTED}")
    rows = iter(data)
    first = list(islice(rows, 1))
    if not first:
        raise ValueError(f"data is empty: write {WANTED}")
    if isinstance(first[0], Mapping):
        return of_dicts(chain(first, rows))
    raise TypeError(f"data has the row {shown(first[0])}: write {WANTED}")


def with_places(rows: Iterable[Any], what: str) -> Iterator[tuple[str, Sequence[Any]]]:
    return ((f"{what} {place}", row) for place, row in enumerate(rows, 1))


def is_list(given: Any) -> bool:
    sized = hasattr(given, "__len__") and hasattr(given, "__iter__")
    return sized and not isinstance(given, (str, bytes, Mapping))


def as_list(given: Any) -> list[Any]:
    return given.tolist() if isinstance(given, np.ndarray) else list(given)


def all_numbers(values: Any) -> bool:
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    return kind in "biuf" if kind else all(value is None or as_float(value) is not None for value in values)


def of_columns(data: Mapping[Any, Any]) -> Table:
    lists = {str(name): as_list(column) for name, column in data.items()}
    sizes = {len(column) for column in lists.values()}
    if len(sizes) > 1:
        raise ValueError(f"the columns have {min(sizes):,} to {max(sizes):,} entries: write as many in each")
    return Table(list(lists), with_places(zip(*lists.values(), strict=True), "row"))


def of_dicts(rows: Iterable[Any]) -> Table:
    every = list(rows)
    for place, row in enumerate(every, 1):
        if not isinstance(row, Mapping):
            raise TypeError(f"row {place} is {shown(row)}: write a dict, as the first row is one")
    heads = list(dict.fromkeys(str(name) for row in every for name in row))
    return Table(heads, with_places(([row.get(head) for head in heads] for row in every), "row"))


def of_csv(path: str) -> Table:
    """A CSV file whose first line names the columns, whatever is between its cells."""
    begin, encoding = sample_of(path)
    first = begin.lstrip().partition("\n")[0]
    if not first:
        raise ValueError(f"{path} is empty: write a file of results")
    outside = re.sub(r'"[^"]*"', "", first)
    between = max(",;\t|", key=lambda mark: (outside.count(mark), mark != "," and mark in outside))
    lines = csv_lines(path, encoding, between)
    heads = [str(cell) for cell in next(lines)[1]]  # type: ignore[union-attr]
    if first.startswith(("[", "{")):
        raise ValueError(f"{path} is not CSV: read it with pandas or polars, and write the data frame")
    return Table(heads, lines, between != ",")


def csv_lines(path: str, encoding: str, between: str) -> Iterator[tuple[str, Sequence[Any] | ValueError]]:
    """The first line and those below it, read one after the other."""
    with open(path, encoding=encoding, errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=between, skipinitialspace=True)
        try:
            heads = [cell.strip() for cell in next((line for line in reader if any(line)), [])]
            yield "line 1", heads
            for cells in reader:
                if len(cells) == len(heads):
                    yield f"line {reader.line_num}", cells
                elif any(cell.strip() for cell in cells):
                    hint = " (a decimal comma? put such cells in quotes, or semicolons between cells)"
                    hint = hint if between == "," and len(cells) > len(heads) else ""
                    many = f"it has {len(cells)} cells under {len(heads)} columns"
                    yield f"line {reader.line_num}", ValueError(f"{many}{hint}: write one for each")
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num} cannot be read ({error}): write CSV") from None


def sample_of(path: str) -> tuple[str, str]:
    """The beginning of a file, and its encoding."""
    with open(path, "rb") as file:
        sample = file.read(SAMPLE)
    encoding = next((encoding for mark, encoding in BOMS.items() if sample.startswith(mark)), "utf-8")
    try:
        sample[: max(len(sample) - 4, 1)].decode(encoding)  # a letter may be cut in two
    except UnicodeDecodeError as error:
        if len(sample) < SAMPLE or error.start < SAMPLE - 8:
            encoding = "cp1252"
    return sample.decode(encoding, "replace"), encoding


# -- results in a table ------------------------------------------------------------------------------


class Read(NamedTuple):
    """The results in a table."""

    rows: Iterator[Row]
    unused: list[str]  # columns


def read_results(
    data: Any, option: str | None = None, value: str | Sequence[str] | None = None, names: Sequence[str] = ()
) -> Read:
    """Results, counts and summaries, which may share a table; ``names`` are the numbers of a result with several.

    Rows without a result are left out.

    >>> list(read_results({"option": ["a"], "value": [0.5]}).rows)
    [Row(where='row 1', fields={'draw': 'a', 'value': 0.5})]
    """
    rows, unused = results_of(table_of(data, columns=True), option, value, names)
    return Read((row for row in rows if isinstance(row.fields, Exception) or len(row.fields) > 1), unused)


def results_of(
    table: Table,
    option: str | None,
    value: str | Sequence[str] | None,
    names: Sequence[str] = (),
    draws: bool = True,
) -> Read:
    """The results in the columns that were named, or in the usual ones; a row may have none, and only its draw.

    ``draws`` may be given in place of options.
    """
    heads, columns = table.heads, ", ".join(table.heads)
    usual = (*OPTION, "draw") if draws else OPTION
    whose = [i for i, head in enumerate(heads) if (head == option if option else head.lower() in usual)]
    if not whose:
        wanted = f"option is {shown(option)}, and the columns are {columns}: write one of them"
        missing = f"the columns are {columns}: write option=, the one that says which option a row is about, "
        missing += "or option=[...], those of results if each option has one"
        raise ValueError(wanted if option else missing)
    if value is None:
        lower = [head if head in names else head.lower() for head in heads]
        parts = {i: head for i, head in enumerate(lower) if i != whose[0] and (head in names or head in PARTS)}
        if not parts and len(heads) == 2:
            parts = {1 - whose[0]: "value"}
        elif not parts:
            raise ValueError(f"the columns are {columns}: write value=, the one that holds the results")
        is_twice = len(set(parts.values())) < len(parts) or (len(whose) > 1 and any(lower[i] == "draw" for i in whose))
        if is_twice:
            raise ValueError(f"the columns are {columns}: write each once, and draw or option")
    else:
        given = [value] if isinstance(value, str) else list(value)
        unknown = next((name for name in given if name not in heads), None)
        if unknown is not None:
            raise ValueError(f"value is {shown(unknown)}, and the columns are {columns}: write one of them")
        if len(given) not in KINDS:
            raise ValueError(f"value has {len(given)} columns: write one, (successes, trials), or (mean, sem, n)")
        parts = {heads.index(name): part for name, part in zip(given, KINDS[len(given)], strict=True)}
    unused = [head for i, head in enumerate(heads) if i != whose[0] and i not in parts]
    return Read(rows_of(table, whose[0], parts, names), unused)


def rows_of(table: Table, whose: int, parts: Mapping[int, str], names: Sequence[str]) -> Iterator[Row]:
    number, is_draw = Numbers(table.comma), table.heads[whose].lower() == "draw"
    for where, cells in table.lines:
        if isinstance(cells, ValueError):
            yield Row(where, cells)
            continue
        found: dict[str, Any] = {"draw": name_in(cells[whose])}
        if is_draw and found["draw"] is not None and found["draw"].isdecimal():
            found["draw"] = int(found["draw"])
        try:
            for i, part in parts.items():
                cell = cells[i] if isinstance(cells[i], Mapping) else number(cells[i], where, part)
                if cell is not None:
                    found[part] = cell
        except ValueError as error:
            yield Row(where, error)
            continue
        if names and (several := {name: found.pop(name) for name in names if name in found}):
            found["value"] = several
        yield Row(where, found)


class Numbers:
    """Reads cells as numbers; refuses a column in which a point cannot be told from a separator of thousands."""

    def __init__(self, comma: bool):
        self.comma = comma
        self.marks: dict[str, str] = {}  # the first cell with a point, and with a comma

    def __call__(self, cell: Any, where: str, name: str) -> float | None:
        """The number; None if it is missing."""
        if type(cell) is not str:
            number = math.nan if cell is None else as_float(cell)
        else:
            cell = CURRENCY.sub("", cell).strip() or cell
            if THOUSANDS.fullmatch(cell) and not (self.comma and "," in cell):
                cell = re.sub(r"[^0-9.+-]", "", cell)
            number = decimal(cell)
            if number is None or self.comma:
                text = cell.strip()
                if text.lower() in MISSING:
                    return None
                number = TRUTH.get(text.lower(), number)
                if self.comma and ("," in text or "." in text):
                    number = self.marked(text, number, where, name)
        if number is None:
            raise ValueError(f"{name} is {shown(cell)}: write a number, or nothing where there is none")
        if math.isnan(number):
            return None
        if not abs(number) <= LARGEST:
            raise ValueError(f"{name} is {shown(cell)}: write a finite number, at most {LARGEST:g} in size")
        return number

    def marked(self, text: str, number: float | None, where: str, name: str) -> float | None:
        """A number with a point or a comma in it, where either may be the decimal one."""
        self.marks.setdefault("," if "," in text else ".", f"{text} ({where})")
        if len(self.marks) > 1:
            both = f"{self.marks[',']} and {self.marks['.']}"
            raise ValueError(f"{name} has {both}, and a point may be a decimal one: write all numbers in the same way")
        return decimal(text.replace(".", "").replace(",", ".")) if WITH_COMMA.fullmatch(text) else number


def name_in(cell: Any) -> str | None:
    """The name of an option in a cell; None if it is missing."""
    if type(cell) is str:
        return cell.strip() or None
    if cell is None or (isinstance(cell, (float, np.floating)) and math.isnan(cell)):
        return None
    return name_of(cell)
