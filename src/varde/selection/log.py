"""The log of a selection: lines of text, in order, that hold everything that happened (``events``).

To keep logs elsewhere, write a subclass of ``EventLog`` and give an object of it as ``store``, or name it as an entry
point ``varde.stores`` and give an address: "scheme://..." opens the entry point ``scheme``, which takes the address.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import Any, Self

from .._files import StoreError
from .._fork import ForkSafe
from .address import Address, as_place, scheme_of

# As in pyproject.toml, for a package that is used without being installed.
OURS = "postgresql", "varde.selection.postgres:Postgres", "varde.stores"  # an entry point


AT_ONCE = 20_000  # lines read at once


class TransactionLostError(StoreError):
    """A log lost its connection inside a transaction, of which nothing is kept: it can be repeated."""


class EventLog(ForkSafe):
    """Keeps lines in order.  Between ``begin`` and ``commit`` or ``roll_back`` no other process appends.

    Six methods are to be written; the others may stay as they are.
    """

    name: str = "the store"  # in messages
    read_only: bool = False  # nothing can be appended
    keeps_snapshots: bool = False  # it has the two methods for them
    advice: str = "restore a copy"  # what to do about damage

    def begin(self, at_once: bool = True) -> None:
        """Begin a transaction; unless ``at_once``, its commit need not wait for the disk."""
        raise NotImplementedError

    def append(self, lines: Sequence[str]) -> None:
        """Append lines inside a transaction."""
        raise NotImplementedError

    def commit(self) -> None:
        """End the transaction: its lines are kept."""
        raise NotImplementedError

    def roll_back(self) -> None:
        """End the transaction: nothing of it is kept."""
        raise NotImplementedError

    def since(self, position: int, most: int | None = None) -> Sequence[str]:
        """The lines from number ``position`` on, counted from 0; at most so many."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the log."""
        raise NotImplementedError

    def silent(self, workers: Collection[str]) -> set[str]:
        """Those of some workers, whose processes run elsewhere, that are known to be gone; inside a transaction."""
        return set()

    def snapshot(self, code: str) -> bytes | None:
        """The last snapshot that was kept by this version of the code."""
        return None

    def keep_snapshot(self, data: bytes, position: int, code: str) -> None:
        """Keep a snapshot of the first ``position`` events in place of the last by this code, in a transaction."""

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, kind: Any, *error: Any) -> None:
        self.commit() if kind is None else self.roll_back()


class ReadOnly(EventLog):
    """Another log, of which nothing is locked or written: whoever uses it does not notice."""

    read_only = True

    def __init__(self, log: EventLog):
        self.log, self.name, self.advice = log, log.name, log.advice

    def begin(self, at_once: bool = True) -> None:
        pass

    def append(self, lines: Sequence[str]) -> None:
        raise StoreError(f"{self.name} was opened for reading: open it with varde.Selector.open")

    def commit(self) -> None:
        pass

    def roll_back(self) -> None:
        pass

    def since(self, position: int, most: int | None = None) -> Sequence[str]:
        return self.log.since(position, most)

    def snapshot(self, code: str) -> bytes | None:
        return self.log.snapshot(code)

    def close(self) -> None:
        self.log.close()

    def __str__(self) -> str:
        return self.name


Store = str | os.PathLike[str] | Address | EventLog


def open_log(store: Store, existing: bool = False) -> EventLog:
    """The log for ``store``: a file, which may have to be ``existing``, an address, or the user's own."""
    if isinstance(store, EventLog):
        return store
    store = as_place(store)
    if isinstance(store, Address) or (isinstance(store, str) and scheme_of(store)):
        return of_scheme(store)
    if not isinstance(store, str | os.PathLike):
        raise TypeError(f"store is {store!r}: write the name of a file, an address, or an object of an EventLog")
    if existing and not os.path.isfile(store):
        what = "is a folder" if os.path.isdir(store) else "does not exist"
        raise StoreError(f"{store} {what}: write the file of a selection")
    from .file import File  # sqlite is imported only where there is a file

    return File(store)


def read_only(store: Store) -> ReadOnly:
    """The log of a selection that exists, for those who only look."""
    return ReadOnly(open_log(store, existing=True))


def of_scheme(address: str | Address) -> EventLog:
    """The log at an address, by the entry point of its scheme."""
    scheme = "postgresql" if isinstance(address, Address) else scheme_of(address)
    from importlib.metadata import EntryPoint, entry_points  # takes a tenth of the time of importing varde

    known = {entry.name: entry for entry in (EntryPoint(*OURS), *entry_points(group="varde.stores"))}
    if scheme not in known:
        others = " or ".join(f"{name}://..." for name in sorted(known))
        raise ValueError(f"store begins with {scheme}://, which no installed package opens: write a file, or {others}")
    log = known[scheme].load()(address)
    if not isinstance(log, EventLog):
        raise TypeError(f"{known[scheme].value} made {log!r}: let it return an object of an EventLog")
    return log
