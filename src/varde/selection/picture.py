"""A selection as a picture: every option with its estimate, its interval and its share of the budget.

In HTML the table is the picture: a row holds the drawing and the numbers that it shows, so that nothing needs a legend,
a script, or a wide screen.  Colours come from the page around it, light or dark.
"""

from __future__ import annotations

import functools
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .._page import escape, page
from .._page.chart import tick_text
from .._page.scale import Scale, fit
from .words import DASH, SHOWN, amount, digits, interval, number, percent, rest_in_words, short, why

if TYPE_CHECKING:
    from .result import Row, Selection

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
    body = (
        f"<h1>Take {escape(found.best)}</h1>\n<p class='lead'>{escape(why(found))}</p>\n"
        f"<style>{style()}</style>\n{options(found, MOST)}\n{MEANING}"
    )
    return page(
        f"Take {found.best}", body, footer=f"<p>{len(found.rows):,} options, the {goal} mean wanted. Made by varde.</p>"
    )


def fragment(found: Selection) -> str:
    """For a notebook."""
    return f"<style>{style()}</style><p>{escape(found.sentence)}</p>{options(found, SHOWN)}"


def options(found: Selection, most: int) -> str:
    """The table of the likeliest ``most`` options."""
    ranked = found.ranked
    shown = ranked[:most]
    scale = span_of(shown)
    decimals = digits([(row.high - row.low) / 2.0 for row in shown])
    level = scale(next(row.mean for row in shown if row.name == found.best))
    ticks = scale.ticks(4)
    behind = "".join(f'<path class="tick" d="M{round(SIDE * scale(x))} 0V24"/>' for x in ticks)
    behind += f'<path class="level" d="M{round(SIDE * level)} 0V24"/>'
    busiest = max(row.n for row in shown) or 1
    lines = "\n".join(line(row, scale, behind, decimals, busiest) for row in shown)
    axis = "".join(f'<span style="left:{100 * scale(x):.1f}%">{tick_text(x)}</span>' for x in ticks)
    heads = ("option", "mean and 95 % interval", "mean", "95 % interval", "results", "P(best)", "verdict")
    head = "".join(f'<th scope="col"{" class=verdict" if name == "verdict" else ""}>{name}</th>' for name in heads)
    more = rest_in_words(ranked[most:])
    return (
        f'<table class="options"><thead><tr>{head}</tr></thead>\n<tbody>\n{lines}\n</tbody>\n<tfoot><tr><td></td>'
        f'<td class="range"><div class="axis">{axis}</div></td><td colspan="5"></td></tr></tfoot></table>'
        + (f"<p>{escape(more)}</p>" if more else "")
    )


def span_of(rows: list[Row]) -> Scale:
    """A scale for every interval; those too wide to leave room for the others are cut."""
    known = [row for row in rows if math.isfinite(row.mean)]
    widths = sorted(row.high - row.low for row in known if math.isfinite(row.high - row.low))
    limit = 4.0 * widths[len(widths) // 2] if widths else 0.0
    ends = [row.mean for row in known]
    ends += [end for row in known for end in (row.low, row.high) if abs(end - row.mean) <= limit]
    return fit(ends, False)


def line(row: Row, scale: Scale, behind: str, decimals: int | None, busiest: int) -> str:
    mean, reach = number(row.mean, decimals), interval(row, decimals)
    drawn = ""
    if math.isfinite(row.mean):
        low, at, high = (round(SIDE * min(max(scale(x), -0.01), 1.01)) for x in (row.low, row.mean, row.high))
        drawn = f'<path class="span" d="M{low} 12H{high}"/><path class="mark" d="M{at} 12h0.1"/>'
    failing = row.verdict == "failing"
    chance = DASH if failing else percent(row.p_best)
    said = f"{row.name}: mean {mean}, 95 % interval {reach}, {row.n:,} results, P(best) {chance}, {row.verdict}"
    reason = f'<div class="reason">{escape(row.failure)}</div>' if row.failure else ""
    bars = [f'<i style="width:{100 * share:.1f}%"></i>' for share in (row.n / busiest, row.p_best)]
    return (
        f'<tr class="{row.verdict}"><th scope="row">{escape(row.name)}{reason}</th>'
        f'<td class="range"><svg viewBox="0 0 {SIDE} 24" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(said)}"><title>{escape(said)}</title>{behind}{drawn}</svg></td>'
        f'<td data-name="mean">{mean}</td><td data-name="95 %">{reach}</td>'
        f'<td class="bar" data-name="results">{amount(row.n)}{bars[0]}</td>'
        f'<td class="bar chance" data-name="P(best)">{escape(chance)}{"" if failing else bars[1]}</td>'
        f'<td class="verdict"><b>{row.verdict}</b></td></tr>'
    )


COLOURS = {"best": "#11897a", "possible": "#a87714", "rejected": "#8c8c8c", "failing": "#8c8c8c"}


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
