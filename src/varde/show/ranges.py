"""Estimates with their intervals: the table is the picture, so that it needs no legend, no script, no wide screen.

A row holds the drawing and its numbers.  Colours come from the page around it, light or dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .page.chart import tick_text
from .page.scale import Scale, fit
from .page.text import HTML, escape, join, tag
from .sheet import width_of
from .table import SHOWN
from .words import DASH, Interval, between, decimals_for, number, percent

if TYPE_CHECKING:
    from ..selection.goals import Goal
    from ..selection.result import Selection
    from ..selection.standing import Standing

MOST = 300  # options on a page
OPEN = {"possible": 20, "rejected": 4, "failing": 2, "removed": 2}  # rows to show; more of that verdict are folded
FAR = 10.0  # off the scale: so many times further from the best than half of the others
SHORT = 10  # letters of the longest name, if all are short
LONG = 160  # letters of a name that may be cut off; all of it shows under the mouse
WIDE = 20  # letters of a column of numbers; longer intervals take two lines
SIDE = 1000
OUT = ("failing", "removed")  # verdicts on options that are not compared

MEANING = """<details><summary>What the columns say</summary>
<p><b>{measure}</b> and <b>95 % interval</b>: {average}, and where that is likely to lie.
<b>Results</b>: how many it gave; more are taken where the decision is still open. <b>{chance}</b>: {meaning}; on
simulated problems it errs on the side of doubt. <b>Rejected</b> options include {answer}
with a chance of at most 5 % in total; a <b>possible</b> one may still turn out to {be}.</p></details>"""


def meaning(asked: Goal) -> HTML:
    """The explanation of the columns for this goal."""
    return HTML(MEANING.format(**{name: escape(text) for name, text in asked.meaning.items()}))


def options(found: Selection[Any], most: int = SHOWN) -> HTML:
    """The table of the likeliest ``most`` options; long lists of rejected ones are folded."""
    shown = found.ranked[:most]
    drawing = Drawing(shown, found)
    top, folds = fold(shown)
    parts = [drawing.table(top)]
    for rows in folds:
        words = f"{len(rows):,} more {rows[0].verdict} options"
        parts.append(tag("details", tag("summary", words), drawing.table(rows), class_="fold"))
    more = found._rest(most)
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

    def __init__(self, rows: list[Standing], found: Selection[Any]):
        self.asked, level = found.goal_record, found.goal_record.level(found)
        self.scale = scale = scale_of(rows, level)
        self.decimals = decimals_for([row.estimate for row in rows], [row.interval for row in rows])
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
        return (
            number(row.estimate, self.decimals),
            between(row.interval, self.decimals),
            f"{row.n:,}",
            chance,
            *self.kept(row),
        )

    def kept(self, row: Standing) -> tuple[str, ...]:
        """The numbers with limits, and the chance that all limits are met."""
        if not self.limits:
            return ()
        if not row.numbers:
            return (DASH,) * (len(self.limits) + 1)
        means = [number(mean, decimals_for([mean], [(low, high)])) for mean, low, high in row.numbers.values()]
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
            *marks(self.scale, row.estimate, row.interval),
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


def marks(scale: Scale, value: float, interval: Interval) -> list[HTML]:
    """An interval and its estimate, cut off where the scale ends; an arrow if the estimate is off it."""
    if not math.isfinite(value):
        return []
    at = scale(value)
    if at < -0.01 or at > 1.01:
        return [tag("path", class_="beyond", d="M22 6L2 12L22 18" if at < 0.0 else "M978 6L998 12L978 18")]
    mark = tag("path", class_="mark", d=f"M{round(SIDE * at)} 12h0.1")
    if not any(map(math.isfinite, interval)):
        return [mark]
    low, high = (round(SIDE * min(max(scale(end), -0.01), 1.01)) for end in interval)
    return [tag("path", class_="span", d=f"M{low} 12H{high}"), mark]


def scale_of(rows: Sequence[Standing], level: float | None = None) -> Scale:
    """A scale for options; those that may belong to the answer are always on it."""
    known = [row for row in rows if math.isfinite(row.estimate)]
    center = known[0].estimate if level is None else level
    always = [row.verdict in ("possible", "chosen") for row in known]
    return scale_around(center, [row.estimate for row in known], [row.interval for row in known], FAR, always)


def scale_around(
    center: float, values: Sequence[float], spans: Sequence[Interval], far: float, always: Sequence[bool] = ()
) -> Scale:
    """A scale for what is near ``center``, except intervals so wide that they would leave no room for the others.

    Far away is what is ``far`` times further than half of the others, unless it is ``always`` shown.
    """
    widths = sorted(high - low for low, high in spans if math.isfinite(high - low))
    widest = 4.0 * widths[len(widths) // 2] if widths else 0.0
    away = sorted(abs(value - center) for value in values if value != center)
    furthest = far * away[len(away) // 2] if away else 0.0
    keep = always or [False] * len(values)
    near = [i for i, value in enumerate(values) if keep[i] or abs(value - center) <= furthest]
    ends = [center, *(values[i] for i in near)]
    ends += [end for i in near for end in spans[i] if abs(end - values[i]) <= widest]
    return fit(ends, False)
