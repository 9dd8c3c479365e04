"""The table of a study: a row per algorithm, a column per problem or step, each number beside the published one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from operator import attrgetter

from ..show.page.chart import minus
from ..show.sheet import Entry, Piece, Sheet
from .figure import by_steps
from .judging.intervals import interval
from .judging.verdict import CANNOT_TELL, DIFFERENT, SAME, in_words
from .study import Outcome, Study

NAMES = attrgetter("problem", "algorithm")
CURVE = 8  # with more steps it is a curve, of which the table shows the last
MARKS = {
    SAME: Piece("✓", "good"),
    CANNOT_TELL: Piece("?", "open"),
    DIFFERENT: Piece("✗", "bad"),
}


def is_curve(rows: Sequence[Outcome]) -> bool:
    return max(Counter(map(NAMES, rows)).values()) > CURVE


def grid(study: Study, rows: Sequence[Outcome]) -> Sheet:
    problems = list(dict.fromkeys(row.problem for row in rows))
    curve = is_curve(rows)
    across_steps = len(problems) == 1 and not curve
    if across_steps and len({row.step for row in rows}) == 1 and (plane := plane_of(rows)):
        corner, shown = problems[0], plane
    else:
        corner, shown = problems[0] if across_steps else "at the end" if curve else "", {}
        steps = by_steps(rows)
        early = {where for (where, _), some in steps.items() if any(row.published is not None for row in some[:-1])}
        for (problem, name), some in steps.items():
            for row in some:  # of a curve the last step, and those that the paper printed
                if across_steps:
                    shown[name, f"step {row.step:,}"] = row
                elif problem in early and (row is some[-1] or row.published is not None):
                    shown[name, f"{problem}, step {row.step:,}"] = row
                elif row is some[-1]:
                    shown[name, problem] = row
    columns = list(dict.fromkeys(column for _, column in shown))
    form = number_form(study, rows)
    lines: list[list[Entry]] = [
        [name, *(entry(study, shown.get((name, column)), form) for column in columns)]
        for name in dict.fromkeys(name for name, _ in shown)
    ]
    return Sheet([corner, *columns], lines, study.title)


def plane_of(rows: Sequence[Outcome]) -> dict[tuple[str, str], Outcome]:
    """A plane of two settings, where every name is one of each: "tau 0.1, floor 1"."""
    pairs = [row.algorithm.split(", ") for row in rows]
    if any(len(pair) != 2 for pair in pairs):
        return {}
    down, across = (set(names) for names in zip(*pairs, strict=True))
    if min(len(down), len(across)) < 2 or len(down) * len(across) != len(rows):
        return {}
    return {(one, other): row for (one, other), row in zip(pairs, rows, strict=True)}


def entry(study: Study, row: Outcome | None, form: Callable[[float], str]) -> Entry:
    """Published, measured, verdict, interval."""
    if row is None:
        return None
    ends, form = interval(study, row), beside(row, form)
    span = [] if ends is None else [Piece(f"{minus(form(ends[0]))} … {minus(form(ends[1]))}", "aside")]
    if row.published is None or row.verdict is None:
        return [minus(form(row.value)), *span]
    mark = MARKS[row.verdict]._replace(title=in_words(study, row))
    return [Piece(minus(as_printed(row, form)), "before"), Piece(minus(form(row.value)), "strong"), mark, *span]


def as_printed(row: Outcome, form: Callable[[float], str]) -> str:
    """The published number; in the form of the others where its digits are not known."""
    return row.printed if row.unit else form(row.published or 0.0)


def beside(row: Outcome, form: Callable[[float], str]) -> Callable[[float], str]:
    """The form of a measured number: no fewer decimals than the published one beside it."""

    def at_least(number: float) -> str:
        text = form(number)
        return text if "e" in text else max(text, f"{number:.{row.decimals}f}", key=len)

    return at_least


def four_digits(number: float) -> str:
    """Four digits, without an exponent if the number is as short."""
    return f"{number:.0f}" if 1e4 <= abs(number) < 1e7 else f"{number:.4g}"


def number_form(study: Study, rows: Sequence[Outcome]) -> Callable[[float], str]:
    """The number format of a study: the same digits after the point, unless magnitudes differ."""
    if study.percent:
        return f"{{:.{study.digits}f}}".format
    sizes = sorted([abs(row.value) for row in rows if math.isfinite(row.value) and row.value]) or [1.0]
    if sizes[len(sizes) // 10] < 1e-3 * sizes[-1]:
        return four_digits
    return f"{{:.{min(max(3 - math.floor(math.log10(sizes[-1])), 0), 9)}f}}".format
