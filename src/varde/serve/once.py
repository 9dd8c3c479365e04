"""A request sent twice is carried out once, even if the server was killed in between.

A client that gets no answer cannot know whether its request arrived.  It sends it again with the same key
(``Idempotency-Key``).  The key is stored safely, as the author of the events that the request caused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from .._files import StoreError
from ..selection.log import TransactionLostError

if TYPE_CHECKING:
    from ..selection import Draw, Selector

MARK = "http:"  # how such authors begin; no machine is called so
MOST_KEYS = 100_000  # of the last requests
LONGEST = 200  # letters of a key


class HalfwayError(Exception):
    """A change was refused after a part of it was written."""


class Once:
    """The last requests by their keys, and the ids of the draws that each was given."""

    def __init__(self, selector: Selector):
        self.selector, self.journal = selector, selector._journal
        self.given: OrderedDict[str, list[int]] = OrderedDict()
        self.fresh: list[str] = []  # what is remembered of the transaction that is not over
        for event in self.journal.past():
            if event.worker.startswith(MARK):
                ids = [int(event.draw)] if event.kind == "ask" and event.draw is not None else []
                self.remember(event.worker, ids)

    def remember(self, author: str, ids: list[int]) -> None:
        self.given.setdefault(author, []).extend(ids)
        self.fresh.append(author)
        while len(self.given) > MOST_KEYS:
            self.given.popitem(last=False)

    def together(self, changes: Sequence[Callable[[], Any]]) -> list[Any]:
        """What each of them returns or raises.  They are written to disk together, in one wait."""
        while True:
            self.fresh = []
            try:
                with self.journal:
                    return [self.attempt(change) for change in changes]
            except BaseException as error:  # and nothing has happened
                for author in self.fresh:
                    self.given.pop(author, None)
                if isinstance(error, HalfwayError):
                    return [self.alone(change) for change in changes]
                if not isinstance(error, TransactionLostError):
                    raise

    def attempt(self, change: Callable[[], Any]) -> Any:
        """The answer, or the error.  An error of the log, or a change half done, undoes the whole transaction."""
        before = self.journal.appends
        try:
            return change()
        except StoreError:
            raise
        except Exception as error:
            if self.journal.appends != before:
                raise HalfwayError from error
            return error

    def alone(self, change: Callable[[], Any]) -> Any:
        """The same in a transaction of its own."""
        try:
            return change()
        except Exception as error:
            return error

    def ask(self, key: str, n: int) -> list[Draw]:
        """Draws; on a repeated request those that are still pending."""
        author = MARK + key
        with self.journal.lock:
            if author in self.given:
                ids = set(self.given[author])
                tickets = self.journal.view().tickets
                mine = {id for id in ids if id in tickets and tickets[id].worker == author}
                return [draw for draw in self.selector.pending if draw.id in mine]
            draws = self.selector.ask(n, worker=author, wait=False)
            if draws:  # nothing handed out: no event
                self.remember(author, [draw.id for draw in draws])
            return draws

    def do(self, key: str, change: Callable[[], Any]) -> Any:
        """The answer of ``change``; None if it was carried out before."""
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
