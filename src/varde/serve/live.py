"""The page as of now: made when somebody looks and something has happened, and once for all who look."""

from __future__ import annotations

import asyncio
import hashlib
import time
from typing import TYPE_CHECKING, Any

from .._files import StoreError
from ..selection import Selection
from ..show.document import lead
from ..show.page.text import HTML, glued, join, tag
from ..show.ranges import MOST, meaning, options
from ..show.words import amount

if TYPE_CHECKING:
    from ..selection import Selector

PACE = 0.3  # seconds between two looks, and SHARE times what one takes if that is more
SHARE = 6.0
RECENT = 60.0  # seconds over which the rate of results is shown


class Live:
    """The page, of a selector that only reads."""

    def __init__(self, selector: Selector):
        self.selector = selector
        self.title, self.html, self.version = "", HTML(""), ""
        self.seen: tuple[Any, ...] = ()
        self.spent: list[tuple[float, float]] = []  # (when, spent) of the last minute
        self.turn, self.next = asyncio.Lock(), 0.0

    async def refresh(self) -> None:
        """Look, unless somebody else has just done so."""
        async with self.turn:
            began = time.monotonic()
            if began >= self.next:
                await asyncio.to_thread(self.look)
                self.next = began + max(PACE, SHARE * (time.monotonic() - began))

    def look(self) -> None:
        """Make the page again, if something happened; a store that cannot be read now is said on it."""
        try:
            self.read()
        except StoreError as error:
            self.seen = ()
            self.show(self.title or "The store cannot be read", [tag("p", str(error), class_="caution")])

    def read(self) -> None:
        selector, paused = self.selector, self.selector.paused
        spent, budget, pending, size = selector.spent, selector.budget, len(selector.pending), len(selector.options)
        recent = self.recent(spent)
        now = spent, budget, pending, size, recent, selector.failing, selector.removed, str(paused)
        if now == self.seen:
            return
        try:
            found = selector.recommend()
        except RuntimeError as error:  # nothing has worked; a pause says so too
            words = str(error)
            parts = [tag("h1", "No results yet")]
            parts += [] if paused else [tag("p", f"{words[:1].upper()}{words[1:]}", class_="caution")]
            title = "No results yet"
        except ValueError:
            wait = f"{size:,} options wait to be tried. Results show here as they come."
            title, parts = "No results yet", [tag("h1", "No results yet"), tag("p", wait, class_="lead")]
        else:
            title, parts = found.goal_record.headline(found), picture(found)
        notice = [tag("p", str(paused), class_="caution")] if paused else []
        parts[2:2] = [*notice, progress(spent, budget, pending, recent, selector.done)]
        self.show(title, parts)
        self.seen = now

    def show(self, title: str, parts: list[HTML]) -> None:
        self.title, self.html = title, join(parts, "\n")
        self.version = hashlib.sha256(self.html.encode("utf-8", "replace")).hexdigest()[:16]

    def recent(self, spent: float) -> float:
        """The results of the last minute."""
        now = time.monotonic()
        if not self.spent or self.spent[-1][1] != spent:
            self.spent.append((now, spent))
        while len(self.spent) > 1 and self.spent[1][0] < now - RECENT:
            del self.spent[0]
        return spent - self.spent[0][1] if self.spent[-1][0] > now - RECENT else 0.0


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
