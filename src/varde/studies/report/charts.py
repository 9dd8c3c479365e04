"""The curves of a study on a page: its figure, panel by panel, 95 % intervals shaded (of many curves, the method's)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..._page import HTML, Series, line_chart, tag
from ..compass_rose import rose
from ..figure import Figure, Panel, Stroke, panels, strokes_of
from ..grid import is_curve, number_form
from ..judging.intervals import interval
from .load import Result

POINTS = 100  # of a curve at most
MOST = 24  # problems of a study, and curves of a chart; the rest is in report.csv
ALL_POINTS = 24_000  # of a study, to keep the page small


def charts(result: Result) -> list[HTML]:
    """The study's figure as HTML; none where it has no curves."""
    if result.study.figure is not None and result.study.figure.rose:
        return [tag("div", *map(rose, panels(result.study.figure, result.rows)), class_="roses")]
    if not is_curve(result.rows):
        return []
    figure = result.study.figure or Figure(up=f"value ({unit})" if (unit := result.study.measured_in) else "value")
    curves = len({(row.problem, row.algorithm) for row in result.rows})
    points = min(POINTS, max(ALL_POINTS // curves, 10))
    drawn = panels(figure, result.rows)
    form, stroke = number_form(result.study, result.rows), strokes_of(drawn, result.study.method)
    return [chart(result, figure, panel, points, form, stroke) for panel in drawn[: MOST + len(figure.ends)]]


def chart(
    result: Result,
    figure: Figure,
    panel: Panel,
    points: int,
    form: Callable[[float], str],
    stroke: Mapping[str, Stroke],
) -> HTML:
    shown = dict(list(panel.curves.items())[:MOST])
    xs = thin(sorted({x for curve in shown.values() for x in curve}), points)
    series = []
    for name, curve in shown.items():
        rows = [curve.get(x) for x in xs]
        values = [None if row is None else row.value for row in rows]
        ends = [(None, None) if row is None else interval(result.study, row) or (None, None) for row in rows]
        series.append(Series(name, values, [low for low, _ in ends], [high for _, high in ends], *stroke[name]))
    more = f" ({MOST} of {len(panel.curves)} curves)" if len(panel.curves) > MOST else ""
    return line_chart(
        panel.title + more,
        xs,
        series,
        across=panel.across,
        up=panel.up,
        log=figure.log,
        wide=figure.wide and panel.across == figure.across,
        lines={} if panel.best is None else {figure.level: panel.best},
        form=form,
    )


def thin(xs: list[int], points: int) -> list[int]:
    """At most so many, evenly chosen, both ends among them."""
    if len(xs) <= points:
        return xs
    return [xs[round(i * (len(xs) - 1) / (points - 1))] for i in range(points)]
