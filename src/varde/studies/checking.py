"""Whether a study makes sense, told where it is written: a mistake is found before anything is measured."""

from __future__ import annotations

import itertools
import math
import numbers
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING

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
    for what in ("runs", "block", *(("quick",) if study.quick is not None else ())):
        if not isinstance(getattr(study, what), numbers.Integral) or getattr(study, what) < 1:
            raise ValueError(f"{study.name}: {what} is {getattr(study, what)!r}: write a whole number, 1 or more")
    if study.span is not None and not (len(study.span) == 2 and study.span[0] < study.span[1]):
        raise ValueError(f"{study.name}: span is {study.span!r}: write the least and the greatest value, (0, 1)")
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
