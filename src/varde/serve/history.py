"""How the intervals narrowed: the selection judged again after fewer results, in the order of the log."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from .._page.chart import SIDE, Series, across_at, curve, key, tick_text, top_at
from .._page.scale import Scale, known, room_for
from .._page.text import HTML, tag
from ..selection import Selection
from ..selection.batches import saved
from ..selection.text import distinct

if TYPE_CHECKING:
    from ..selection import Selector

MOST_POINTS = 40  # of a curve; half of them are dropped when there are more
MOST_OPTIONS = 300  # with a history
AT_ONCE = 6  # points that are made in one go
SHOWN = 3  # curves


class History:
    """Estimates and intervals after so many results."""

    def __init__(self, selector: Selector):
        self.selector = selector
        self.read, self.step = 0, 1
        self.order: list[tuple[int, bool]] = []  # the option of every result, and whether it was many at once
        self.totals = [0]  # results after so many tellings
        self.points: dict[int, dict[str, tuple[float, float, float]]] = {}

    def grow(self, evidence: dict[str, Any]) -> bool:
        """Compute some of the missing points; returns whether all are there."""
        journal = self.selector._journal
        if not journal.lasts or len(evidence["names"]) > MOST_OPTIONS:
            return True
        events = journal.past(self.read)
        self.read += len(events)
        for event in events:
            if event.kind in ("tell", "batch") and event.option is not None:
                self.order.append((event.option, event.kind == "batch"))
                more = saved(event.data) if event.kind == "batch" else None
                self.totals.append(self.totals[-1] + (1 if more is None else more.n))
        total = sum(map(len, [*evidence["values"], *evidence["batches"]]))  # more may have come since
        while total // self.step > MOST_POINTS:
            self.step *= 2
            self.points = {number: point for number, point in self.points.items() if number % self.step == 0}
        missing = [number for number in range(self.step, total + 1, self.step) if number not in self.points]
        missing.sort(key=lambda number: (-(number & -number), -number))  # far apart first, then between them
        for number in missing[:AT_ONCE]:
            self.points[number] = self.after(number, evidence)
        return len(missing) <= AT_ONCE

    def after(self, number: int, evidence: dict[str, Any]) -> dict[str, tuple[float, float, float]]:
        counts = Counter(self.order[:number])

        def first(columns: Any, many: bool = False) -> list[Any]:
            return [column[: counts[i, many]] for i, column in enumerate(columns)]

        past = {name: first(columns) for name, columns in evidence["numbers"].items()}
        past_values = {"values": first(evidence["values"]), "replicates": first(evidence["replicates"])}
        past_values["batches"] = first(evidence["batches"], many=True)
        try:
            found = Selection.of(**{**evidence, **past_values, "numbers": past, "failing": {}})
        except ValueError:  # none of the options that are left had a result then
            return {}
        return {row.name: (row.estimate, row.low, row.high) for row in found.rows if row.n > 1}

    def figure(self, found: Selection) -> list[HTML]:
        """The bands of the leading options."""
        xs = sorted(self.points)
        if len(xs) < 4:
            return []
        names = [row.name for row in found.ranked[:SHOWN] if row.n]
        blank = (None, None, None)
        series = []
        for colour, name in enumerate(names):
            value, low, high = zip(*(self.points[x].get(name, blank) for x in xs), strict=True)
            series.append(Series(name, value, low, high, colour, colour, strong=colour == 0))
        results = [float(self.totals[x]) for x in xs]
        along = Scale(0.0, results[-1])
        values = [y for one in series for y in known(one.value)]
        up = room_for(values, [y for one in series for ends in (one.low, one.high) for y in known(ends)], False)
        grid = [tag("path", class_="grid", d=across_at(up(y))) for y in up.ticks(4)]
        curves = [curve(one, results, along, up) for one in series[::-1]]
        size = f"0 0 {SIDE} {SIDE}"
        drawn = tag("svg", *grid, *curves, viewBox=size, preserveAspectRatio="none", aria_hidden="true")
        labels = [tag("i", tick_text(y), class_="y", style=top_at(up(y))) for y in up.ticks(4)]
        for x in along.ticks(4):
            end = "x end" if along(x) > 0.93 else "x"
            labels.append(tag("i", tick_text(x), class_=end, style=f"left:{100 * along(x):.1f}%"))
        short = distinct(names, 24)
        legend = [tag("span", key(one), tag("bdi", name)) for one, name in zip(series, short, strict=True)]
        what = tag("p", f"{found.goal_record.measure}, with its 95 % interval", class_="up")
        plot = tag("div", drawn, *labels, class_="plot")
        return [
            tag(
                "figure",
                tag("figcaption", "How the intervals narrow"),
                tag("div", what, plot, tag("p", "results", class_="across"), class_="drawing"),
                tag("p", *legend, class_="legend"),
                class_="chart narrowing",
            )
        ]
