"""Whether a study makes sense, told where it is written: a mistake is found before anything is measured."""

from __future__ import annotations

import itertools
import math
import numbers
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .figure import Figure

if TYPE_CHECKING:
    from .study import Cell, Study

NAMED = 6  # rows in a message


def steps_of(cell: Cell) -> tuple[int, ...]:
    """The steps of a cell as whole numbers; ValueError says what is wrong with the cell."""
    for what in ("problem", "algorithm", "setting"):
        if not isinstance(getattr(cell, what), str):
            raise ValueError(f"{what} of a cell is {getattr(cell, what)!r}: write a text")
    where = f"{cell.algorithm} on {cell.problem}"
    if not callable(cell.measure):
        raise ValueError(f"{where}: measure is {cell.measure!r}: write a function measure(key, first, runs)")
    if isinstance(cell.quantities, str) or len(set(cell.quantities)) < len(cell.quantities):
        raise ValueError(f"{where}: quantities is {cell.quantities!r}: write names, each once, ('', 'distance')")
    try:
        steps = tuple(operator.index(step) for step in cell.steps)
    except TypeError:
        steps = ()
    if not steps or steps[0] < 0 or any(a >= b for a, b in itertools.pairwise(steps)):
        raise ValueError(f"{where}: steps is {cell.steps!r}: write whole numbers in ascending order, (10, 100)")
    return steps


def check(study: Study) -> None:
    """ValueError says what is wrong with the study."""
    for what, fits, write in EXPECTED:
        if not fits(value := getattr(study, what)):
            raise ValueError(f"{study.name}: {what} is {value!r}: write {write}")
    check_cells(study)
    check_published(study)


def check_cells(study: Study) -> None:
    from .study import Cell

    if isinstance(study.cells, Cell) or not isinstance(study.cells, Sequence):
        raise ValueError(f"{study.name}: cells is a {type(study.cells).__name__}: write a list, [Cell(...), ...]")
    names: set[tuple[str, str]] = set()
    for cell in study.cells:
        if not isinstance(cell, Cell):
            raise ValueError(f"{study.name} has {cell!r} as a cell: write varde.studies.Cell(problem, ...)")
        for name in dict.fromkeys(name for name, _ in cell.columns):
            if (cell.problem, name) in names:
                raise ValueError(
                    f"{study.name} has two cells for {name!r} on {cell.problem!r}: give each a name of its own"
                )
            names.add((cell.problem, name))


def check_published(study: Study) -> None:
    """Whether every published number is one."""
    for key, number in study.published.items():
        try:
            printed = float(number)
        except (TypeError, ValueError):
            printed = math.nan
        if not math.isfinite(printed):
            raise ValueError(
                f"{study.name}: the published number of {key!r} is {number!r}: write a number, or its digits as text, "
                "'6.10'"
            )
        if study.possible is not None and not study.possible[0] <= printed <= study.possible[1]:
            low, high = study.possible
            setting = "percent" if study.percent else "span"
            raise ValueError(
                f"{study.name}: the published number of {key!r} is {number!r}, and values are between {low:g} and "
                f"{high:g}{' %' * study.percent}: write it in the unit of the values, or change {setting}"
            )


def not_measured(study: Study) -> str:
    """Which published number belongs to no row, in words; nothing if all do.  A part of a study may have more."""
    rows = {(cell.problem, *column) for cell in study.cells for column in cell.columns}
    for key in (key for key in study.published if key not in rows):
        alike = [row for row in sorted(rows) if isinstance(key, tuple) and set(row[:2]) & set(key)] or sorted(rows)
        more = f" or {len(alike) - NAMED} others" if len(alike) > NAMED else ""
        return (
            f"{study.name}: a number is published for {key!r}, which is not measured: write (problem, algorithm, "
            f"step), one of {', '.join(map(repr, alike[:NAMED]))}{more}"
        )
    return ""


def whole(least: int) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, numbers.Integral) and not isinstance(x, bool) and int(x) >= least


def is_text(x: Any) -> bool:
    return isinstance(x, str)


def is_real(x: Any) -> bool:
    return isinstance(x, numbers.Real) and not isinstance(x, bool) and math.isfinite(x)


def is_share(x: Any) -> bool:
    return is_real(x) and x >= 0.0


def is_span(x: Any) -> bool:
    return x is None or (isinstance(x, tuple | list) and len(x) == 2 and all(map(is_real, x)) and x[0] < x[1])


def are_texts(x: Any) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, str) and all(map(is_text, x))


def are_reasons(x: Any) -> bool:
    return (
        isinstance(x, Sequence)
        and not isinstance(x, str)
        and all(isinstance(one, tuple) and len(one) == 2 and callable(one[0]) and is_text(one[1]) for one in x)
    )


EXPECTED: list[tuple[str, Callable[[Any], bool], str]] = [
    ("name", is_text, "a text"),
    ("title", is_text, "a text"),
    ("runs", whole(1), "a whole number, 1 or more"),
    ("block", whole(1), "a whole number, 1 or more"),
    ("published", lambda x: isinstance(x, Mapping), "{(problem, algorithm, step): '6.10'}"),
    ("published_runs", lambda x: x is None or whole(1)(x), "a whole number, 1 or more, or leave it out"),
    ("relative", is_share, "a share of the number, 0 or more"),
    ("absolute", is_share, "a number, 0 or more"),
    ("span", is_span, "the least and the greatest value possible, (0, 1)"),
    ("unit", is_text, "a text, 'ms'"),
    ("percent", lambda x: isinstance(x, bool), "True or False"),
    ("digits", lambda x: whole(0)(x) and x <= 15, "a whole number from 0 to 15"),
    ("notes", are_texts, "a list of texts"),
    ("findings", callable, "a function of the rows that returns a list of lines"),
    ("figure", lambda x: x is None or isinstance(x, Figure), "varde.studies.Figure(...)"),
    ("place", is_text, "a text, 'Table 2'"),
    ("reasons", are_reasons, "pairs of a function of a row and a text, [(lambda row: row.step > 9, 'why')]"),
    ("method", is_text, "the name of an algorithm"),
    ("quick", lambda x: x is None or whole(1)(x), "a whole number, 1 or more, or leave it out"),
    ("quick_problems", are_texts, "a list of problems"),
]
