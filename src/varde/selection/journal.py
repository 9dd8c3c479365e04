"""The journal keeps the ledger of this process and the log behind it in step.

Every change is a transaction, in which no other process writes: read what others added, decide, append.  It is kept
whole or not at all, and a ledger that got ahead of its log is rebuilt.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from .._files import StoreError
from ..check import shown
from ..rule import VarDE, first_samples
from . import snapshot
from .alike import check_features, described_later
from .checks import check_lasting, price_of_new
from .draws import shuffled
from .events import DECODE, Event, event_of, kept, line_of
from .ledger import Ledger, draws_of
from .log import AT_ONCE, EventLog, Memory, TransactionLostError
from .resuming import check_items, check_options, given_or_saved, refuse_other
from .settings import Settings
from .worker import is_gone, this_process

Answer = TypeVar("Answer")
Entries = list[tuple[str, Any]]  # names and objects

# What impossible events do.
WRONG = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)

messages = logging.getLogger("varde")


class Journal:
    """Everything that happened, in this process or in others that share the log."""

    settings: Settings  # as this process wants them; those of the ledger are as the log has them
    ledger: Ledger
    options: list[Any]  # the objects of the options
    items: Entries  # of the fixed test set, in the order of the replicates

    def __init__(self, log: EventLog, start: Callable[[Journal], None]):
        """``start`` begins a selection in the log, or goes on with the one that is there."""
        self.log, self.lock = log, log.fork_lock
        self.lasts = not isinstance(log, Memory)
        self.given: dict[str, Any] = {}  # options by name, as given
        self.position, self.checksum = 0, 0  # of the last event
        self.began = 0  # the position at which this transaction began
        self.due = 0  # the position at which a snapshot is due
        self.stale, self.closed = False, False
        self.process, self.worker = os.getpid(), this_process()  # in which the transaction began
        try:
            self.repeated(self.begin, start)
        except BaseException:
            log.close()  # nothing was written
            raise

    def begin(self, start: Callable[[Journal], None]) -> None:
        self.position = self.checksum = 0
        if not self.lasts:
            start(self)
            return
        with self.log:
            start(self)
            self.take_snapshot()

    # -- a selection begins, or goes on ------------------------------------------------------------

    @classmethod
    def of(
        cls,
        log: EventLog,
        settings: Settings,
        entries: Entries,
        costs: list[float],
        items: Entries,
        features: Sequence[Any] = (),
    ) -> Journal:
        """A new selection, or the same one that the log has; ``features`` of options that resemble each other."""

        def start(journal: Journal) -> None:
            journal.given = dict(entries)
            if journal.lasts and journal.read():
                journal.settings = settings.resumed(journal.ledger.settings)
                journal.resume(entries, costs, items)
                if features:
                    check_features(journal.ledger, entries, features)
            else:
                journal.start(settings, entries, costs, items)
                journal.describe(0, features)

        return cls(log, start)

    @classmethod
    def reopened(cls, log: EventLog, where: Any, wanted: dict[str, Any], options: Any, items: Any) -> Journal:
        """The selection in a log, with its settings; options and items are needed if the log lacks them."""

        def start(journal: Journal) -> None:
            if not journal.read():
                raise StoreError(f"{where} is empty: write the file of a selection")
            ledger = journal.ledger
            entries = given_or_saved(where, list(zip(ledger.names, ledger.kept, strict=True)), options, "options")
            in_order = sorted(ledger.tests)
            tests = given_or_saved(where, [(test.name, test.kept) for test in in_order], items, "items")
            journal.given = dict(entries)
            journal.settings = ledger.settings.reopened(wanted)
            costs = dict(zip(ledger.names, ledger.costs, strict=True))
            journal.resume(entries, [costs.get(name, 1.0) for name, _ in entries], tests)

        return cls(log, start)

    def start(self, settings: Settings, entries: Entries, costs: list[float], items: Entries) -> None:
        """A new selection."""
        size, many, budget, now = len(entries), len(items), settings.budget, time.time()
        warm_start = settings.warm_start or int(first_samples(VarDE(), draws_of(budget, costs), size))
        self.settings = settings = replace(settings, warm_start=warm_start)
        least = (settings.warm_start or 0) * sum(costs)
        if budget is not None and budget < least and not settings.alike:
            raise ValueError(
                f"budget is {budget}, but each of {size} options is drawn {settings.warm_start} time(s) first: "
                f"write {least:g} or more, or alike=True if similar ones give similar results"
            )
        self.ledger = Ledger(self.settings)
        if self.lasts:
            self.append([Event("settings", data=self.settings.saved(), time=now)])
        self.options = [option for _, option in entries]
        order = shuffled(settings.seed, many)
        self.items = [items[number] for number in order]
        objects = [kept("an option", option) if self.lasts else None for option in self.options]
        tests = [kept("an item", item) if self.lasts else None for _, item in self.items]
        self.happen(
            *(
                Event("option", option=i, value=costs[i], text=name, time=now, data=objects[i])
                for i, (name, _) in enumerate(entries)
            ),
            *(
                Event("item", option=order[place], replicate=place, text=name, time=now, data=tests[place])
                for place, (name, _) in enumerate(self.items)
            ),
        )

    def describe(self, start: int, features: Sequence[Any]) -> None:
        """Keep the features of options, from number ``start`` on."""
        now = time.time()
        if features:
            self.happen(*(Event("features", option=start + i, data=row, time=now) for i, row in enumerate(features)))

    def resume(self, entries: Entries, costs: list[float], items: Entries) -> None:
        """Go on with the selection that was read, with more budget if asked for, unless it is another one."""
        check_items(items, self.ledger)
        tests, ledger, wanted = dict(items), self.ledger, self.settings.budget
        self.items = [(test.name, tests[test.name]) for test in ledger.tests]
        self.options = [self.option(i) for i in range(len(ledger.names))]
        messages.info("continues with %g spent in %s", ledger.spent, self.log.name)
        if wanted is not None and (ledger.budget is None or wanted > ledger.budget):
            self.happen(Event("budget", value=wanted, time=time.time()))
        if not self.log.read_only:
            self.find_lost()
        check_options(entries, costs, ledger)

    def option(self, i: int) -> Any:
        """The object of an option, as given or from the log; of one that another process added, maybe only its name."""
        saved = self.ledger.kept[i]
        name = self.ledger.names[i]
        return self.given.get(name) if name in self.given or saved is None else saved[0]

    def add_option(self, ledger: Ledger, option: Any, name: str, cost: float | None, features: Any) -> None:
        """A new option, or one that was removed comes back; inside a transaction."""
        i = ledger.numbers.get(name)
        if i is not None:
            if i not in ledger.removed:
                raise ValueError(f"there is an option {name!r} already: write name=...")
            if cost is not None and cost != ledger.costs[i]:
                raise ValueError(f"{name!r} had a cost of {ledger.costs[i]:g}: leave cost={shown(cost)} out")
            refuse_other(name, option, kept("the option", self.options[i]))
            self.given[name] = self.options[i] = option
            self.happen(Event("restore", option=i, time=time.time()))
            return
        price, data = price_of_new(cost, name, ledger.priced), None
        rows = described_later(self.settings.alike, ledger, option, name, features)
        if self.lasts:
            check_lasting([name])
            data = kept("the option", option)
        number = len(ledger.names)
        self.happen(Event("option", option=number, value=price, text=name, time=time.time(), data=data))
        self.describe(number, rows)
        self.given[name] = option
        self.options.append(option)

    # -- reading -----------------------------------------------------------------------------------

    def read(self) -> bool:
        """Rebuild the ledger, from the last snapshot or else the beginning; False if there is nothing in the log."""
        found = snapshot.load(self.log)
        self.position, self.checksum = 0, 0
        if found is not None:
            self.ledger, self.position, self.checksum = found
        self.began = self.position
        self.catch_up(self.log.since(self.position, AT_ONCE))
        if not self.position:
            return False
        begun = self.ledger.settings
        if len(self.ledger.names) < begun.size or len(self.ledger.tests) < begun.items:
            raise StoreError(f"{self.log.name} does not begin with its options: write the file of a selection")
        return True

    def decoded(self, lines: Sequence[str]) -> Iterator[Event]:
        """The events of lines, the next of the log."""
        for line in lines:
            try:
                event, self.checksum = event_of(line, self.checksum)
            except WRONG as error:
                raise self.damaged(str(error)) from error
            self.position += 1
            yield event

    def catch_up(self, lines: Sequence[str]) -> None:
        """Take what other processes wrote, from these lines on."""
        while lines:
            for event in self.decoded(lines):
                if self.position == 1:
                    self.ledger = Ledger(Settings.read(event.data))
                    continue
                try:
                    self.ledger.apply(event)
                except WRONG as error:
                    self.position -= 1
                    raise self.damaged(f"is impossible, {event.kind}: {error}") from error
            lines = self.log.since(self.position, AT_ONCE) if len(lines) == AT_ONCE else ()

    def damaged(self, how: str) -> StoreError:
        return StoreError(
            f"{self.log.name} is damaged (event {self.position + 1} {how}), and was left unchanged: {self.log.advice}"
        )

    def past(self, position: int = 0) -> list[Event]:
        """All events from a position on, for those who look back."""
        with self.lock:
            return [Event(*DECODE(line)[0][1:]) for line in self.log.since(position)] if self.lasts else []

    def view(self) -> Ledger:
        """The ledger as of now."""
        if self.lasts and not self.closed:
            self.repeated(self.refresh)
        return self.ledger

    def refresh(self) -> None:
        """Read the log up to its end."""
        was_stale, self.stale = self.stale, True  # until all is read: an interrupt leaves half of it
        if was_stale:
            self.read()
            self.options = []
        elif lines := self.log.since(self.position, AT_ONCE):
            self.catch_up(lines)
        for i in range(len(self.options), len(self.ledger.names)):
            self.options.append(self.option(i))
        self.stale = False

    # -- transactions ------------------------------------------------------------------------------

    def change(self, work: Callable[..., Answer], *given: Any, at_once: bool = True) -> Answer:
        """``work(ledger, *given)`` in a transaction.

        Unless ``at_once`` it need not be on disk when this returns, as draws that are handed out to this process: a
        power cut that undoes them also ends this process, and the same draws, with the same ids and seeds, are handed
        out again.
        """
        if not self.lasts:
            with self.lock:
                return work(self.ledger, *given)
        return self.repeated(self.changed, work, given, at_once)

    def changed(self, work: Callable[..., Answer], given: Sequence[Any], at_once: bool) -> Answer:
        """The transaction: nothing else is written meanwhile, here or elsewhere, and it is kept whole or not at all."""
        try:
            self.log.begin(at_once)
            try:
                self.refresh()
            except BaseException:
                self.log.roll_back()
                raise
        except TransactionLostError:
            self.stale = True
            raise
        if self.process != os.getpid():
            self.process, self.worker = os.getpid(), this_process()
        self.began = self.position
        try:
            answer = work(self.ledger, *given)
        except BaseException:
            self.stale = self.stale or self.position > self.began
            self.log.roll_back()
            raise
        try:
            if self.position >= self.due:
                self.take_snapshot()
            self.log.commit()
        except BaseException:
            self.stale = True
            self.log.roll_back()
            raise
        return answer

    def repeated(self, work: Callable[..., Answer], *given: Any) -> Answer:
        """Repeat what the log lost on the way."""
        with self.lock:
            while True:
                try:
                    return work(*given)
                except TransactionLostError:
                    pass

    def happen(self, *events: Event) -> None:
        """Add events, inside a transaction of this process."""
        if self.lasts:
            self.append(events, self.worker)
        for event in events:
            getattr(self.ledger, "on_" + event.kind)(event)

    def append(self, events: Sequence[Event], author: str = "") -> None:
        lines, last = [], self.checksum
        for event in events:
            line, last = line_of(event if event.worker else event._replace(worker=author), last)
            lines.append(line)
        self.position, self.checksum = self.position + len(lines), last
        self.log.append(lines)

    def take_snapshot(self) -> None:
        """Keep the state beside the log now and then, so that a long log is opened without reading all of it.

        It is due at every multiple of a step: of all processes that write, one gets past it.
        """
        step = snapshot.step(self.position, self.ledger)
        if self.position // step > self.began // step and not self.log.read_only:
            data = snapshot.dump(self.ledger, self.position, self.checksum)
            self.log.keep_snapshot(data, self.position, snapshot.code())
        self.due = (self.position // step + 1) * step

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
