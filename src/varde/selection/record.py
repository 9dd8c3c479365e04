"""The record of a selection: its events in order, in a store, or in memory for as long as the process lives.

What is written between ``begin`` and ``commit`` is kept all at once, or not at all, whatever interrupts it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from typing import Any

from .._files import StoreError
from .._fork import ForkSafe
from . import snapshot
from .checks import check_lasting
from .events import Begin, Event, Snapshot, event_of, kept, line_of, read
from .ledger import Ledger
from .log import AT_ONCE, EventLog, Store, open_log
from .settings import Settings
from .worker import this_process

WRONG = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)  # what a bad line does
BYTES = 256  # of the last state in memory, for each event that is kept beside it


class InMemory(ForkSafe):
    """The state some time ago, and the events since then: an interrupted change is undone with them."""

    name: str | None = None
    worker, read_only = "", False

    def __init__(self) -> None:
        self.lock = self.fork_lock
        self.last: tuple[bytes, list[Event]] | None = None  # the state, and the events since; None: not yet
        self.new: list[Event] = []
        self.position = self.due = (
            0  # events since the last state: those that the ledger has, those that end in another
        )

    def begin(self, at_once: bool = True) -> None:
        """Begin a change; unless ``at_once``, it need not be on disk when it ends."""

    def news(self) -> Sequence[Event]:
        """The next events that the ledger does not have yet; there may be more."""
        if self.last is None or self.position == len(self.last[1]):
            return ()
        start, self.position = self.position, len(self.last[1])
        return self.last[1][start:]

    def begin_with(self, settings: Settings) -> None:
        """The first event: a selection with these settings."""
        self.settings = settings

    def write(self, events: Sequence[Event]) -> None:
        """Add events, which the ledger has from now on."""
        if self.last is not None:
            self.new += events

    def commit(self, ledger: Ledger) -> None:
        """End the change: all of it is kept."""
        if self.last is not None:
            since = self.last[1]
            since += self.new  # from here on it has happened
            self.new, self.position = [], len(since)
            if self.position < self.due:
                return
        state = snapshot.dump(ledger)
        self.last, self.position, self.due = (state, []), 0, max(snapshot.LEAST, len(state) // BYTES)

    def roll_back(self) -> None:
        """End the change: nothing of it is kept."""
        self.new = []

    def rewind(self) -> Ledger | None:
        """The last state that was kept, whose later events are news; None: all events are."""
        self.new, self.position = [], 0
        return None if self.last is None else snapshot.load(self.last[0], self.settings)

    def kept(self, what: str, name: str, given: Any) -> list[Any] | None:
        """[an object] as an event has it; the process has it, so its name will do."""
        return [name]

    def silent(self, workers: Collection[str]) -> set[str]:
        """Those of some workers that are known to be gone."""
        return set()

    def past(self, start: int = 0) -> list[Event]:
        """All events from number ``start`` on, for those who look back."""
        return []

    def damaged(self, how: str) -> Exception:
        return RuntimeError(f"the selection is not what it was ({how}): begin another")

    def close(self) -> None:
        """Nothing more is kept."""


class InStore:
    """Lines in a log, which several processes may write."""

    def __init__(self, log: EventLog):
        self.log, self.name, self.lock, self.begin = log, log.name, log.fork_lock, log.begin
        self.position, self.checksum = 0, 0  # of the last event that the ledger has
        self.begun: int | None = None  # where this change began, or what it had to read
        self.due = 0  # where a snapshot is due
        self.process, self.worker = os.getpid(), this_process()

    @property
    def read_only(self) -> bool:
        return self.log.read_only

    def news(self) -> Sequence[Event]:
        lines = self.log.since(self.position, AT_ONCE)
        return self.decoded(lines) if lines else ()

    def decoded(self, lines: Sequence[str]) -> list[Event]:
        events, position, checksum = [], self.position, self.checksum
        for line in lines:
            try:
                event, checksum = event_of(line, checksum)
            except WRONG as error:
                self.position = position
                raise self.damaged(str(error)) from error
            events.append(event)
            position += 1
        self.position, self.checksum = position, checksum
        return events

    def begin_with(self, settings: Settings) -> None:
        self.write([Begin(settings.saved(), time.time())])

    def write(self, events: Sequence[Event]) -> None:
        if self.begun is None:
            self.begun = self.position
        if self.process != os.getpid():
            self.process, self.worker = os.getpid(), this_process()
        lines, last = [], self.checksum
        for event in events:
            line, last = line_of(event, last, self.worker)
            lines.append(line)
        self.position, self.checksum = self.position + len(lines), last
        self.log.append(lines)

    def commit(self, ledger: Ledger) -> None:
        if self.position >= self.due and self.begun is not None and self.log.keeps_snapshots:
            self.keep_snapshot(ledger, self.begun)
        self.log.commit()
        self.begun = None

    def keep_snapshot(self, ledger: Ledger, begun: int) -> None:
        """Keep the state beside the log at every multiple of a step: the process that gets past it does."""
        step = snapshot.step(self.position, ledger)
        self.due = (self.position // step + 1) * step
        if self.position // step > begun // step and not self.log.read_only:
            position, code = self.position, snapshot.code()
            state = snapshot.dump(ledger, ledger.settings.saved(), position, self.checksum)
            self.write([Snapshot(snapshot.digest_of(state), code)])
            self.log.keep_snapshot(state, position, code)

    def roll_back(self) -> None:
        self.begun = None
        self.log.roll_back()

    def rewind(self) -> Ledger | None:
        self.position = self.checksum = 0
        self.begun = 0 if self.begun is None else self.begun
        state = self.log.snapshot(snapshot.code())
        position, checksum = snapshot.place_of(state)
        following = self.log.since(position, 1) if state is not None and position else ()
        try:
            event, _ = event_of(following[0], checksum) if following else (None, 0)
            if state is None or type(event) is not Snapshot or event.digest != snapshot.digest_of(state):
                return None
            ledger = snapshot.load(state)
        except WRONG:  # it is none, or of another log
            return None
        self.position, self.checksum, self.begun = position, checksum, max(position, self.begun)
        return ledger

    def kept(self, what: str, name: str, given: Any) -> list[Any] | None:
        check_lasting([name])
        return kept(what, given)

    def silent(self, workers: Collection[str]) -> set[str]:
        return self.log.silent(workers)

    def past(self, start: int = 0) -> list[Event]:
        with self.lock:
            return [read(line) for line in self.log.since(start)]

    def damaged(self, how: str) -> StoreError:
        where = self.position + 1
        return StoreError(f"{self.name} is damaged (event {where} {how}), and was left unchanged: {self.log.advice}")

    def close(self) -> None:
        self.log.close()


Record = InMemory | InStore


def record_of(store: Store | None, existing: bool = False) -> Record:
    """The record in ``store``: a file, which may have to be ``existing``, an address, a log; None: in memory."""
    return InMemory() if store is None else InStore(open_log(store, existing))
