"""A request that is sent twice is done once, also when the server was killed in between.

A client that gets no answer cannot know whether its request arrived.  It sends it again with the same key
(``Idempotency-Key``).  The key is kept where nothing is lost: as the author of the events that the request caused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..selection import Draw, Selector

MARK = "http:"  # how such authors begin; no machine is called so
MOST_KEYS = 100_000  # of the last requests
LONGEST = 200  # letters of a key


class Once:
    """The last requests by their keys, and the ids of the draws that each was given."""

    def __init__(self, selector: Selector):
        self.selector, self.journal = selector, selector._journal
        self.given: OrderedDict[str, list[int]] = OrderedDict()
        for event in self.journal.log.since(0) if self.journal.lasts else ():
            if event.worker.startswith(MARK):
                ids = [int(event.draw)] if event.kind == "ask" and event.draw is not None else []
                self.remember(event.worker, ids)

    def remember(self, author: str, ids: list[int]) -> None:
        self.given.setdefault(author, []).extend(ids)
        while len(self.given) > MOST_KEYS:
            self.given.popitem(last=False)

    def ask(self, key: str, n: int) -> list[Draw]:
        """Draws; the second time those that are still under way."""
        author = MARK + key
        with self.journal.lock:
            if author in self.given:
                ids = set(self.given[author])
                tickets = self.journal.view().tickets
                mine = {id for id in ids if id in tickets and tickets[id].worker == author}
                return [draw for draw in self.selector.pending if draw.id in mine]
            draws = self.selector.ask(n, worker=author, wait=False)
            if draws:  # nothing handed out is no event
                self.remember(author, [draw.id for draw in draws])
            return draws

    def do(self, key: str, change: Callable[[], Any]) -> Any:
        """What ``change`` answers; None if it was made before."""
        if not key:
            return change()
        author = MARK + key
        with self.journal.lock:
            if author in self.given:
                return None
            before, self.journal.author = self.journal.author, author
            try:
                answer = change()
            finally:
                self.journal.author = before
            if answer is not False:  # of which nothing was written
                self.remember(author, [])
            return answer
