"""The curves of a study: one chart per problem, one curve per algorithm, 95 % intervals shaded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..._page import Series, line_chart
from ..._page.chart import COLOURS
from ...paper.best_policy_agents import MODEL
from ...paper.best_policy_figure import COLOURS as AGENTS
from ..study import Row
from .grid import is_curve, number_form, steps_of
from .load import Result, asked

POINTS = 100  # of a curve: as fine as a reader's finger
MOST = 24  # charts of a study, and curves of a chart; the rest is in report.csv
ALL_POINTS = 24_000  # of a study, to keep the page small
STRONG = "VarDE"  # the paper's method is drawn heavier, and in the first colour


def charts(result: Result) -> list[str]:
    """The study's figures as HTML; none where it has no curves."""
    if not is_curve(result):
        return []
    told = asked(result.study)
    sizes = told.get("sizes")
    steps = steps_of(result)
    drawn = over_sizes(result, steps, sizes) if sizes else []
    problems = list(dict.fromkeys(problem for problem, _ in steps))
    best = told.get("best")
    points = min(POINTS, max(ALL_POINTS // len(steps), 10))
    for problem in problems[:MOST]:
        curves = {name: rows for (where, name), rows in steps.items() if where == problem}
        if sizes:  # its variants are compared in the charts over sizes
            curves = {name: rows for name, rows in curves.items() if name in AGENTS}
        if curves:
            drawn.append(
                chart(
                    result,
                    problem,
                    {name: {row.step: row for row in rows} for name, rows in curves.items()},
                    points,
                    across=told.get("across", "steps"),
                    up=told.get("up", "value proximity" if sizes else "value (%)" if result.study.percent else "value"),
                    log=told.get("log", False),
                    lines={} if best is None else {"V*": best},
                )
            )
    return drawn


def over_sizes(result: Result, steps: Mapping[tuple[str, str], list[Row]], sizes: Mapping[str, int]) -> list[str]:
    """Best-policy identification as the paper shows it: scores at the end over the number of states."""
    drawn = []
    for title, ending in (
        ("At the end, policies as the agents report them", ""),
        ("At the end, best policies of the models of the same data", f": {MODEL}"),
    ):
        curves = {
            agent: {size: steps[problem, agent + ending][-1] for problem, size in sizes.items()}
            for agent in AGENTS
            if all((problem, agent + ending) in steps for problem in sizes)
        }
        if curves:
            drawn.append(chart(result, title, curves, POINTS, across="states", up="value proximity", log=False))
    return drawn


def chart(
    result: Result,
    title: str,
    curves: Mapping[str, Mapping[int, Row]],
    points: int,
    *,
    across: str,
    up: str,
    **how: Any,
) -> str:
    shown = dict(list(curves.items())[:MOST])
    xs = thin(sorted({x for rows in shown.values() for x in rows}), points)
    series = []
    for (name, rows), look in zip(shown.items(), looks(list(shown)), strict=True):
        here = [rows.get(x) for x in xs]
        ends = [None if row is None else result.interval(row) for row in here]
        series.append(
            Series(
                name,
                [None if row is None else row.value for row in here],
                [None if end is None else end[0] for end in ends],
                [None if end is None else end[1] for end in ends],
                *look,
            )
        )
    more = f" ({MOST} of {len(curves)} curves)" if len(curves) > MOST else ""
    return line_chart(title + more, xs, series, across=across, up=up, form=number_form(result), **how)


def thin(xs: list[int], points: int) -> list[int]:
    """At most so many, evenly chosen, both ends among them."""
    if len(xs) <= points:
        return xs
    return [xs[round(i * (len(xs) - 1) / (points - 1))] for i in range(points)]


def looks(names: Sequence[str]) -> list[tuple[int, int, bool]]:
    """Colour, dash and weight of each name: a family (the first word) shares a colour, its members differ in dash."""
    families = list(dict.fromkeys(map(family, names)))
    others = [name for name in families if name != STRONG]
    colours = {STRONG: 0, **{name: 1 + i % (COLOURS - 1) for i, name in enumerate(others)}}
    again = {name: i // (COLOURS - 1) for i, name in enumerate(others)}  # the colours used up: go on with other dashes
    seen: dict[str, int] = {}
    found = []
    for name in names:
        kin = family(name)
        found.append((colours[kin], seen.get(kin, 0) + again.get(kin, 0), kin == STRONG))
        seen[kin] = seen.get(kin, 0) + 1
    return found


def family(name: str) -> str:
    return re.split(r"[ ,:-]", name, maxsplit=1)[0]
