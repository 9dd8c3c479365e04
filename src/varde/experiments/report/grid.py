"""The table of a study: algorithms down, problems or steps across, one measured number in each place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from ..study import Row
from .load import Result

CURVE = 8  # more steps than this are a curve, of which the table shows the end


class Grid(NamedTuple):
    corner: str
    columns: list[str]
    lines: list[tuple[str, list[Row | None]]]


def is_curve(result: Result) -> bool:
    return max(len(steps) for steps in steps_of(result).values()) > CURVE


def steps_of(result: Result) -> dict[tuple[str, str], list[Row]]:
    """The rows of each problem and algorithm, by step."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in result.rows:
        found.setdefault((row.problem, row.algorithm), []).append(row)
    return {pair: sorted(rows, key=lambda row: row.step) for pair, rows in found.items()}


def grid(result: Result) -> Grid:
    problems = list(dict.fromkeys(row.problem for row in result.rows))
    across_steps = len(problems) == 1 and not is_curve(result)
    steps = {row.step for row in result.rows}
    if across_steps and len(steps) == 1:
        crossed = cross(result.rows)
        if crossed is not None:
            return crossed
    shown: dict[tuple[str, str], Row] = {}
    for (problem, name), rows in steps_of(result).items():
        for row in rows:  # of a curve, the last step stays
            shown[name, f"step {row.step:,}" if across_steps else problem] = row
    columns = list(dict.fromkeys(column for _, column in shown))
    names = dict.fromkeys(row.algorithm for row in result.rows)
    corner = problems[0] if across_steps else "at the end" if is_curve(result) else ""
    return Grid(corner, columns, [(name, [shown.get((name, column)) for column in columns]) for name in names])


def cross(rows: list[Row]) -> Grid | None:
    """A plane of two settings, where every name is one of each: "tau 0.1, floor 1"."""
    pairs = [row.algorithm.split(", ") for row in rows]
    if any(len(pair) != 2 for pair in pairs):
        return None
    down, across = (list(dict.fromkeys(names)) for names in zip(*pairs, strict=True))
    if min(len(down), len(across)) < 2 or len(down) * len(across) != len(rows):
        return None
    table = {row.algorithm: row for row in rows}
    return Grid(rows[0].problem, across, [(one, [table.get(f"{one}, {other}") for other in across]) for one in down])


def number_form(result: Result) -> Callable[[float], str]:
    """How the numbers of a study are written: the same digits after the point, unless they differ by magnitudes."""
    if result.study.percent:
        return f"{{:.{result.study.digits}f}}".format
    sizes = sorted(abs(row.value) for row in result.rows if math.isfinite(row.value) and row.value) or [1.0]
    if sizes[len(sizes) // 10] < 1e-3 * sizes[-1]:
        return "{:.4g}".format
    return f"{{:.{min(max(3 - math.floor(math.log10(sizes[-1])), 0), 9)}f}}".format
