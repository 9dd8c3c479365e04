"""The log of a selection: everything that happened, in order.

Settings, options and notes are events too, so that a log read from its beginning holds the whole selection.  To
keep logs elsewhere, write a class with the methods of ``EventLog`` and give an object of it as ``store``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

from .._files import StoreError
from .address import Address, as_place, is_server


class Event(NamedTuple):
    """One thing that happened, when (``time``) and where (``worker``).

    The other fields of each kind of event::

        settings  data (JSON): goal, seed, crn, costs (whether there are any), algorithm, budget, warm_start, retries,
                  expire, size (how many options there are at the start), returned (whether costs come back with the
                  results) and items (how many), which may be missing; the first event, followed by options and items
        option    option (its number, from 0), text (its name), value (its cost), data (JSON, None if it cannot be)
        item      option (its number in the fixed test set), replicate (its place in the common order), text (its name),
                  data (JSON, None if it cannot be); after the options, as many as settings say
        ask       draw, option, replicate, seed, text (why: warm start, rule, again, instead), value (1: to see whether
                  an outage is over)
        tell      draw, option, replicate, seed, value (the result), data (JSON: cost, where costs come back)
        batch     draw, option, value (the mean), data (JSON: successes and trials, or mean, sem and n; the cost of all)
        fail      draw, option, replicate, seed, text (the reason), data (JSON: {"pause": seconds} until the next ask)
        expire    the same: no result came in time
        drop      option, text (its last reason): it is left out from here on, unless a result of it comes
        lost      draw, option: its worker is gone
        budget    value (the total)
        remove    option: it is no longer drawn or recommended
        restore   option: it is drawn and recommended again
        note      text (its name), data (JSON)
    """

    kind: str
    draw: int | None = None
    option: int | None = None
    replicate: int | None = None
    seed: int | None = None
    value: float | None = None
    text: str | None = None
    time: float = 0.0
    worker: str = ""
    data: str | None = None


class TransactionLostError(StoreError):
    """A log lost its connection inside a transaction, of which nothing is kept: it can be repeated."""


@runtime_checkable
class EventLog(Protocol):
    """Keeps events.  ``with log:`` is a transaction: no other process appends, and an exception undoes it.

    A log that knows which processes are alive also has ``silent(workers)``, which returns those that are not.
    """

    def append(self, events: Sequence[Event]) -> None:
        """Append events inside a transaction; they are durable when it ends."""

    def since(self, position: int) -> list[Event]:
        """The events from number ``position`` on, counted from 0."""

    def close(self) -> None:
        """Close the log."""

    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, *error: Any) -> None: ...


class Memory:
    """A log in memory, for a selection in one process."""

    def append(self, events: Sequence[Event]) -> None:
        pass

    def since(self, position: int) -> list[Event]:
        return []

    def close(self) -> None:
        pass

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        pass


def open_log(store: str | os.PathLike[str] | Address | EventLog | None) -> EventLog:
    """The log for ``store``: a file, an address, the user's own log, or one in memory."""
    if store is None:
        return Memory()
    store = as_place(store)
    if isinstance(store, Address):
        from .postgres import Postgres

        return Postgres(store)
    if is_server(store):
        raise ValueError(
            f'store is {store}, a server, which already has its options: write Selector("{store}", token=...)'
        )
    if isinstance(store, str | os.PathLike):
        from .file import File  # sqlite is imported only where there is a file

        return File(store)
    if not isinstance(store, EventLog):
        raise TypeError(
            f"store is {store!r}: write the name of a file, an address, or an object with since, append, __enter__, "
            "__exit__ and close"
        )
    return store
