"""A selection as a picture: every option with its estimate, its interval and its share of the budget.

In HTML the table is the picture: a row holds the drawing and its numbers, so that it needs no legend, no script and no
wide screen.  Colours come from the page around it, light or dark.
"""

from __future__ import annotations

import functools
import math
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .._page import page
from .._page.chart import tick_text
from .._page.scale import Scale, fit
from .._page.text import HTML, escape, glued, join, tag
from .._table import width_of
from .alike_picture import figure
from .text import DASH, OUT, SHOWN, amount, digits, distinct, interval, number, percent, rest_in_words, short

if TYPE_CHECKING:
    from .goals import Goal
    from .result import Selection
    from .standing import Standing

MOST = 300  # options on a page
OPEN = {"possible": 20, "rejected": 4, "failing": 2, "removed": 2}  # rows to show; more of that verdict are folded
FAR = 10.0  # off the scale: so many times further from the best than half of the others
SHORT = 10  # letters of the longest name, if all are short
LONG = 160  # letters of a name that may be cut off; all of it shows under the mouse
WIDE = 20  # letters of a column of numbers; longer intervals take two lines
SIDE = 1000

MEANING = """<details><summary>What the columns say</summary>
<p><b>{measure}</b> and <b>95 % interval</b>: {average}, and where that is likely to lie.
<b>Results</b>: how many it gave; more are taken where the decision is still open. <b>{chance}</b>: {meaning}; on
simulated problems it errs on the side of doubt. <b>Rejected</b> options include {answer}
with a chance of at most 5 % in total; a <b>possible</b> one may still turn out to {be}.</p></details>"""


def meaning(asked: Goal) -> HTML:
    """The explanation of the columns for this goal."""
    return HTML(MEANING.format(**{name: escape(text) for name, text in asked.meaning.items()}))


@functools.cache
def style() -> str:
    return (files(__package__) / "options.css").read_text(encoding="utf-8").strip()


def whole_page(found: Selection) -> str:
    """The document."""
    asked, headline = found.goal_record, found.goal_record.headline(found)
    body = join(
        [
            tag("h1", headline),
            tag("p", glued(asked.why(found)), class_="lead"),
            tag("style", HTML(style())),
            figure(found),
            options(found, MOST),
            meaning(asked),
        ],
        "\n",
    )
    footer = tag("p", f"{len(found.rows):,} options, {asked.wanted} wanted. Made by varde.")
    return page(headline, body, footer=footer)


def fragment(found: Selection) -> str:
    """For a notebook."""
    return join([tag("style", HTML(style())), tag("p", glued(found.sentence)), figure(found), options(found, SHOWN)])


def options(found: Selection, most: int) -> HTML:
    """The table of the likeliest ``most`` options; long lists of rejected ones are folded."""
    ranked = found.ranked
    shown = ranked[:most]
    drawing = Drawing(shown, found)
    top, folds = fold(shown)
    parts = [drawing.table(top)]
    for rows in folds:
        words = f"{len(rows):,} more {rows[0].verdict} options"
        parts.append(tag("details", tag("summary", words), drawing.table(rows), class_="fold"))
    more = rest_in_words(ranked[most:])
    return join([*parts, tag("p", more)] if more else parts)


def fold(rows: list[Standing]) -> tuple[list[Standing], list[list[Standing]]]:
    """The rows to show and those to fold; one or two are not folded."""
    top, folds = [], []
    for verdict in dict.fromkeys(row.verdict for row in rows):
        kind = [row for row in rows if row.verdict == verdict]
        few = OPEN.get(verdict, len(kind))
        few = few if len(kind) > few + 2 else len(kind)
        top += kind[:few]
        folds += [kind[few:]] if kind[few:] else []
    return top, folds


class Drawing:
    """What the tables of a page share: the scale, the digits, and the widths of the columns."""

    def __init__(self, rows: list[Standing], found: Selection):
        self.asked, level = found.goal_record, found.goal_record.level(found)
        self.scale = scale = span_of(rows, level)
        self.decimals = digits([(row.high - row.low) / 2.0 for row in rows])
        self.ticks = scale.ticks(4)
        behind = [tag("path", class_="tick", d=f"M{round(SIDE * scale(x))} 0V24") for x in self.ticks]
        if level is not None:
            behind.append(tag("path", class_="level", d=f"M{round(SIDE * scale(level))} 0V24"))
        self.behind = join(behind)
        self.busiest = max(row.n for row in rows) or 1
        self.limits = list(rows[0].numbers)
        texts = [self.texts(row) for row in rows]
        self.widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
        self.longest = max(width_of(row.name) for row in rows)

    def texts(self, row: Standing) -> tuple[str, ...]:
        """The columns of numbers."""
        chance = DASH if row.verdict in OUT else percent(row.p_best)
        return number(row.estimate, self.decimals), interval(row, self.decimals), amount(row.n), chance, *self.kept(row)

    def kept(self, row: Standing) -> tuple[str, ...]:
        """The numbers with limits, and the chance that all limits are met."""
        if not self.limits:
            return ()
        if not row.numbers:
            return (DASH,) * (len(self.limits) + 1)
        means = [number(mean, digits([(high - low) / 2.0])) for mean, low, high in row.numbers.values()]
        return *means, percent(row.p_allowed)

    def table(self, rows: list[Standing]) -> HTML:
        what = self.asked.measure
        limits = [*self.limits, "P(limits)"] if self.limits else []
        numbers = [what, "95 % interval", "results", self.asked.chance, *limits]
        heads = ["option", "" if limits else f"{what} and 95 % interval", *numbers, "verdict"]
        head = join([tag("th", name, scope="col", class_="verdict" if name == "verdict" else None) for name in heads])
        # The same widths in every table, so that what is unfolded continues the one above.
        columns = [max(min(width, WIDE), len(name)) for width, name in zip(self.widths, numbers, strict=True)]
        widths = [tag("col", style=f"width:calc({width}ch + 1.3rem)") for width in columns]
        # Short names leave their room to the drawing.
        narrow = f"width:calc({max(self.longest, len('option'))}ch + 1rem)" if self.longest <= SHORT else None
        axis = [tag("span", tick_text(x), style=f"left:{100 * self.scale(x):.1f}%") for x in self.ticks]
        range_axis = tag("td", tag("div", *axis, class_="axis"), class_="range")
        return tag(
            "table",
            tag("colgroup", tag("col", class_="name", style=narrow), tag("col"), *widths, tag("col", class_="verdict")),
            tag("thead", tag("tr", head)),
            tag("tbody", join([self.line(row) for row in rows], "\n")),
            tag("tfoot", tag("tr", tag("td"), range_axis, tag("td", colspan=len(numbers) + 1))),
            class_="options several" if self.limits else "options",
        )

    def line(self, row: Standing) -> HTML:
        mean, reach, results, chance, *kept = self.texts(row)
        what, likely = self.asked.measure, self.asked.chance
        label = f"{row.name}: {what} {mean}, 95 % interval {reach}, {results} results, {likely} {chance}, {row.verdict}"
        picture = tag(
            "svg",
            tag("title", label),
            self.behind,
            *self.marks(row),
            viewBox=f"0 0 {SIDE} 24",
            preserveAspectRatio="none",
            role="img",
            aria_label=label,
        )
        bars = [tag("i", style=f"width:{100 * share:.1f}%") for share in (row.n / self.busiest, row.p_best)]
        # Isolated, since a name may be written from right to left.
        name = tag("bdi", row.name, title=row.name if len(row.name) > LONG else None)
        first = [tag("th", name, scope="row"), tag("td", picture, class_="range")]
        if row.failure:  # the reason says more than a drawing
            first = [tag("th", name, tag("div", row.failure, class_="reason"), scope="row", colspan=2)]
        return tag(
            "tr",
            *first,
            tag("td", mean, data_name=what),
            tag("td", reach, data_name="95 %", class_="interval"),
            tag("td", results, bars[0], class_="bar", data_name="results"),
            tag("td", chance, *(bars[1:] if chance != DASH else []), class_="bar chance", data_name=likely),
            *(tag("td", text, data_name=name) for text, name in zip(kept, [*self.limits, "limits"], strict=False)),
            tag("td", tag("b", row.verdict), class_="verdict"),
            class_=row.verdict,
        )

    def marks(self, row: Standing) -> list[HTML]:
        """The interval and its mean; an arrow if the mean is off the scale."""
        if not math.isfinite(row.estimate):
            return []
        at = self.scale(row.estimate)
        if at < -0.01 or at > 1.01:
            return [tag("path", class_="beyond", d="M22 6L2 12L22 18" if at < 0.0 else "M978 6L998 12L978 18")]
        low, high = (round(SIDE * min(max(self.scale(x), -0.01), 1.01)) for x in (row.low, row.high))
        span = tag("path", class_="span", d=f"M{low} 12H{high}")
        return [span, tag("path", class_="mark", d=f"M{round(SIDE * at)} 12h0.1")]


def span_of(rows: list[Standing], level: float | None = None) -> Scale:
    """A scale for the intervals, except those so wide or far away that they would leave no room for the others."""
    known = [row for row in rows if math.isfinite(row.estimate)]
    center = known[0].estimate if level is None else level
    widths = sorted(row.high - row.low for row in known if math.isfinite(row.high - row.low))
    widest = 4.0 * widths[len(widths) // 2] if widths else 0.0
    away = sorted(abs(row.estimate - center) for row in known if row.estimate != center)
    furthest = FAR * away[len(away) // 2] if away else 0.0
    open_ = ("possible", "chosen")
    near = [row for row in known if row.verdict in open_ or abs(row.estimate - center) <= furthest]
    ends = [center, *(row.estimate for row in near)]
    ends += [end for row in near for end in (row.low, row.high) if abs(end - row.estimate) <= widest]
    return fit(ends, False)


COLOURS = dict.fromkeys(("best", "chosen"), "#11897a") | {"possible": "#a87714"}
COLOURS |= dict.fromkeys(("rejected", *OUT), "#8c8c8c")


def draw(found: Selection, ax: Any = None) -> Any:
    """Estimates on the left, and how many results each took, written beside them."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install 'varde[plot]'") from None
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
        if math.isfinite(row.low) and math.isfinite(row.high):
            ax.plot([row.low, row.high], [y, y], color=colour, linewidth=2.5, alpha=0.6, solid_capstyle="round")
        ax.plot([row.estimate], [y], "o", color=colour)
        for text, offset in ((f"{row.n:,}", 48), (percent(row.p_best), 104)):
            ax.annotate(text, (1.0, y), (offset, 0), fontsize=8.5, **beside)
    for text, offset in (("results", 48), (found.goal_record.chance, 104)):
        ax.annotate(text, (1.0, -0.95), (offset, 0), fontsize=8.5, color="gray", **beside)
    if (level := found.goal_record.level(found)) is not None:
        ax.axvline(level, color=COLOURS["best"], linewidth=0.8, linestyle=":")
    ax.set_yticks(range(len(rows)), distinct([row.name for row in rows], 28))
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel(f"{found.goal_record.measure}, with its 95 % interval")
    ax.set_title(short(found.goal_record.headline(found), 39), loc="left", pad=14)
    ax.grid(axis="x", alpha=0.25, linewidth=0.5)
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(axis="y", length=0)
    return ax
