"""The journal keeps the ledger of this process and the log behind it in step.

Every change is a transaction, in which no other process writes: read what others added, decide, append.  It is kept
whole or not at all, and a ledger that got ahead of its log is rebuilt.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, ParamSpec, TypeVar

from .._files import StoreError
from . import snapshot
from .alike import check_features
from .choosing import warm_start_of
from .draws import shuffled
from .events import DECODE, Event, event_of, kept, line_of
from .ledger import Ledger, draws_of
from .log import EventLog, Memory, TransactionLostError
from .resuming import Known, check_items, check_options, known_of, options_of, tests_of
from .settings import Settings
from .worker import is_gone, this_process

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

AT_ONCE = 20_000  # lines read at once
WRONG = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)  # what impossible events do

messages = logging.getLogger("varde")


def repeated(change: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Repeats a change that its log lost on the way, together with all others in the same transaction."""

    @functools.wraps(change)
    def whole(*given: Given.args, **named: Given.kwargs) -> Answer:
        while True:
            try:
                return change(*given, **named)
            except TransactionLostError:
                owner: Any = given[0]
                if getattr(owner, "_journal", owner).holder == threading.get_ident():
                    raise

    return whole


class Journal:
    """Everything that happened, in this process or in others that share the log."""

    begun: Settings  # as the log has them
    settings: Settings  # and as this process wants them
    ledger: Ledger
    known: list[Known]  # the options, as the log has them
    tests: list[Known]  # the items of the fixed test set, in the order of the replicates
    options: list[Any]  # the objects of the options
    items: list[tuple[str, Any]]  # (name, item), in the order of the replicates

    def __init__(self, log: EventLog, change: Callable[[Journal], None]):
        """``change`` begins a selection in the log, or goes on with the one that is there."""
        self.log, self.lock = log, log.fork_lock
        self.lasts = not isinstance(log, Memory)
        self.given: dict[str, Any] = {}  # options by name, as given
        self.algorithm: Any = None  # as given
        self.position, self.checksum = 0, 0  # of the last event
        self.snapped, self.size = 0, 0  # events in the last snapshot, and its bytes
        self.written, self.stale, self.closed = False, False, False
        self.appends = 0  # appends begun, including those that were undone
        self.process = 0  # the process in which the transaction began
        self.depth, self.holder = 0, 0  # nested transactions, of which the outermost counts; and the thread
        self.author = ""  # author of events, if it is not this process
        try:
            self.begin(change)
        except BaseException:
            log.close()  # nothing was written
            raise

    @repeated
    def begin(self, change: Callable[[Journal], None]) -> None:
        self.position = self.checksum = 0
        if not self.lasts:
            change(self)
            return
        with self.log:
            change(self)
            self.take_snapshot()

    # -- a selection begins, or goes on ------------------------------------------------------------

    @classmethod
    def of(
        cls,
        log: EventLog,
        settings: Settings,
        entries: list[tuple[str, Any]],
        costs: list[float],
        items: list[tuple[str, Any]],
        features: Sequence[Any] = (),
    ) -> Journal:
        """A new selection, or the same one that the log has; ``features`` of options that resemble each other."""

        def change(journal: Journal) -> None:
            journal.given, journal.algorithm = dict(entries), settings.algorithm
            if not journal.lasts or not journal.read():
                journal.start(settings, entries, costs, items)
                journal.describe(0, features)
                return
            journal.settings = settings.resumed(journal.begun)
            check_items(dict(items), journal.tests)
            journal.resume(settings.budget, items)
            removed = {journal.ledger.names[i] for i in journal.ledger.removed}
            check_options(entries, costs, journal.known, journal.settings.size, removed)
            if features:
                check_features(journal.ledger, entries, features)

        return cls(log, change)

    @classmethod
    def reopened(
        cls, log: EventLog, where: Any, given: dict[str, Any], options: Any, items: Any, budget: float | None
    ) -> Journal:
        """The selection in a log, with its settings; options, items and algorithm are needed if the log lacks them."""

        def change(journal: Journal) -> None:
            journal.algorithm = given.get("algorithm")
            if not journal.read():
                raise StoreError(f"{where} is empty: write the file of a selection")
            entries = options_of(where, journal.known, options)
            journal.given = dict(entries)
            journal.settings = journal.begun.reopened(given, budget)
            tests = tests_of(where, journal.tests, items)
            check_items(dict(tests), journal.tests)
            journal.resume(journal.settings.budget, tests)
            removed = {journal.ledger.names[i] for i in journal.ledger.removed}
            costs = {known.name: known.cost for known in journal.known}
            prices = [costs.get(name, 1.0) for name, _ in entries]
            check_options(entries, prices, journal.known, journal.settings.size, removed)

        return cls(log, change)

    def start(
        self, settings: Settings, entries: list[tuple[str, Any]], costs: list[float], items: list[tuple[str, Any]]
    ) -> None:
        """A new selection."""
        size, many = len(entries), len(items)
        budget = None if settings.returned else settings.budget  # costs are not known yet
        warm_start = warm_start_of(settings.algorithm, draws_of(budget, costs), size)
        warm_start = min(warm_start, many or warm_start)
        least = warm_start * sum(costs)
        if budget is not None and budget < least and not settings.alike:
            raise ValueError(
                f"budget is {budget}, but {type(settings.algorithm).__name__} draws each of {size} options "
                f"{warm_start} time(s) first: write {least:g} or more, or alike=True "
                "if similar ones give similar results"
            )
        self.begun = self.settings = replace(settings, warm_start=warm_start, size=size, items=many)
        self.ledger = Ledger(self.settings, [name for name, _ in entries], costs)
        self.options = [option for _, option in entries]
        order = shuffled(settings.seed, many)
        self.items = [items[number] for number in order]
        if self.lasts:
            self.known = [
                Known(i, name, cost, kept("an option", option))
                for i, ((name, option), cost) in enumerate(zip(entries, costs, strict=True))
            ]
            self.tests = [
                Known(number, name, 1.0, kept("an item", item))
                for number, (name, item) in zip(order, self.items, strict=True)
            ]
            self.append(
                [
                    Event("settings", data=self.settings.saved(), time=time.time()),
                    *(known.as_option() for known in self.known),
                    *(known.as_item(place) for place, known in enumerate(self.tests)),
                ]
            )

    def describe(self, start: int, features: Sequence[Any]) -> None:
        """Keep the features of options, from number ``start`` on."""
        now = time.time()
        self.happen(*(Event("features", option=start + i, data=row, time=now) for i, row in enumerate(features)))

    def resume(self, wanted: float | None, items: list[tuple[str, Any]]) -> None:
        """Go on with the selection that was read, with more budget if asked for."""
        tests = dict(items)
        self.items = [(known.name, tests[known.name]) for known in self.tests]
        self.options = [self.option(known) for known in self.known]
        budget = self.ledger.budget
        messages.info("continues with %g spent in %s", self.ledger.spent, self.log.name)
        if wanted is not None and (budget is None or wanted > budget):
            self.happen(Event("budget", value=wanted, time=time.time()))
        if not self.log.read_only:
            self.find_lost()

    def option(self, known: Known) -> Any:
        """The object of an option, as given or from the log."""
        if known.name in self.given or known.data is None:
            return self.given.get(known.name)  # of an object that another process added only the name is known
        return known.data[0]

    # -- reading -----------------------------------------------------------------------------------

    def read(self) -> bool:
        """Rebuild the ledger from the log; False if there is nothing in it."""
        found = snapshot.load(self.log, self.algorithm)
        if found is not None:
            self.begun, self.known, self.tests, self.ledger, self.position, self.checksum, self.size = found
            self.snapped = self.position
        else:
            self.position = self.checksum = 0
            first = next(self.events(1), None)
            if first is None:
                return False
            if first.kind != "settings":
                raise StoreError(f"{self.log.name} does not begin with settings: write the file of a selection")
            self.begun = Settings.read(first.data).with_algorithm(self.algorithm)
            size, items = self.begun.size, self.begun.items
            events = [*self.events(size + items)]
            kinds, numbers = [event.kind for event in events], [event.option for event in events]
            if kinds != ["option"] * size + ["item"] * items or numbers[:size] != [*range(size)]:
                raise StoreError(f"{self.log.name} does not begin with its options: write the file of a selection")
            try:
                begun = [known_of(event) for event in events]
            except WRONG as error:
                raise self.damaged(f"or one before it is impossible: {error}") from error
            self.known, self.tests = begun[:size], begun[size:]
            self.ledger = Ledger(self.begun, [each.name for each in self.known], [each.cost for each in self.known])
        self.options = []
        self.catch_up()
        return True

    def events(self, most: int | None = None) -> Iterator[Event]:
        """The next events of the log, in order."""
        left = AT_ONCE if most is None else most
        while left > 0:
            wanted = min(left, AT_ONCE)
            lines = self.log.since(self.position, wanted)
            for line in lines:
                try:
                    event, self.checksum = event_of(line, self.checksum)
                except WRONG as error:
                    raise self.damaged(str(error)) from error
                self.position += 1
                yield event
            left -= 0 if most is None else len(lines)
            if len(lines) < wanted:
                return

    def catch_up(self) -> None:
        """Read what other processes wrote."""
        for event in self.events():
            try:
                self.ledger.apply(event)
                if event.kind == "option":
                    self.known.append(known_of(event))
            except WRONG as error:
                self.position -= 1
                raise self.damaged(f"is impossible, {event.kind}: {error}") from error
        for known in self.known[len(self.options) :] if self.options else ():
            self.options.append(self.option(known))

    def damaged(self, how: str) -> StoreError:
        return StoreError(
            f"{self.log.name} is damaged (event {self.position + 1} {how}), and was left unchanged: {self.log.advice}"
        )

    def past(self, position: int = 0) -> list[Event]:
        """All events from a position on, for those who look back."""
        with self.lock:
            return [Event(*DECODE(line)[0][1:]) for line in self.log.since(position)] if self.lasts else []

    @repeated
    def view(self) -> Ledger:
        """The ledger as of now."""
        if self.lasts and not self.closed:
            with self.lock:
                self.refresh()
        return self.ledger

    def refresh(self) -> None:
        was_stale, self.stale = self.stale, True  # until all is read: an interrupt leaves half of it
        if was_stale:
            self.read()
            self.options = [self.option(known) for known in self.known]
        else:
            self.catch_up()
        self.stale = False

    # -- transactions ------------------------------------------------------------------------------

    def __enter__(self) -> Ledger:
        """Begin a transaction: nothing else is written, here or in other processes."""
        if not self.lasts:
            self.lock.acquire()
            return self.ledger
        return self.enter(at_once=True)

    def enter(self, at_once: bool) -> Ledger:
        self.lock.acquire()
        if self.depth and self.process == os.getpid():  # not in a child forked in between
            self.depth += 1
            return self.ledger
        if self.lasts:
            try:
                self.written = False
                self.log.begin(at_once)
                try:
                    self.refresh()
                except BaseException:
                    self.log.roll_back()
                    raise
            except BaseException as error:
                self.stale = self.stale or isinstance(error, TransactionLostError)
                self.lock.release()
                raise
        self.depth, self.holder, self.process = 1, threading.get_ident(), os.getpid()
        return self.ledger

    def __exit__(self, kind: Any, *error: Any) -> None:
        """End the transaction: keep it whole or not at all."""
        if not self.lasts:
            self.lock.release()
            return
        self.depth -= 1
        if self.depth:
            self.lock.release()
            return
        self.holder = 0
        try:
            if kind is None:
                if self.written:
                    self.take_snapshot()
                self.log.commit()
            else:
                self.stale = self.stale or self.written
                self.log.roll_back()
        except BaseException:
            self.stale = True
            self.log.roll_back()
            raise
        finally:
            self.lock.release()

    def happen(self, *events: Event) -> None:
        """Add events, inside a transaction of this process."""
        if self.lasts:
            author = self.author or this_process()
            self.append([event if event.worker else event._replace(worker=author) for event in events])
        for event in events:
            self.ledger.apply(event)
            if event.kind == "option" and self.lasts:
                self.known.append(known_of(event))

    def append(self, events: Sequence[Event]) -> None:
        lines, last = [], self.checksum
        for event in events:
            line, last = line_of(event, last)
            lines.append(line)
        self.written, self.appends = True, self.appends + 1
        self.log.append(lines)
        self.position, self.checksum = self.position + len(lines), last

    def take_snapshot(self) -> None:
        """Keep a snapshot now and then, so that a long log is opened without reading all of it."""
        if self.log.read_only or not snapshot.is_due(self.position - self.snapped, self.size):
            return
        kept_at = self.log.snapshot_position()
        if kept_at is None:  # it keeps none
            self.snapped = self.position
        elif not self.snapped or snapshot.is_due(self.position - kept_at, self.size):  # none yet that can be used
            data = snapshot.dump(
                snapshot.Snapshot(self.begun, self.known, self.tests, self.ledger, self.position, self.checksum)
            )
            self.log.keep_snapshot(data, self.position)
            self.snapped, self.size = self.position, len(data)
        else:  # another process has just kept one
            self.snapped = kept_at

    def find_lost(self) -> None:
        """Queue draws of dead processes to be handed out again."""
        workers = {self.ledger.tickets[number].worker for number in self.ledger.live} - {"", this_process()}
        gone = {worker for worker in workers if is_gone(worker)}
        gone |= self.log.silent(workers - gone)
        for number in list(self.ledger.live):
            if self.ledger.tickets[number].worker in gone:
                self.happen(Event("lost", number, self.ledger.tickets[number].option, time=time.time()))

    def close(self) -> None:
        with self.lock:
            self.closed = True
            self.log.close()


class Handing:
    """A transaction in which draws are handed out to this process.

    They need not be on disk at once: a power cut that undoes them also ends this process, and the same draws, with the
    same ids and seeds, are handed out again.
    """

    def __init__(self, journal: Journal):
        self.journal = journal

    def __enter__(self) -> Ledger:
        return self.journal.enter(at_once=False)

    def __exit__(self, kind: Any, *error: Any) -> None:
        self.journal.__exit__(kind, *error)
