"""A compass rose: the value of each direction, from rows named by direction: "move: NE"."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..show.page import HTML, tag
from ..show.page.chart import minus

if TYPE_CHECKING:
    from .figure import Panel
    from .study import Outcome

DIRECTIONS = ("E", "NE", "N", "NW", "W", "SW", "S", "SE")
HALF, REACH, WORDS = 100.0, 56.0, 78.0  # of the drawing, of a spoke, of the words at its end


def directions(panel: Panel) -> dict[str, Outcome | None]:
    """All eight, without a row where there is none."""
    found = {name.rpartition(": ")[2]: list(curve.values())[-1] for name, curve in panel.curves.items()}
    return {name: found.get(name) for name in DIRECTIONS}


def at(name: str, radius: float) -> tuple[float, float]:
    """Across and down."""
    angle = math.radians(45 * DIRECTIONS.index(name))
    return HALF + radius * math.cos(angle), HALF - radius * math.sin(angle)


def rose(panel: Panel) -> HTML:
    """On a page: the best direction drawn heavier, one that is not there dashed."""
    best = max((row.value for row in directions(panel).values() if row is not None), default=0.0)
    drawn, said = [], []
    for name, row in directions(panel).items():
        (x, y), (left, top) = at(name, REACH), at(name, WORDS)
        kind = "none" if row is None else "best" if row.value == best else "some"
        text = "\u00d7" if row is None else minus(f"{row.value:.4g}")
        drawn.append(tag("path", class_=kind, d=f"M{HALF:g} {HALF:g}L{x:.1f} {y:.1f}"))
        drawn.append(tag("text", text, x=f"{left:.1f}", y=f"{top:.1f}", dy="0.35em"))
        said.append(f"{name} {'not there' if row is None else text}")
    picture = tag("svg", *drawn, viewBox=f"0 0 {2 * HALF:g} {2 * HALF:g}", role="img", aria_label="; ".join(said))
    return tag("figure", tag("figcaption", panel.title), picture, class_="rose")


def draw_rose(ax: Any, panel: Panel, strong: str, weak: str) -> None:
    """By matplotlib."""
    best = max((row.value for row in directions(panel).values() if row is not None), default=0.0)
    for name, row in directions(panel).items():
        (x, y), (left, top) = at(name, REACH), at(name, WORDS)
        high = row is not None and row.value == best
        style = {"color": strong if high else weak, "lw": 3.0 if high else 1.3, "ls": ":" if row is None else "-"}
        ax.plot([HALF, x], [-HALF, -y], **style)
        ax.text(left, -top, "\u00d7" if row is None else f"{row.value:.4g}", ha="center", va="center")
    ax.set(xlim=(0.0, 2 * HALF), ylim=(-2 * HALF, 0.0), aspect="equal", title=panel.title)
    ax.axis("off")
