"""A selection as a picture: every option with its estimate, its interval and its share of the budget.

In HTML the table is the picture: a row holds the drawing and the numbers that it shows, so that nothing needs a legend,
a script, or a wide screen.  Colours come from the page around it, light or dark.
"""

from __future__ import annotations

import functools
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .._page import page
from .._page.chart import tick_text
from .._page.scale import Scale, fit
from .._page.text import HTML, join, tag
from .words import DASH, OUT, SHOWN, amount, digits, interval, number, percent, rest_in_words, short, why

if TYPE_CHECKING:
    from .result import Selection, Standing

MOST = 300  # options on a page
SIDE = 1000

MEANING = """<details><summary>What the columns say</summary>
<p><b>Mean</b> and <b>95 % interval</b>: what an option gives on average, and where that is likely to lie.
<b>Results</b>: how many it gave; more are asked for where the decision is open. <b>P(best)</b>: the chance that no
other option is better; on simulated problems it errs on the side of doubt. <b>Rejected</b> options hold the best one
with a chance of at most 5 %, all together; a <b>possible</b> one may still turn out to be it.</p></details>"""


@functools.cache
def style() -> str:
    return (files(__package__) / "options.css").read_text(encoding="utf-8").strip()


def whole_page(found: Selection) -> str:
    """The document."""
    goal = "highest" if found.goal == "max" else "lowest"
    body = join(
        [
            tag("h1", f"Take {found.best}"),
            tag("p", why(found), class_="lead"),
            tag("style", HTML(style())),
            options(found, MOST),
            HTML(MEANING),
        ],
        "\n",
    )
    footer = tag("p", f"{len(found.rows):,} options, the {goal} mean wanted. Made by varde.")
    return page(f"Take {found.best}", body, footer=footer)


def fragment(found: Selection) -> str:
    """For a notebook."""
    return join([tag("style", HTML(style())), tag("p", found.sentence), options(found, SHOWN)])


def options(found: Selection, most: int) -> HTML:
    """The table of the likeliest ``most`` options."""
    ranked = found.ranked
    shown = ranked[:most]
    scale = span_of(shown)
    decimals = digits([(row.high - row.low) / 2.0 for row in shown])
    level = scale(next(row.mean for row in shown if row.name == found.best))
    ticks = scale.ticks(4)
    behind = join([tag("path", class_="tick", d=f"M{round(SIDE * scale(x))} 0V24") for x in ticks])
    behind = join([behind, tag("path", class_="level", d=f"M{round(SIDE * level)} 0V24")])
    busiest = max(row.n for row in shown) or 1
    lines = join([line(row, scale, behind, decimals, busiest) for row in shown], "\n")
    axis = join([tag("span", tick_text(x), style=f"left:{100 * scale(x):.1f}%") for x in ticks])
    heads = ("option", "mean and 95 % interval", "mean", "95 % interval", "results", "P(best)", "verdict")
    head = join([tag("th", name, scope="col", class_="verdict" if name == "verdict" else None) for name in heads])
    range_axis = tag("td", tag("div", axis, class_="axis"), class_="range")
    table = tag(
        "table",
        tag("thead", tag("tr", head)),
        tag("tbody", lines),
        tag("tfoot", tag("tr", tag("td"), range_axis, tag("td", colspan=5))),
        class_="options",
    )
    more = rest_in_words(ranked[most:])
    return join([table, tag("p", more)]) if more else table


def span_of(rows: list[Standing]) -> Scale:
    """A scale for every interval; those too wide to leave room for the others are cut."""
    known = [row for row in rows if math.isfinite(row.mean)]
    widths = sorted(row.high - row.low for row in known if math.isfinite(row.high - row.low))
    limit = 4.0 * widths[len(widths) // 2] if widths else 0.0
    ends = [row.mean for row in known]
    ends += [end for row in known for end in (row.low, row.high) if abs(end - row.mean) <= limit]
    return fit(ends, False)


def line(row: Standing, scale: Scale, behind: HTML, decimals: int | None, busiest: int) -> HTML:
    mean, reach = number(row.mean, decimals), interval(row, decimals)
    drawn = [behind]
    if math.isfinite(row.mean):
        low, at, high = (round(SIDE * min(max(scale(x), -0.01), 1.01)) for x in (row.low, row.mean, row.high))
        drawn.append(tag("path", class_="span", d=f"M{low} 12H{high}"))
        drawn.append(tag("path", class_="mark", d=f"M{at} 12h0.1"))
    out = row.verdict in OUT
    chance = DASH if out else percent(row.p_best)
    label = f"{row.name}: mean {mean}, 95 % interval {reach}, {row.n:,} results, P(best) {chance}, {row.verdict}"
    picture = tag(
        "svg",
        tag("title", label),
        *drawn,
        viewBox=f"0 0 {SIDE} 24",
        preserveAspectRatio="none",
        role="img",
        aria_label=label,
    )
    bars = [tag("i", style=f"width:{100 * share:.1f}%") for share in (row.n / busiest, row.p_best)]
    return tag(
        "tr",
        tag("th", row.name, *([tag("div", row.failure, class_="reason")] if row.failure else []), scope="row"),
        tag("td", picture, class_="range"),
        tag("td", mean, data_name="mean"),
        tag("td", reach, data_name="95 %"),
        tag("td", amount(row.n), bars[0], class_="bar", data_name="results"),
        tag("td", chance, *([] if out else bars[1:]), class_="bar chance", data_name="P(best)"),
        tag("td", tag("b", row.verdict), class_="verdict"),
        class_=row.verdict,
    )


COLOURS = {"best": "#11897a", "possible": "#a87714", "rejected": "#8c8c8c", "failing": "#8c8c8c", "removed": "#8c8c8c"}


def draw(found: Selection, ax: Any = None) -> Any:
    """Estimates on the left, and how many results each took, written beside them."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install varde[plot]") from None
    rows = [row for row in found.ranked if row.n][:40]
    if ax is None:
        if matplotlib.get_backend().lower() == "agg":
            from matplotlib.figure import Figure

            ax = Figure(figsize=(7.5, 1.4 + 0.34 * len(rows)), layout="constrained").subplots()
        else:
            import matplotlib.pyplot as plt

            ax = plt.subplots(figsize=(7.5, 1.4 + 0.34 * len(rows)), layout="constrained")[1]
    beside = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "center", "ha": "right"}
    for y, row in enumerate(rows):
        colour = COLOURS[row.verdict]
        if math.isfinite(row.low):
            ax.plot([row.low, row.high], [y, y], color=colour, linewidth=2.5, alpha=0.6, solid_capstyle="round")
        ax.plot([row.mean], [y], "o", color=colour)
        for text, offset in ((f"{row.n:,}", 48), (percent(row.p_best), 104)):
            ax.annotate(text, (1.0, y), (offset, 0), fontsize=8.5, **beside)
    for text, offset in (("results", 48), ("P(best)", 104)):
        ax.annotate(text, (1.0, -0.95), (offset, 0), fontsize=8.5, color="gray", **beside)
    ax.axvline(rows[0].mean, color=COLOURS["best"], linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(rows)), [short(row.name, 28) for row in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("mean, with its 95 % interval")
    ax.set_title(f"Take {short(found.best, 34)}", loc="left", pad=14)
    ax.grid(axis="x", alpha=0.25, linewidth=0.5)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
