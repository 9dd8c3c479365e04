"""An answer drawn with matplotlib: estimates with their intervals, the answer on top."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .words import distinct, percent, short

if TYPE_CHECKING:
    from .answer import Answer

MOST = 25  # rows
GREEN, AMBER, GREY = "#11897a", "#a87714", "#8c8c8c"
COLOURS = {"best": GREEN, "chosen": GREEN, "certain": GREEN, "possible": AMBER, "in doubt": AMBER}


def draw(answer: Answer[Any], ax: Any = None) -> Any:
    """On ``ax``, or on pyplot's current figure, or on another one if something is drawn there already."""
    rows = [row for row in answer._top(MOST) if math.isfinite(row.estimate)]
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            raise ImportError("plot needs matplotlib: pip install 'varde[plot]'") from None
        if not plt.get_fignums() or (plt.gcf().axes and plt.gca().has_data()):
            plt.figure(figsize=(7.5, 1.4 + 0.34 * len(rows)), layout="constrained")
        ax = plt.gca()
    beside = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center", "ha": "right"}
    for y, row in enumerate(rows):
        colour = COLOURS.get(row.verdict, GREY)
        if math.isfinite(row.low) and math.isfinite(row.high):
            ax.plot([row.low, row.high], [y, y], color=colour, linewidth=2.5, alpha=0.6, solid_capstyle="round")
        ax.plot([row.estimate], [y], "o", color=colour)
        for text, offset in ((f"{row.n:,}", 64), (percent(row.p_best), 120)):
            ax.annotate(text, (1.0, y), (offset, 0), fontsize=8.5, **beside)
    what, often, chance, level = answer._axes()
    for text, offset in ((often, 64), (chance, 120)):
        ax.annotate(text, (1.0, -0.95), (offset, 0), fontsize=8.5, color="gray", **beside)
    if level is not None:
        ax.axvline(level, color=GREEN, linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(rows)), distinct([row.name for row in rows], 28))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel(f"{what}, with its 95 % interval")
    ax.set_title(short(answer._headline(), 39), loc="left", pad=14)
    ax.grid(axis="x", alpha=0.25, linewidth=0.5)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
