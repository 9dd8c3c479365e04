"""A section of the page: one study, from its statements and curves to the settings of every row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from ...show.page import HTML, Series, join, line_chart, tag
from ...show.page.text import glued
from ...show.sheet import Piece, Sheet
from ..compass_rose import rose
from ..figure import Figure, Panel, Stroke, panels, strokes_of
from ..grid import grid, is_curve, number_form
from ..judging.intervals import interval
from ..statements import Answered
from .heat import heat_map
from .load import Result
from .words import Part, circumstances, mark, quoted, sentence, settings

LINES, COLUMNS = 300, 40  # of a table; the rest is in report.csv
POINTS = 100  # of a curve at most
MOST = 24  # problems of a study, and curves of a chart; the rest is in report.csv
ALL_POINTS = 24_000  # of a study, to keep the page small


def section(result: Result, unfolded: bool) -> HTML:
    study = result.study
    parts = [tag("p", " · ".join(circumstances(result)), class_="soft")]
    for line in result.answers:
        parts.append(tag("p", answered(line), class_=f"claim {mark(line).style}-edge"))
    if result.study.figure is not None and result.study.figure.heat:
        parts.append(heat_map([result]))
    if drawn := charts(result):
        printed = bool(result.published)  # then the table is what one looks for
        parts += [*numbers(result), *drawn] if printed else drawn
        if len({row.problem for row in result.rows}) > MOST:
            parts.append(soft(f"Curves of the first {MOST} problems; all are in report.csv."))
        if not printed:
            parts.append(folded("All numbers at the last step", *numbers(result), printed=False))
    else:
        parts += numbers(result)
    if result.texts:
        parts.append(tag("h4", "What else these numbers say" if result.answers else "What these numbers say"))
        parts.append(bullets(map(signed, result.texts)))
    if study.notes:
        parts.append(
            tag("h4", "Settings the paper does not state, or states differently" if study.in_a_paper else "Notes")
        )
        parts.append(bullets(map(signed, study.notes)))
    used = [[name, problems, Piece(setting, "code")] for name, problems, setting in settings(result)[:LINES]]
    table = Sheet(["algorithm", "problems", "setting"], used, f"{study.title}: settings")
    parts.append(folded("Settings of every row", table.html("words"), printed=False))
    head = tag("summary", tag("h3", study.title), " ", tag("span", in_short(result), class_="soft"))
    return tag(
        "section", tag("details", head, "\n", join(parts, "\n"), "\n", open=unfolded), class_="study", id=anchor(result)
    )


def soft(text: str) -> HTML:
    return tag("p", text, class_="soft")


def numbers(result: Result) -> list[HTML]:
    shown = grid(result.study, result.rows)
    unit = f" in {result.study.measured_in}" if result.study.measured_in else ""
    if result.published:
        what = f"Published (grey), measured{unit} and the verdict; below them the interval of the measured."
    else:
        what = f"Measured{unit}{', at the last step' if is_curve(result.rows) else ''}; below it the interval."
    if len(shown.lines) > LINES or len(shown.head) > COLUMNS + 1:
        what += f" The first {LINES} rows and {COLUMNS} columns; all are in report.csv."
    lines = [line[: COLUMNS + 1] for line in shown.lines[:LINES]]
    return [soft(what), Sheet(shown.head[: COLUMNS + 1], lines, f"{result.study.title}: the numbers").html()]


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


def in_short(result: Result) -> str:
    return sentence(Part("", [result])).rstrip(".")


def because(reason: str) -> HTML:
    return tag("span", f"Likely: {reason}.", class_="reason") if reason else HTML()


def answered(line: Answered) -> HTML:
    """A statement, its grade, and the numbers behind it."""
    sign, style = mark(line)
    what = tag("span", f"{line.number}. {quoted(line)}")
    aside = "; ".join(filter(None, (line.place, f"measured: {line.measured}", f"our threshold: {line.threshold}")))
    said = join([tag("b", f"{sign} {line.grade}", class_=style), ": ", signed(line.words), "."])
    return join([what, " ", said, " ", tag("span", f"({aside})", class_="evidence")])


def signed(text: str) -> str:
    """A sentence with true minus signs and arrows, and numbers kept together."""
    return glued(re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text).replace(" -> ", " → "))


def bullets(lines: Iterable[object]) -> HTML:
    return tag("ul", *(tag("li", line) for line in lines))


def folded(summary: str, *inside: object, printed: bool = True, opened: bool = False) -> HTML:
    """A folding part; in print it is open, or left out if it was closed and is not ``printed``."""
    return tag("details", tag("summary", summary), *inside, class_=None if printed else "spare", open=opened)


def anchor(result: Result) -> str:
    """A unique name for the section that is safe in a URL."""
    return "study-" + "".join(c if c.isascii() and c.isalnum() else f"-{ord(c):x}-" for c in result.name)
