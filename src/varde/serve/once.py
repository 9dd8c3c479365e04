"""A request sent twice is carried out once, even if the server was killed in between.

A client that gets no answer cannot know whether its request arrived.  It sends it again with the same key
(``Idempotency-Key``).  The key, and a digest of the request that it came with, are stored safely, as the author of the
events that the request caused; with another request the key is refused.

Requests that arrive while the disk is busy are written together in its next turn: waiting for the disk takes longer
than everything else.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .._files import StoreError
from ..selection.log import TransactionLostError
from .operations import Answer, Operation, RefusedError

if TYPE_CHECKING:
    from ..selection import Selector

MARK = "http:"  # how such authors begin; no machine is called so
MOST_KEYS = 100_000  # of the last requests
MOST_AT_ONCE = 200  # requests in one turn


class Earlier(NamedTuple):
    """A request that was carried out."""

    digest: str
    draws: list[int]  # handed out


class HalfwayError(Exception):
    """A change was refused after a part of it was written."""


class Once:
    """The last requests by their keys."""

    def __init__(self, selector: Selector):
        self.selector = selector
        self.known: OrderedDict[str, Earlier] = OrderedDict()
        self.fresh: list[str] = []  # keys of the transaction that is not over
        self.waiting: list[tuple[Callable[[], Any], asyncio.Future[Any]]] = []
        self.running: asyncio.Task[None] | None = None
        for event in selector.events():
            if event.worker.startswith(MARK):
                digest, _, key = event.worker.removeprefix(MARK).partition(":")
                draws = [event.draw] if event.kind == "ask" and event.draw is not None else []
                self.remember(key, digest, draws)

    def remember(self, key: str, digest: str, draws: list[int]) -> None:
        self.known.setdefault(key, Earlier(digest, [])).draws.extend(draws)
        self.fresh.append(key)
        while len(self.known) > MOST_KEYS:
            self.known.popitem(last=False)

    def carry_out(self, operation: Operation, given: Answer, key: str) -> Answer:
        """The answer of the operation, which is not carried out again under the same key."""
        if not key:
            return operation.carry_out(self.selector, given)
        request = f"{operation.method} {operation.path} {json.dumps(given, sort_keys=True)}"
        digest = hashlib.sha256(request.encode()).hexdigest()[:16]
        before = self.known.get(key)
        if before is None:
            author = f"{MARK}{digest}:{key}"
            with self.selector.together(author) as written:
                answer = operation.carry_out(self.selector, given, author)
                if written():
                    self.remember(key, digest, [draw["id"] for draw in answer.get("draws", ())])
            return answer
        if before.digest != digest:
            raise RefusedError(
                422, "the Idempotency-Key belongs to another request, and nothing was done: write a new key for each"
            )
        return operation.again(self.selector, given, before.draws)

    # -- group commit ----------------------------------------------------------------------------

    async def take(self, operation: Operation, given: Answer, key: str) -> Answer:
        """The same, once it is on disk."""
        done: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.waiting.append((lambda: self.carry_out(operation, given, key), done))
        if self.running is None:
            self.running = asyncio.create_task(self.run())
        return await done

    async def run(self) -> None:
        """One turn at a time, each for all waiting requests."""
        try:
            while self.waiting:
                turn, self.waiting = self.waiting[:MOST_AT_ONCE], self.waiting[MOST_AT_ONCE:]
                try:
                    answers = await asyncio.to_thread(self.together, [change for change, _ in turn])
                except Exception as error:
                    answers = [error] * len(turn)
                for (_, done), answer in zip(turn, answers, strict=True):
                    if done.done():  # no longer awaited
                        continue
                    if isinstance(answer, Exception):
                        done.set_exception(answer)
                    else:
                        done.set_result(answer)
        finally:
            self.running = None

    def together(self, changes: Sequence[Callable[[], Any]]) -> list[Any]:
        """What each of them returns or raises.  They are written to disk together, in one wait."""
        while True:
            self.fresh = []
            try:
                with self.selector.together() as written:
                    return [attempt(change, written) for change in changes]
            except BaseException as error:  # and nothing has happened
                for key in self.fresh:
                    self.known.pop(key, None)
                if isinstance(error, HalfwayError):
                    return [attempt(change, lambda: 0) for change in changes]  # each on its own
                if not isinstance(error, TransactionLostError):
                    raise


def attempt(change: Callable[[], Any], written: Callable[[], int]) -> Any:
    """The answer, or the error.  An error of the store, or a change half done, undoes the whole transaction."""
    before = written()
    try:
        return change()
    except StoreError:
        raise
    except Exception as error:
        if written() != before:
            raise HalfwayError from error
        return error
