"""A compass rose: what each direction is worth, the steps of a row being degrees, 0 east and 90 north."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._page import HTML, tag
from .._page.chart import minus

if TYPE_CHECKING:
    from .figure import Panel
    from .study import Outcome

HALF, REACH, WORDS = 100.0, 62.0, 80.0  # of the drawing, of a spoke, of the words at its end


def directions(curve: Mapping[int, Outcome]) -> dict[int, Outcome | None]:
    """All eight, without a row where there is none."""
    return {angle: curve.get(angle) for angle in range(0, 360, 45)}


def at(angle: int, radius: float) -> tuple[float, float]:
    """Across and down."""
    return HALF + radius * math.cos(math.radians(angle)), HALF - radius * math.sin(math.radians(angle))


def rose(panel: Panel) -> HTML:
    """On a page: the best direction drawn heavier, one that is not there dashed."""
    [curve] = panel.curves.values()
    best = max(row.value for row in curve.values())
    drawn, said = [], []
    for angle, row in directions(curve).items():
        (x, y), (left, top) = at(angle, REACH), at(angle, WORDS)
        kind = "none" if row is None else "best" if row.value == best else "some"
        text = "\u00d7" if row is None else minus(f"{row.value:.4g}")
        drawn.append(tag("path", class_=kind, d=f"M{HALF:g} {HALF:g}L{x:.1f} {y:.1f}"))
        drawn.append(tag("text", text, x=f"{left:.1f}", y=f"{top:.1f}", dy="0.35em"))
        said.append(f"{angle} degrees {'not there' if row is None else text}")
    picture = tag("svg", *drawn, viewBox=f"0 0 {2 * HALF:g} {2 * HALF:g}", role="img", aria_label="; ".join(said))
    return tag("figure", tag("figcaption", panel.title), picture, class_="rose")


def draw_rose(ax: Any, panel: Panel, strong: str, weak: str) -> None:
    """By matplotlib."""
    [curve] = panel.curves.values()
    best = max(row.value for row in curve.values())
    for angle, row in directions(curve).items():
        (x, y), (left, top) = at(angle, REACH), at(angle, WORDS)
        high = row is not None and row.value == best
        style = {"color": strong if high else weak, "lw": 3.0 if high else 1.3, "ls": ":" if row is None else "-"}
        ax.plot([HALF, x], [-HALF, -y], **style)
        ax.text(left, -top, "\u00d7" if row is None else f"{row.value:.4g}", ha="center", va="center")
    ax.set(xlim=(0.0, 2 * HALF), ylim=(-2 * HALF, 0.0), aspect="equal", title=panel.title)
    ax.axis("off")
