"""Line charts with intervals, as inline SVG.

The table beside a chart is its legend and its read-out at once: it shows every curve's value and interval at the last
point, or, with the script, at the point under the mouse, the finger or the arrow keys.  So print, and a reader without
the script, lose nothing but the choice of the point.

A curve is drawn in a square of 1000 by 1000 that is stretched to the room there is, so that text keeps its size on a
phone; lines keep their width by ``vector-effect``.  All that the script needs is numbers in ``data-`` attributes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .scale import Scale, known, room_for
from .text import HTML, join, tag

COLOURS, DASHES = 8, 4  # as many as the style sheet has
SIDE = 1000


class Series(NamedTuple):
    """A curve; a missing number is None or nan."""

    name: str
    value: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    colour: int = 0
    dash: int = 0
    strong: bool = False  # drawn heavier


MANY = 6  # curves: beyond, only the heavy one and the one pointed at show their bands


def line(points: Sequence[tuple[float, float]]) -> str:
    """A path through points of the unit square, in whole steps relative to each other: short."""
    moves: list[str] = []
    x = y = 0
    for across, up in points:
        to_x, to_y = round(SIDE * across), round(SIDE * (1.0 - min(max(up, -2.0), 3.0)))
        moves.append(f"{'l' if moves else 'm'}{to_x - x} {to_y - y}")
        x, y = to_x, to_y
    return "".join(moves).replace(" -", "-")


def pieces(xs: Sequence[float], *columns: Sequence[float | None]) -> Iterator[list[tuple[float, ...]]]:
    """Stretches of points at which every column is known."""
    piece: list[tuple[float, ...]] = []
    for x, *ys in zip(xs, *columns, strict=True):
        there = list(known(ys))
        if len(there) == len(ys):
            piece.append((x, *there))
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece


def curve(series: Series, xs: Sequence[float], across: Scale, up: Scale) -> HTML:
    """The band and the line; a point alone is a short stroke with round ends."""
    drawn = []
    if series.low and series.high:
        for piece in pieces(xs, series.low, series.high):
            edge = [(across(x), up(high)) for x, _, high in piece] + [(across(x), up(low)) for x, low, _ in piece[::-1]]
            drawn.append(tag("path", class_="band", d=f"{line(edge)}z"))
    for piece in pieces(xs, series.value):
        points = [(across(x), up(y)) for x, y in piece]
        drawn.append(tag("path", class_="line", d=line(points) + ("h1" if len(points) == 1 else "")))
    return tag("g", *drawn, class_=classes(series))


def classes(series: Series) -> str:
    return f"c{series.colour % COLOURS} d{series.dash % DASHES}{' strong' if series.strong else ''}"


def key(series: Series) -> HTML:
    stroke = tag("path", class_="line", d="M1 4h22")
    return tag("svg", stroke, class_=f"key {classes(series)}", viewBox="0 0 24 8", aria_hidden="true")


def read_out(xs: Sequence[float], series: Sequence[Series], across: str, form: Callable[[float], str]) -> HTML:
    """The legend with the numbers at the last point, and those at all points for the script."""

    def texts(numbers: Sequence[float | None]) -> list[str]:
        return ["" if y is None or not math.isfinite(y) else form(y) for y in numbers]

    lines = []
    for one in series:
        value, low, high = texts(one.value), texts(one.low), texts(one.high)
        data = {f"data_{name}": ";".join(t) for name, t in zip("vlh", (value, low, high), strict=True) if t}
        span = minus(f"{low[-1]} … {high[-1]}") if low and high and low[-1] and high[-1] else ""
        cells = tag("td", minus(value[-1]) or "\u2013", class_="v"), tag("td", span, class_="i")
        lines.append(tag("tr", tag("th", key(one), one.name, scope="row"), *cells, **data))
    at = join([across, " ", tag("output", tick_text(xs[-1]), class_="at")])
    head = tag("tr", *(tag("th", name, scope="col") for name in (at, "value", "95 % interval")))
    body = tag("tbody", "\n", join(lines, "\n"), "\n")
    return tag("table", tag("thead", head), "\n", body, class_="readout")


def tick_text(number: float) -> str:
    """At most six digits, thousands apart, a true minus."""
    text = f"{number:,.6g}" if abs(number) < 1e6 else f"{number:.4g}"
    return minus(text)


def minus(text: str) -> str:
    """Numbers with a true minus sign; the script needs the plain one."""
    return text.replace("-", "\u2212")


def line_chart(
    title: str,
    xs: Sequence[float],
    series: Sequence[Series],
    *,
    across: str,
    up: str,
    log: bool = False,
    wide: bool = False,
    lines: Mapping[str, float] | None = None,
    form: Callable[[float], str] = "{:.4g}".format,
) -> HTML:
    """A figure: curves over ``xs`` (ascending), every one readable at every point.

    Args:
        across, up: what the axes show.
        log, wide: a logarithmic scale upwards, across.
        lines: levels to compare with, by name, drawn across the chart.
        form: how a value is written.
    """
    levels = dict(lines or {})
    upward = scale_for(series, levels.values(), log)
    along = Scale(min(xs), max(xs), wide) if max(xs) > min(xs) else Scale(min(xs) - 1.0, max(xs) + 1.0)
    plot = tag(
        "div",
        *drawing(xs, series, along, upward, levels),
        tag("b", class_="cursor"),
        class_="plot",
        role="slider",
        tabindex="0",
        aria_label=f"{title}: {up} over {across}. Arrow keys move along the curves.",
        aria_valuemin=0,
        aria_valuemax=len(xs) - 1,
        aria_valuenow=len(xs) - 1,
        aria_valuetext=f"{across} {tick_text(xs[-1])}",
    )
    ends = ";".join(f"{end:.10g}" for end in (along.first, along.last, upward.first, upward.last))
    return tag(
        "figure",
        tag("figcaption", title),
        "\n",
        tag("div", tag("p", up, class_="up"), plot, tag("p", across, class_="across"), class_="drawing"),
        "\n",
        read_out(xs, series, across, form),
        class_="chart",
        data_many=len(series) > MANY,
        data_x=";".join(f"{x:.10g}" for x in xs),
        data_range=f"{ends};{int(log)};{int(wide)}",
    )


def scale_for(series: Sequence[Series], levels: Iterable[float] = (), log: bool = False) -> Scale:
    """A scale upwards that has room for curves, their bands and some levels."""
    values = [*levels, *(y for one in series for y in known(one.value))]
    return room_for(values, [y for one in series for ends in (one.low, one.high) for y in known(ends)], log)


def drawing(
    xs: Sequence[float], series: Sequence[Series], along: Scale, upward: Scale, levels: Mapping[str, float]
) -> list[HTML]:
    """Curves over a grid, and the labels of both axes."""
    ticks = upward.ticks()
    grid = [tag("path", class_="grid", d=across_at(upward(y))) for y in ticks]
    grid += [tag("path", class_="level", d=across_at(upward(y))) for y in levels.values()]
    curves = join((curve(one, xs, along, upward) for one in series), "\n")
    size = f"0 0 {SIDE} {SIDE}"
    drawn = tag("svg", *grid, "\n", curves, viewBox=size, preserveAspectRatio="none", aria_hidden="true")
    labels = [tag("i", tick_text(y), class_="y", style=top_at(upward(y))) for y in ticks]
    for x in along.ticks(4):
        at = f"left:{100 * along(x):.1f}%"
        labels.append(tag("i", tick_text(x), class_="x end" if along(x) > 0.93 else "x", style=at))
    labels += [tag("i", name, class_="name", style=top_at(upward(y))) for name, y in levels.items()]
    return [drawn, *labels]


def across_at(height: float) -> str:
    return f"M0 {round(SIDE * (1 - height))}h{SIDE}"


def top_at(height: float) -> str:
    return f"top:{100 * (1 - height):.1f}%"
