"""How options that resemble each other depend on their parameters, as a figure above the table of options.

A panel for each parameter: the curve with its band, the others as in the recommended option, a dot for each tried
option that is like that one in all else, larger where there are more results, and how much the parameter matters.
"""

from __future__ import annotations

import functools
import math
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ..beliefs.features import Parameter
from ..show.page.chart import across_at, line, tick_text, top_at
from ..show.page.scale import Scale, fit
from ..show.page.text import HTML, tag

if TYPE_CHECKING:
    from .alike import Resembling
    from .result import Selection
    from .standing import Standing

SIDE = 1000
MOST = 12  # panels, those that matter most
LARGEST = 14.0  # pixels of a dot


@functools.cache
def style() -> HTML:
    return tag("style", HTML((files(__package__) / "alike.css").read_text(encoding="utf-8").strip()))


def figure(found: Selection) -> HTML:
    """Empty where neighbours were of no use, or cannot be drawn."""
    alike = found.alike
    if alike is None or not alike.used or any(each.kind == "embedding" for each in alike.parameters):
        return HTML("")
    rows = [found.rows[i] for i in alike.rows.tolist()]
    best = next(place for place, row in enumerate(rows) if row.name == found.best_name)
    many, measure = len(alike.parameters), found.goal_record.measure
    order = sorted(range(many), key=lambda g: -alike.matters[g])[:MOST]
    boxes = []
    for g, panel in zip(order, panels(alike, rows, best, order), strict=True):
        weight = [] if many == 1 else matters(alike.matters[g])
        boxes.append(tag("div", tag("p", tag("b", alike.parameters[g].name), *weight), panel))
    words = caption(f"{measure}, with its 95 % interval{'' if many == 1 else f'; all else as in {found.best_name}'}")
    return tag("figure", style(), words, tag("div", *boxes, class_="one" if many == 1 else "panels"), class_="alike")


def caption(text: str) -> HTML:
    dots = "Dots are options that were tried, larger with more results; the ring is the one to take."
    return tag("figcaption", f"{text[0].upper()}{text[1:]}. {dots}")


def matters(share: float) -> list[HTML | str]:
    return [" matters", tag("meter", value=f"{share:.2f}", title=f"{share:.0%}")]


# -- curves ----------------------------------------------------------------------------------------


def panels(alike: Resembling, rows: list[Standing], best: int, order: list[int]) -> list[HTML]:
    """A chart for each parameter, all on one scale."""
    places = [alike.along(best, g) for g in order]
    means, errors = alike.predict(np.concatenate(places))
    ends = np.concatenate([means - 1.96 * errors, means + 1.96 * errors, [row.mean for row in rows if row.n]])
    up, start, found = fit(np.percentile(ends, [1, 99]).tolist(), False), 0, []
    for g, points in zip(order, places, strict=True):
        part = slice(start, start + len(points))
        start = part.stop
        found.append(panel(alike, rows, best, g, means[part], errors[part], up))
    return found


def panel(
    alike: Resembling, rows: list[Standing], best: int, g: int, means: np.ndarray, errors: np.ndarray, up: Scale
) -> HTML:
    """The curve of one parameter; for a category, a stroke for each of its values."""
    each, space = alike.parameters[g], alike.belief.space
    column = space.column(g)
    if each.kind == "category":
        at = (np.arange(means.size) + 0.5) / means.size
        column = (column + 0.5) / means.size
        low, high = means - 1.96 * errors, means + 1.96 * errors
        curve = [tag("path", class_="curve", d=stroke(x, up(a), up(b))) for x, a, b in zip(at, low, high, strict=True)]
        curve += [dot(x, up(y), 7.0, "curve") for x, y in zip(at, means, strict=True)]
    else:
        at = np.linspace(0.0, 1.0, means.size)
        edge = [(x, up(y)) for x, y in zip(at, means + 1.96 * errors, strict=True)]
        edge += [(x, up(y)) for x, y in zip(at[::-1], (means - 1.96 * errors)[::-1], strict=True)]
        middle = [(x, up(y)) for x, y in zip(at, means, strict=True)]
        curve = [tag("path", class_="band", d=f"{line(edge)}z"), tag("path", class_="curve", d=line(middle))]
    others = space.owners != g
    like_best = (space.points[:, others] == space.points[best][others]).all(axis=1)
    most = max(row.n for row in rows)
    dots = [dot(column[k], up(row.mean), size(row.n, most)) for k, row in enumerate(rows) if row.n and like_best[k]]
    ticks = up.ticks(4)
    grid = [tag("path", class_="grid", d=across_at(up(y))) for y in ticks]
    labels = [tag("i", tick_text(y), class_="y", style=top_at(up(y))) for y in ticks] + names(each)
    return plot(
        [*grid, *curve, *dots, *ring(column[best], up(rows[best].estimate))],
        labels,
        f"{each.name}: the curve of the estimates",
    )


def names(each: Parameter) -> list[HTML]:
    """The labels of the axis."""
    if each.kind == "category":
        marks = [(short, (k + 0.5) / len(each.values)) for k, short in enumerate(str(x)[:12] for x in each.values)]
    elif isinstance(each.values[0], bool):
        marks = [("no", 0.0), ("yes", 1.0)]
    else:
        low, high = map(float, each.values)
        scale = Scale(low, high, each.kind == "log")
        ticks = scale.ticks(4)
        marks = [(tick_text(x), scale(x)) for x in ticks[:: 1 + len(ticks) // 6]]
    return [tag("i", text, class_="x end" if at > 0.93 else "x", style=f"left:{100 * at:.1f}%") for text, at in marks]


# -- marks -----------------------------------------------------------------------------------------


def plot(drawn: list[HTML], labels: list[HTML], label: str) -> HTML:
    svg = tag("svg", *drawn, viewBox=f"0 0 {SIDE} {SIDE}", preserveAspectRatio="none", role="img", aria_label=label)
    return tag("div", svg, *labels, class_="plot")


def size(results: int, most: int) -> float:
    """Pixels of a dot."""
    return 3.0 + (LARGEST - 5.0) * math.sqrt(results / most)


def spot(x: float, y: float) -> str:
    return f"M{SIDE * x:.0f} {SIDE * (1.0 - y):.0f}h.01"


def dot(x: float, y: float, pixels: float, kind: str = "tried") -> HTML:
    return tag("path", class_=kind, d=spot(x, min(max(y, 0.0), 1.0)), style=f"stroke-width:{pixels:.1f}")


def ring(x: float, y: float) -> list[HTML]:
    return [dot(x, y, LARGEST, "ring"), dot(x, y, LARGEST - 5.0, "hole")]


def stroke(x: float, low: float, high: float) -> str:
    return f"M{SIDE * x:.0f} {SIDE * (1.0 - low):.0f}V{SIDE * (1.0 - high):.0f}"
