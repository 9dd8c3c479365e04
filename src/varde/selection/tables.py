"""Tables of results, whatever their form: a file, a data frame, a dict of columns, rows; read line by line.

CSV may have commas, semicolons, tabs or bars between its cells, decimal commas unless commas separate the cells, and
missing values.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from ..check import LARGEST, as_float, shown
from .batches import COUNTS, SUMMARY
from .checks import name_of
from .telling import Row, is_number

OPTION = ("option", "name", "variant", "arm", "group")  # columns that name options if nothing else is said
KINDS = {1: ("value",), 2: COUNTS, 3: SUMMARY}  # what so many columns of numbers are
MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "?", "."}
PARTS = {"value", "cost", *COUNTS, *SUMMARY}  # columns of results to tell
TRUTH = {"true": 1.0, "false": 0.0}
THOUSANDS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+")
BOMS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
SAMPLE = 100_000  # bytes that show how a file is written
WANTED = (
    "a file, a data frame, a dict of columns or of lists of results, or rows as dicts or as pairs of option and value"
)


class Table(NamedTuple):
    """Columns by name, and the lines below them with where they are, or what is wrong with one."""

    heads: list[str]
    lines: Iterable[tuple[str, Sequence[Any] | ValueError]]
    comma: bool = False  # a comma is a decimal point


class Columns(NamedTuple):
    """Which columns are used."""

    option: int
    numbers: list[int]
    names: Sequence[str]  # what these are: value; successes and trials; mean, sem and n
    unused: list[str]


def table_of(data: Any, columns: bool = False) -> Table:
    """The table; ``columns`` says that a dict holds columns, and not the results of each option."""
    if isinstance(data, (str, os.PathLike)):
        return of_file(os.fspath(data))
    if isinstance(data, Mapping):
        if columns or not all(is_list(one) and all_numbers(one) for one in data.values()):
            return of_columns(data)
        pairs = ((name, value) for name, values in data.items() for value in as_list(values))
        return Table(["option", "value"], with_places(pairs, "result"))
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return of_columns({str(name): data[name] for name in data.columns})
    if isinstance(data, (bytes, bytearray)) or not isinstance(data, Iterable):
        raise TypeError(f"data is {shown(data)}: write {WANTED}")
    rows = iter(data)
    first = list(islice(rows, 1))
    if not first:
        raise ValueError(f"data is empty: write {WANTED}")
    every = chain(first, rows)
    if isinstance(first[0], Mapping):
        return of_dicts(with_places(every, "row"))
    if is_list(first[0]) and len(first[0]) == 2 and isinstance(first[0][0], str):
        return Table(["option", "value"], with_places(every, "row"))
    if is_list(first[0]) and all_numbers(first[0]):
        return table_of({str(number): values for number, values in enumerate(every, 1)})
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


def of_dicts(rows: Iterable[tuple[str, Any]]) -> Table:
    listed = list(rows)
    for where, row in listed:
        if not isinstance(row, Mapping | ValueError):
            raise TypeError(f"{where} is {shown(row)}: write a dict, as the first row is one")
    heads = list(dict.fromkeys(str(name) for _, row in listed if isinstance(row, Mapping) for name in row))
    lines = ((where, [row.get(head) for head in heads] if isinstance(row, Mapping) else row) for where, row in listed)
    return Table(heads, lines)


# -- rows for ``tell_many`` --------------------------------------------------------------------------


class Read(NamedTuple):
    """The results in a table."""

    rows: Iterator[Row]
    unused: list[str]  # columns


def read_results(
    data: Any, option: str | None = None, value: str | Sequence[str] | None = None, names: Sequence[str] = ()
) -> Read:
    """Results, counts and summaries, which may share a table; ``names`` are the numbers of a result with several.

    >>> list(read_results({"option": ["a"], "value": [0.5]}).rows)
    [Row(where='row 1', fields={'draw': 'a', 'value': 0.5})]
    """
    table = of_file(data) if isinstance(data, bytes) else table_of(data, columns=True)  # bytes: what is in a file
    whose, parts = told_columns(table.heads, option, value, names)
    unused = [head for i, head in enumerate(table.heads) if i != whose and i not in parts]
    return Read(rows_of(table, whose, parts, names), unused)


def told_columns(
    heads: Sequence[str], option: str | None, value: str | Sequence[str] | None, names: Sequence[str]
) -> tuple[int, dict[int, str]]:
    """The column that says whose a row is, and what is in the others that are used."""
    if value is None:
        named = [head if head in names else head.lower() for head in heads]
        parts = {i: head for i, head in enumerate(named) if head in names or head in PARTS}
        whose = [i for i, head in enumerate(named) if (heads[i] == option if option else head in (*OPTION, "draw"))]
        if len(set(parts.values())) < len(parts) or (len(whose) > 1 and any(named[i] == "draw" for i in whose)):
            raise ValueError(f"the columns are {', '.join(heads)}: write each once, and draw or option")
        if whose and parts:
            return whose[0], parts
    used = columns_of(heads, option, value)
    return used.option, dict(zip(used.numbers, used.names, strict=True))


def rows_of(table: Table, whose: int, parts: Mapping[int, str], names: Sequence[str]) -> Iterator[Row]:
    """Rows without a result are left out."""
    number, is_draw = Numbers(table.comma), table.heads[whose].lower() == "draw"
    for where, cells in table.lines:
        if isinstance(cells, ValueError):
            yield Row(where, cells)
            continue
        try:
            read = {
                part: cells[i] if isinstance(cells[i], Mapping) else number(cells[i], where, table.heads[i])
                for i, part in parts.items()
            }
        except ValueError as error:
            yield Row(where, error)
            continue
        found: dict[str, Any] = {part: cell for part, cell in read.items() if cell is not None}
        if found:
            several = {name: found.pop(name) for name in names if name in found}
            name = name_in(cells[whose])
            draw = int(name) if is_draw and name is not None and name.isdecimal() else name
            yield Row(where, {"draw": draw, **found, **({"value": several} if several else {})})


# -- files -------------------------------------------------------------------------------------------


def of_file(path: str | bytes) -> Table:
    name = path if isinstance(path, str) else "it"
    with opened(path) as file:
        sample = file.read(SAMPLE)
    if not sample.strip():
        raise ValueError(f"{name} is empty: write a file of results")
    encoding = encoding_of(sample)
    begin = sample.decode(encoding, "replace").lstrip()
    if begin[:1] in ("{", "["):
        with opened(path) as file:
            text = file.read().decode(encoding)
        if begin[0] == "{":
            return of_dicts(json_lines(text))
        try:
            return table_of(json.loads(text))
        except json.JSONDecodeError as error:
            raise ValueError(f"{name} is not JSON ({error}): write a list of objects, or one per line") from None
    head = begin.splitlines()[0]
    outside = re.sub(r'"[^"]*"', "", head)
    between = max(",;\t|", key=lambda mark: (outside.count(mark), mark != ","))
    if not outside.count(between):
        raise ValueError(f"the first line of {name} is {shown(head)}: write the names of two or more columns there")
    heads = [cell.strip() for cell in next(csv.reader([head], delimiter=between, skipinitialspace=True))]
    bare = len(heads) == 2 and is_number(heads[1].replace(",", "."))  # the first line is a result
    lines = lines_of(path, encoding, between, len(heads), bare)
    return Table(["option", "value"] if bare else heads, lines, between != ",")


def opened(path: str | bytes) -> Any:
    if isinstance(path, bytes):
        return gzip.open(io.BytesIO(path)) if path.startswith(b"\x1f\x8b") else io.BytesIO(path)
    return gzip.open(path) if path.endswith(".gz") else open(path, "rb")


def json_lines(text: str) -> Iterator[tuple[str, Any]]:
    """An object per line, or what is wrong with it."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                yield f"line {number}", json.loads(line)
            except ValueError as error:
                wrong = ValueError(f"it is {shown(line.strip())}, not JSON ({error}): write an object per line")
                yield f"line {number}", wrong


def encoding_of(sample: bytes) -> str:
    for mark, encoding in BOMS.items():
        if sample.startswith(mark):
            return encoding
    try:
        sample[: max(len(sample) - 4, 1)].decode("utf-8")  # a letter may be cut in two
    except UnicodeDecodeError as error:
        if len(sample) < SAMPLE or error.start < SAMPLE - 8:
            return "cp1252"
    return "utf-8"


def lines_of(
    path: str | bytes, encoding: str, between: str, width: int, bare: bool
) -> Iterator[tuple[str, Sequence[Any] | ValueError]]:
    """The lines below the first, unless they are ``bare``, read one after the other."""
    with io.TextIOWrapper(opened(path), encoding, errors="replace", newline="") as file:
        reader = csv.reader(file, delimiter=between, skipinitialspace=True)
        try:
            if not bare:
                next(line for line in reader if any(line))
            for cells in reader:
                if len(cells) == width:
                    yield f"line {reader.line_num}", cells
                elif any(cell.strip() for cell in cells):
                    hint = " (a decimal comma? put such cells in quotes, or semicolons between cells)"
                    hint = hint if between == "," and len(cells) > width else ""
                    many = f"it has {len(cells)} cells under {width} columns"
                    yield f"line {reader.line_num}", ValueError(f"{many}{hint}: write one for each")
        except csv.Error as error:
            raise ValueError(f"line {reader.line_num} cannot be read ({error}): write CSV") from None


# -- columns -----------------------------------------------------------------------------------------


def columns_of(heads: Sequence[str], option: str | None, value: str | Sequence[str] | None) -> Columns:
    """The columns that were named, or the usual ones."""
    listed = ", ".join(heads)
    if option is None:
        option = next((head for head in heads if head.lower() in OPTION), None)
        if option is None:
            raise ValueError(f"the columns are {listed}: write option=, the one that says which option a row is about")
    if option not in heads:
        raise ValueError(f"option is {shown(option)}, and the columns are {listed}: write one of them")
    names = [value] if isinstance(value, str) else list(value or ())
    kinds: Sequence[str] = ()
    if not names:
        lower = {head.lower(): head for head in heads}
        kinds = next((kind for kind in KINDS.values() if all(name in lower for name in kind)), ())
        if not kinds:
            others = [head for head in heads if head != option]
            if len(others) != 1:
                raise ValueError(f"the columns are {listed}: write value=, the one that holds the results")
            kinds, lower = ("value",), {"value": others[0]}
        names = [lower[name] for name in kinds]
    for name in names:
        if name not in heads:
            raise ValueError(f"value is {shown(name)}, and the columns are {listed}: write one of them")
    if len(names) not in KINDS:
        raise ValueError(f"value has {len(names)} columns: write one, (successes, trials), or (mean, sem, n)")
    places = [heads.index(name) for name in names]
    unused = [head for head in heads if head not in (option, *names)]
    return Columns(heads.index(option), places, kinds or KINDS[len(names)], unused)


class Numbers:
    """Reads cells as numbers, and notices if a point cannot be told from a separator of thousands."""

    def __init__(self, comma: bool):
        self.comma, self.with_comma, self.with_point = comma, "", ""

    def __call__(self, cell: Any, where: str, name: str) -> float | None:
        """The number; None if it is missing."""
        if type(cell) is str:
            try:
                number = float(cell)
            except ValueError:
                text = cell.strip()
                if text.lower() in MISSING:
                    return None
                if text.lower() in TRUTH:
                    return TRUTH[text.lower()]
                number = self.german(text, where, name)
            else:
                if "_" in cell:  # which Python reads as a number
                    raise ValueError(f"{name} is {shown(cell)}: write a number, or nothing where there is none")
                if self.comma and not self.with_point and THOUSANDS.fullmatch(cell.strip()):
                    self.with_point = f"{cell.strip()} ({where})"
                    self.check(name)
        else:
            if cell is None:
                return None
            found = as_float(cell)
            if found is None:
                raise ValueError(f"{name} is {shown(cell)}: write a number, or nothing where there is none")
            number = found
        if math.isnan(number):
            return None
        if not abs(number) <= LARGEST:
            raise ValueError(f"{name} is {shown(cell)}: write a finite number, at most {LARGEST:g} in size")
        return number

    def german(self, text: str, where: str, name: str) -> float:
        """A number with a decimal comma, and maybe points between thousands."""
        plain = text.replace("\u00a0", "").replace("\u202f", "").replace(" ", "")
        if self.comma and re.fullmatch(r"[+-]?(\d+|\d{1,3}(\.\d{3})+),\d*([eE][+-]?\d+)?", plain):
            if not self.with_comma:
                self.with_comma = f"{text} ({where})"
                self.check(name)
            return float(plain.replace(".", "").replace(",", "."))
        raise ValueError(f"{name} is {shown(text)}: write a number, or nothing where there is none")

    def check(self, name: str) -> None:
        if self.with_comma and self.with_point:
            both = f"{self.with_comma} and {self.with_point}"
            raise ValueError(f"{name} has {both}, and a point may be a decimal one: write all numbers in the same way")


def name_in(cell: Any) -> str | None:
    """The name of an option in a cell; None if it is missing."""
    if type(cell) is str:
        return cell.strip() or None
    if cell is None or (isinstance(cell, (float, np.floating)) and math.isnan(cell)):
        return None
    return name_of(cell)
