"""Line charts with intervals, as inline SVG.

The table beside a chart is its legend and its read-out at once: it shows every curve's value and interval at the last
point, or, with the script, at the point under the mouse, the finger or the arrow keys.  So print, and a reader without
the script, lose nothing but the choice of the point.

A curve is drawn in a square of 1000 by 1000 that is stretched to the room there is, so that text keeps its size on a
phone; lines keep their width by ``vector-effect``.  All that the script needs is numbers in ``data-`` attributes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from .scale import Scale, known, room_for
from .text import escape

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


def line(points: Sequence[tuple[float, float]]) -> str:
    """A path through points of the unit square, in whole steps relative to each other: short."""
    said: list[str] = []
    x = y = 0
    for across, up in points:
        to_x, to_y = round(SIDE * across), round(SIDE * (1.0 - min(max(up, -2.0), 3.0)))
        said.append(f"{'l' if said else 'm'}{to_x - x} {to_y - y}")
        x, y = to_x, to_y
    return "".join(said).replace(" -", "-")


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


def curve(series: Series, xs: Sequence[float], across: Scale, up: Scale) -> str:
    """The band and the line; a point alone is a short stroke with round ends."""
    drawn = []
    if series.low and series.high:
        for piece in pieces(xs, series.low, series.high):
            edge = [(across(x), up(high)) for x, _, high in piece] + [(across(x), up(low)) for x, low, _ in piece[::-1]]
            drawn.append(f'<path class="band" d="{line(edge)}z"/>')
    for piece in pieces(xs, series.value):
        points = [(across(x), up(y)) for x, y in piece]
        drawn.append(f'<path class="line" d="{line(points)}{"h1" if len(points) == 1 else ""}"/>')
    return f'<g class="{look(series)}">{"".join(drawn)}</g>'


def look(series: Series) -> str:
    return f"c{series.colour % COLOURS} d{series.dash % DASHES}{' strong' if series.strong else ''}"


def key(series: Series) -> str:
    return (
        f'<svg class="key {look(series)}" viewBox="0 0 24 8" aria-hidden="true"><path class="line" d="M1 4h22"/></svg>'
    )


def read_out(xs: Sequence[float], series: Sequence[Series], across: str, form: Callable[[float], str]) -> str:
    """The legend with the numbers at the last point, and those at all points for the script."""

    def texts(numbers: Sequence[float | None]) -> list[str]:
        return ["" if y is None or not math.isfinite(y) else form(y) for y in numbers]

    lines = []
    for one in series:
        value, low, high = texts(one.value), texts(one.low), texts(one.high)
        data = "".join(f' data-{name}="{";".join(t)}"' for name, t in zip("vlh", (value, low, high), strict=True) if t)
        span = minus(f"{low[-1]} … {high[-1]}") if low and high and low[-1] and high[-1] else ""
        lines.append(
            f'<tr{data}><th scope="row">{key(one)}{escape(one.name)}</th>'
            f'<td class="v">{minus(value[-1]) or "&ndash;"}</td><td class="i">{span}</td></tr>'
        )
    at = f'{escape(across)} <output class="at">{tick_text(xs[-1])}</output>'
    return (
        f'<table class="readout"><thead><tr><th scope="col">{at}</th><th scope="col">value</th>'
        f'<th scope="col">95 % interval</th></tr></thead>\n<tbody>\n{chr(10).join(lines)}\n</tbody></table>'
    )


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
    lines: Mapping[str, float] | None = None,
    form: Callable[[float], str] = "{:.4g}".format,
) -> str:
    """A figure: curves over ``xs`` (ascending), every one readable at every point.

    Args:
        across, up: what the axes show.
        log: a logarithmic scale upwards.
        lines: levels to compare with, by name, drawn across the chart.
        form: how a value is written.
    """
    levels = dict(lines or {})
    values = [*levels.values(), *(y for one in series for y in known(one.value))]
    upward = room_for(values, [y for one in series for ends in (one.low, one.high) for y in known(ends)], log)
    along = Scale(min(xs), max(xs)) if max(xs) > min(xs) else Scale(min(xs) - 1.0, max(xs) + 1.0)
    ticks_x, ticks_y = along.ticks(4), upward.ticks()
    grid = "".join(f'<path class="grid" d="M0 {round(SIDE * (1 - upward(y)))}h{SIDE}"/>' for y in ticks_y)
    marks = "".join(f'<path class="level" d="M0 {round(SIDE * (1 - upward(y)))}h{SIDE}"/>' for y in levels.values())
    drawn = "\n".join(curve(one, xs, along, upward) for one in series)
    labels = "".join(f'<i class="y" style="top:{100 * (1 - upward(y)):.1f}%">{tick_text(y)}</i>' for y in ticks_y)
    labels += "".join(
        f'<i class="x{" end" if along(x) > 0.93 else ""}" style="left:{100 * along(x):.1f}%">{tick_text(x)}</i>'
        for x in ticks_x
    )
    labels += "".join(
        f'<i class="name" style="top:{100 * (1 - upward(y)):.1f}%">{escape(name)}</i>' for name, y in levels.items()
    )
    said = f"{title}: {up} over {across}. Arrow keys move along the curves."
    numbers = f'data-x="{";".join(f"{x:.10g}" for x in xs)}" data-range="{along.first:.10g};{along.last:.10g};'
    numbers += f'{upward.first:.10g};{upward.last:.10g};{int(log)}"'
    return (
        f'<figure class="chart" {numbers}><figcaption>{escape(title)}</figcaption>\n'
        f'<div class="drawing"><p class="up">{escape(up)}</p><div class="plot" role="slider" tabindex="0" '
        f'aria-label="{escape(said)}" aria-valuemin="0" aria-valuemax="{len(xs) - 1}" aria-valuenow="{len(xs) - 1}" '
        f'aria-valuetext="{escape(across)} {tick_text(xs[-1])}">'
        f'<svg viewBox="0 0 {SIDE} {SIDE}" preserveAspectRatio="none" aria-hidden="true">{grid}{marks}\n{drawn}</svg>'
        f'{labels}<b class="cursor"></b></div><p class="across">{escape(across)}</p></div>\n'
        f"{read_out(xs, series, across, form)}</figure>"
    )
