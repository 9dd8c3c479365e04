"""The live page: made when something happened, at most a few times per second, and once for all viewers."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from ..selection import Selection
from ..selection.batches import batch_of
from ..show.document import lead
from ..show.page.chart import Series, drawing, key, scale_for
from ..show.page.scale import Scale
from ..show.page.text import HTML, glued, join, tag
from ..show.ranges import MOST, meaning, options
from ..show.words import amount, distinct

if TYPE_CHECKING:
    from ..selection import Selector

PACE = 0.3  # seconds between two looks, and SHARE times what one takes if that is more
SHARE = 6.0
QUIET = 15.0  # seconds after which a browser gets a sign of life
MOST_WATCHING = 200
RECENT = 60.0  # seconds over which the rate of results is shown
CURVES = 3  # how their intervals narrowed
MOST_OPTIONS = 300  # of a selection with such curves
GROWTH = 1.2  # between two points of a curve, in results
AT_ONCE = 6  # points that are made in one look


class Live:
    """The page as of now."""

    def __init__(self, selector: Selector):
        self.selector, self.past = selector, Past(selector)
        self.title, self.html, self.version = "", HTML(""), 0
        self.seen: tuple[Any, ...] = ()
        self.whole = True  # nothing of the past is missing
        self.spent: list[tuple[float, float]] = []  # (when, spent) of the last minute
        self.over, self.watching = False, 0
        self.turn, self.next, self.pace = asyncio.Lock(), 0.0, PACE

    def look(self) -> None:
        """Make the page again, if something happened."""
        selector, paused = self.selector, self.selector.paused
        spent, budget, pending, names = selector.spent, selector.budget, len(selector.pending), selector.options
        recent = self.recent(spent)
        now = spent, budget, pending, len(names), recent, selector.failing, selector.removed, str(paused)
        if now == self.seen and self.whole:
            return
        try:
            evidence = selector.evidence()
            found = Selection._of(**evidence)
        except RuntimeError as error:  # nothing has worked; a pause says so too
            self.title, parts = "No results yet", [tag("h1", "No results yet")]
            words = str(error)
            parts += [] if paused else [tag("p", f"{words[:1].upper()}{words[1:]}", class_="caution")]
        except ValueError:
            wait = f"{len(names):,} options wait to be tried. Results show here as they come."
            self.title, parts = "No results yet", [tag("h1", "No results yet"), tag("p", wait, class_="lead")]
        else:
            self.title, parts = found.goal_record.headline(found), picture(found)
            self.whole = self.past.grow(evidence)
            parts[-1:-1] = self.past.figure(found)
        notice = [tag("p", str(paused), class_="caution")] if paused else []
        parts[2:2] = [*notice, progress(spent, budget, pending, recent, selector.done)]
        self.html = join(parts, "\n")
        self.seen, self.version = now, self.version + 1

    def recent(self, spent: float) -> float:
        """The results of the last minute."""
        now = time.monotonic()
        if not self.spent or self.spent[-1][1] != spent:
            self.spent.append((now, spent))
        while len(self.spent) > 1 and self.spent[1][0] < now - RECENT:
            del self.spent[0]
        return spent - self.spent[0][1] if self.spent[-1][0] > now - RECENT else 0.0

    async def refresh(self) -> None:
        async with self.turn:
            if time.monotonic() >= self.next:
                began = time.monotonic()
                await asyncio.to_thread(self.look)
                took = time.monotonic() - began
                self.pace = max(PACE, SHARE * took)
                self.next = began + self.pace

    async def stream(self) -> AsyncIterator[str]:
        """The server-sent events for a browser."""
        self.watching += 1
        try:
            sent, last = -1, 0.0
            while not self.over:
                await self.refresh()
                if sent != self.version:
                    sent, last = self.version, time.monotonic()
                    yield f"data: {json.dumps({'title': self.title, 'html': self.html})}\n\n"
                elif time.monotonic() - last > QUIET:
                    last = time.monotonic()
                    yield ": still here\n\n"
                await asyncio.sleep(PACE)
        finally:
            self.watching -= 1


def progress(spent: float, budget: float | None, pending: int, recent: float, over: bool) -> HTML:
    of = "" if budget is None else f" of {amount(budget)}"
    words = [f"{amount(spent)}{of} spent"]
    words += [f"{pending:,} pending"] if pending else []
    words += [f"{amount(recent)} in the last minute"] if recent else []
    bar = [] if budget is None else [tag("progress", max=budget, value=min(spent, budget), aria_label="spent")]
    state = "The search is over: " if over else ""
    return tag("div", *bar, tag("p", f"{state}{', '.join(words)}."), class_="progress")


def picture(found: Selection) -> list[HTML]:
    asked = found.goal_record
    return [
        tag("h1", asked.headline(found)),
        tag("p", glued(lead(found)), class_="lead"),
        options(found, MOST),
        meaning(asked),
    ]


# -- how the intervals narrowed --------------------------------------------------------------------


class Past:
    """Estimates and intervals after so many lines of results, in the order of the log; each is made once."""

    def __init__(self, selector: Selector):
        self.selector, self.read = selector, 0
        self.order: list[tuple[int, bool]] = []  # the option of every line, and whether it is many results in one
        self.totals = [0]  # results after so many lines
        self.points: dict[int, dict[str, tuple[float, float, float]]] = {}

    def grow(self, evidence: dict[str, Any]) -> bool:
        """Make some of the missing points; returns whether all are there."""
        if len(evidence["names"]) > MOST_OPTIONS:
            return True
        events = self.selector.events(self.read)
        self.read += len(events)
        for event in events:
            if event.kind in ("tell", "batch") and event.option is not None:
                many = event.kind == "batch"
                self.order.append((event.option, many))
                self.totals.append(self.totals[-1] + (batch_of("it", event.data).n if many else 1))
        lines = min(sum(map(len, [*evidence["values"], *evidence["batches"]])), len(self.order))  # more may have come
        marks, number = [], 2
        while number <= lines:
            marks.append(number)
            number = int(GROWTH * number) + 1
        missing = [number for number in marks if number not in self.points]
        for number in missing[-AT_ONCE:]:
            self.points[number] = self.after(number, evidence)
        return len(missing) <= AT_ONCE

    def after(self, number: int, evidence: dict[str, Any]) -> dict[str, tuple[float, float, float]]:
        counts = Counter(self.order[:number])

        def first(columns: Any, many: bool = False) -> list[Any]:
            return [column[: counts[i, many]] for i, column in enumerate(columns)]

        past = {
            "values": first(evidence["values"]),
            "replicates": evidence["replicates"] and first(evidence["replicates"]),
            "batches": first(evidence["batches"], many=True),
            "numbers": {name: first(columns) for name, columns in evidence["numbers"].items()},
            "failing": {},
        }
        try:
            found = Selection._of(**{**evidence, **past})
        except ValueError:  # none of the options that are left had a result then
            return {}
        return {row.name: (row.estimate, row.low, row.high) for row in found.rows if row.n > 1}

    def figure(self, found: Selection) -> list[HTML]:
        """The bands of the leading options."""
        xs = sorted(self.points)
        if len(xs) < 4:
            return []
        names, series = [row.name for row in found.ranked[:CURVES] if row.n], []
        for colour, name in enumerate(names):
            value, low, high = zip(*(self.points[x].get(name, (None, None, None)) for x in xs), strict=True)
            series.append(Series(name, value, low, high, colour, colour, strong=colour == 0))
        results = [float(self.totals[x]) for x in xs]
        drawn = drawing(results, series[::-1], Scale(0.0, results[-1]), scale_for(series), {})
        labels = distinct(names, 24)
        legend = [tag("span", key(one), tag("bdi", name)) for one, name in zip(series, labels, strict=True)]
        what = tag("p", f"{found.goal_record.measure}, with its 95 % interval", class_="up")
        plot = tag("div", *drawn, class_="plot")
        return [
            tag(
                "figure",
                tag("figcaption", "How the intervals narrow"),
                tag("div", what, plot, tag("p", "results", class_="across"), class_="drawing"),
                tag("p", *legend, class_="legend"),
                class_="chart narrowing",
            )
        ]
