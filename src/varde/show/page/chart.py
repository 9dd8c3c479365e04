"""Line charts with intervals, as static inline SVG; the table beside a chart is its legend and has the last values.

A curve is drawn in a square of 1000 by 1000 that is stretched to the room there is, so that text keeps its size on a
phone; lines keep their width by ``vector-effect``.
"""

from __future__ import annotations

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


MANY = 6  # curves: beyond, only the heavy one shows its band


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
    """The legend, with the value of each curve at its last point."""
    lines = []
    for one in series:
        last = known([one.value[-1]])
        lines.append(
            tag("tr", tag("th", key(one), one.name, scope="row"), tag("td", minus(form(last[0])) if last else "\u2013"))
        )
    head = tag("tr", tag("th", ""), tag("th", f"at {tick_text(xs[-1])} {across}", scope="col"))
    return tag("table", tag("thead", head), "\n", tag("tbody", "\n", join(lines, "\n"), "\n"), class_="readout")


def tick_text(number: float) -> str:
    """At most six digits, thousands apart, a true minus."""
    text = f"{number:,.6g}" if abs(number) < 1e6 else f"{number:.4g}"
    return minus(text)


def minus(text: str) -> str:
    """Numbers with a true minus sign."""
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
    """A figure: curves over ``xs`` (ascending), drawn with their intervals.

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
        "div", *drawing(xs, series, along, upward, levels), class_="plot", role="img", aria_label=f"{title}: {up}"
    )
    return tag(
        "figure",
        tag("figcaption", title),
        "\n",
        tag("div", tag("p", up, class_="up"), plot, tag("p", across, class_="across"), class_="drawing"),
        "\n",
        read_out(xs, series, across, form),
        class_="chart",
        data_many=len(series) > MANY,
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
