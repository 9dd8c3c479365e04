"""The live page: made when something happened, at most a few times per second, and once for all viewers."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from .._page.text import HTML, glued, join, tag
from ..selection import Selection
from ..selection.picture import MOST, meaning, options
from ..selection.text import OUT, amount, distinct, percent
from .history import History

if TYPE_CHECKING:
    from ..selection import Selector
    from ..selection.ledger import Ledger

PACE = 0.3  # seconds between two looks, and SHARE times what one takes if that is more
SHARE = 6.0
QUIET = 15.0  # seconds after which a browser gets a sign of life
MOST_WATCHING = 200
RECENT = 60.0  # seconds over which the rate of results is shown
SEGMENTS = 40  # options in the bar of the budget
NAMED = 3  # of them by name


class Live:
    """The page as of now."""

    def __init__(self, selector: Selector):
        self.selector = selector
        self.title, self.html, self.version = "", HTML(""), 0
        self.seen: tuple[Any, ...] = ()
        self.history, self.whole = History(selector), True
        self.spent: list[tuple[float, float]] = []  # (when, spent) of the last minute
        self.over, self.watching = False, 0
        self.turn, self.next, self.pace = asyncio.Lock(), 0.0, PACE

    def look(self) -> None:
        """Make the page again, if something happened."""
        journal, selector = self.selector._journal, self.selector
        with journal.lock:
            ledger = journal.view()
            paused = selector.paused
            failed = sum(ledger.failures.counts.values())
            now: tuple[Any, ...] = (
                ledger.spent,
                ledger.next_id,
                len(ledger.live),
                len(ledger.names),
                ledger.budget,
                failed,
            )
            now += (len(ledger.failing), len(ledger.removed), str(paused), self.recent(ledger.spent))
            if now == self.seen and self.whole:
                return
            words = counts(ledger, self.recent(ledger.spent))
            over = selector.done
        try:
            evidence = selector._evidence(None)
            found = Selection.of(**evidence)
        except RuntimeError as error:  # nothing has worked; a pause says so too
            self.title, parts = "No results yet", [tag("h1", "No results yet")]
            words = str(error)
            parts += [] if paused else [tag("p", f"{words[:1].upper()}{words[1:]}", class_="caution")]
        except ValueError:
            wait = f"{len(ledger.names):,} options wait to be tried. Results show here as they come."
            self.title, parts = "No results yet", [tag("h1", "No results yet"), tag("p", wait, class_="lead")]
        else:
            self.title, parts = found.goal_record.headline(found), picture(found)
            self.whole = self.history.grow(evidence)
            parts[-1:-1] = self.history.figure(found)
        notice = [tag("p", str(paused), class_="caution")] if paused else []
        parts[2:2] = [*notice, progress(ledger, words, over)]
        self.html = HTML(
            join(parts, "\n").replace(' style="', ' data-style="')
        )  # which the policy lets our script read
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


def counts(ledger: Ledger, recent: float) -> str:
    of = "" if ledger.budget is None else f" of {amount(ledger.budget)}"
    parts = [f"{amount(ledger.spent)}{of} spent"]
    parts += [f"{len(ledger.live):,} pending"] if ledger.live else []
    parts += [f"{amount(recent)} in the last minute"] if recent else []
    return ", ".join(parts)


def progress(ledger: Ledger, words: str, over: bool) -> HTML:
    bar = (
        []
        if ledger.budget is None
        else [tag("progress", max=ledger.budget, value=min(ledger.spent, ledger.budget), aria_label="spent")]
    )
    state = "The search is over: " if over else ""
    return tag("div", *bar, tag("p", f"{state}{words}."), class_="progress")


def picture(found: Selection) -> list[HTML]:
    asked = found.goal_record
    return [
        tag("h1", asked.headline(found)),
        tag("p", glued(asked.why(found)), class_="lead"),
        shares(found),
        options(found, MOST),
        meaning(asked),
    ]


def shares(found: Selection) -> HTML:
    """Where the budget goes: a bar in parts, the answer first."""
    rows = [row for row in found.ranked if row.n]
    total = sum(row.n for row in rows)
    shown, rest = rows[:SEGMENTS], rows[SEGMENTS:]
    parts = [
        tag("span", class_=row.verdict, title=f"{row.name}: {percent(row.n / total)}", style=f"flex:{row.n} 1 0")
        for row in shown
    ]
    if rest:
        parts.append(tag("span", class_="rejected", title="others", style=f"flex:{sum(row.n for row in rest)} 1 0"))
    most = sorted(rows, key=lambda row: -row.n)
    names = distinct([row.name for row in most[:NAMED]], 24)
    words = [
        tag("span", tag("bdi", name), f" {percent(row.n / total)}") for name, row in zip(names, most, strict=False)
    ]
    others = sum(row.n for row in most[NAMED:])
    words += [tag("span", f"{len(most) - NAMED:,} others {percent(others / total)}")] if others else []
    out = sum(row.verdict in OUT for row in found.rows)
    words += [tag("span", f"{out:,} left out")] if out else []
    return tag(
        "figure",
        tag("figcaption", "Where the results went"),
        tag("div", *parts, aria_hidden="true"),
        tag("p", *words),
        class_="shares",
    )
