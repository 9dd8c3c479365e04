"""The journal keeps the ledger of this process and the record behind it in step.

Every change is a transaction, in which no other process writes: read what others added, decide, write, commit.  It is
whole or not at all: a ledger that a change left in the middle, whatever interrupted it, is made again from the record.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from .._files import StoreError
from ..check import shown
from ..rule import VarDE, first_samples
from . import events
from .alike import check_features, described_later
from .checks import price_of_new
from .draws import shuffled
from .events import Event, kept
from .ledger import Ledger, draws_of
from .log import AT_ONCE, TransactionLostError
from .record import WRONG, Record
from .reopening import check_items, check_options, given_or_saved, refuse_other
from .settings import Settings
from .worker import is_gone, this_process

Answer = TypeVar("Answer")
Entries = list[tuple[str, Any]]  # names and objects

messages = logging.getLogger("varde")


class Plan(NamedTuple):
    """A selection as its program begins it."""

    settings: Settings
    options: Entries
    costs: list[float]
    items: Entries
    features: Sequence[Any] = ()  # of options that resemble each other


class Journal:
    """Everything that happened, in this process or in others that share the record."""

    settings: Settings  # as this process wants them; those of the ledger are as the record has them
    ledger: Ledger
    options: list[Any]  # the objects of the options
    items: Entries  # of the fixed test set, in the order of the replicates

    def __init__(self, record: Record, start: Callable[[Journal], None]):
        """``start`` begins a selection in the record, or goes on with the one that is there."""
        self.record, self.lock = record, record.lock
        self.given: dict[str, Any] = {}  # options by name, as given
        self.begun = self.closed = False
        self.stale = True  # the ledger is to be made again
        try:
            self.change(lambda _: start(self))
        except BaseException:
            record.close()  # nothing was written
            raise
        self.given, self.begun = {}, True

    # -- a selection begins, or goes on ------------------------------------------------------------

    @classmethod
    def of(cls, record: Record, plan: Plan) -> Journal:
        """A new selection, or the same one that the record has."""

        def start(journal: Journal) -> None:
            if not journal.read():
                journal.start(plan)
                return
            journal.given = dict(plan.options)
            journal.settings = plan.settings.reopened_as(journal.ledger.settings)
            journal.go_on(plan.options, plan.costs, plan.items)
            if plan.features:
                check_features(journal.ledger, plan.options, plan.features)

        return cls(record, start)

    @classmethod
    def reopened(cls, record: Record, where: Any, wanted: dict[str, Any], options: Any, items: Any) -> Journal:
        """The selection in a record, with its settings; options and items are needed if the record lacks them."""

        def start(journal: Journal) -> None:
            if not journal.read():
                raise StoreError(f"{where} is empty: write the file of a selection")
            ledger = journal.ledger
            saved = ((name, ledger.saved(i)) for i, name in enumerate(ledger.names))
            entries = given_or_saved(where, saved, options, "options")
            tests = given_or_saved(where, [test[1:] for test in sorted(ledger.tests)], items, "items")
            journal.given = dict(entries)
            journal.settings = ledger.settings.reopened(wanted)
            costs = dict(zip(ledger.names, ledger.costs, strict=True))
            journal.go_on(entries, [costs.get(name, 1.0) for name, _ in entries], tests)

        return cls(record, start)

    def start(self, plan: Plan) -> None:
        """A new selection."""
        settings, entries, costs, items = plan.settings, plan.options, plan.costs, plan.items
        size, budget, now = len(entries), settings.budget, time.time()
        warm_start = settings.warm_start or int(first_samples(VarDE(), draws_of(budget, costs), size))
        self.settings = settings = replace(settings, warm_start=warm_start)
        least = warm_start * sum(costs)
        if budget is not None and budget < least and not settings.alike:
            raise ValueError(
                f"budget is {budget}, but each of {size} options is drawn {warm_start} time(s) first: "
                f"write {least:g} or more, or alike=True if similar ones give similar results"
            )
        self.ledger = Ledger(settings)
        self.record.begin_with(settings)
        self.options = [option for _, option in entries]
        order, keep = shuffled(settings.seed, len(items)), self.record.kept
        self.items = [items[number] for number in order]
        self.happen_all(
            events.Option(i, name, costs[i], keep("an option", name, option), now)
            for i, (name, option) in enumerate(entries)
        )
        self.happen_all(
            events.Item(order[place], place, name, keep("an item", name, item), now)
            for place, (name, item) in enumerate(self.items)
        )
        self.happen_all(events.Features(i, row, now) for i, row in enumerate(plan.features))

    def go_on(self, entries: Entries, costs: list[float], items: Entries) -> None:
        """Go on with the selection that was read, with more budget if asked for, unless it is another one."""
        check_items(items, self.ledger)
        tests, ledger, wanted = dict(items), self.ledger, self.settings.budget
        self.items = [(name, tests[name]) for _, name, _ in ledger.tests]
        self.options = self.objects(ledger, {})
        messages.info("continues with %g spent in %s", ledger.spent, self.record.name)
        if wanted is not None and (ledger.budget is None or wanted > ledger.budget):
            self.happen(events.Budget(wanted, time.time()))
        if not self.record.read_only:
            self.find_lost()
        check_options(entries, costs, ledger)

    def objects(self, ledger: Ledger, known: dict[str, Any], start: int = 0) -> list[Any]:
        """The options as given or from the record; of those that another process added, maybe only the name."""
        found = []
        for i in range(start, len(ledger.names)):
            name, saved = ledger.names[i], ledger.saved(i)
            if name in self.given or name in known:
                found.append(self.given[name] if name in self.given else known[name])
            else:
                found.append(None if saved is None else saved[0])
        return found

    def add_option(self, ledger: Ledger, option: Any, name: str, cost: float | None, features: Any) -> None:
        """A new option, or one that was removed comes back; inside a change."""
        i = ledger.numbers.get(name)
        if i is not None:
            if i not in ledger.removed:
                raise ValueError(f"there is an option {name!r} already: write name=...")
            if cost is not None and cost != ledger.costs[i]:
                raise ValueError(f"{name!r} had a cost of {ledger.costs[i]:g}: leave cost={shown(cost)} out")
            refuse_other(name, option, kept("the option", self.options[i]))
            self.given[name] = option
            self.happen(events.Restore(i, time.time()))
            self.options[i] = option
            return
        price, number = price_of_new(cost, name, ledger.priced), len(ledger.names)
        rows = described_later(self.settings.alike, ledger, option, name, features)
        saved = self.record.kept("the option", name, option)
        self.given[name] = option
        self.happen(events.Option(number, name, price, saved, time.time()))
        for row in rows:
            self.happen(events.Features(number, row, time.time()))
        self.options.append(option)

    # -- reading -----------------------------------------------------------------------------------

    def read(self) -> bool:
        """Make the ledger, from the last state that was kept and the events since; False if there are none."""
        ledger = self.record.rewind()
        while news := self.record.news():
            ledger = self.take(ledger, news)
        if ledger is None:
            return False
        begun = ledger.settings
        if len(ledger.names) < begun.size or len(ledger.tests) < begun.items:
            raise StoreError(f"{self.record.name} does not begin with its options: write the file of a selection")
        self.ledger = ledger
        return True

    def take(self, ledger: Ledger | None, news: Sequence[Event]) -> Ledger:
        """The ledger after more events of the record."""
        for place, event in enumerate(news):
            try:
                if ledger is None:
                    ledger = Ledger(Settings.read(event.settings))  # type: ignore[union-attr]
                else:
                    ledger.apply(event)
            except StoreError:
                raise
            except WRONG as error:
                self.record.position -= len(news) - place
                raise self.record.damaged(f"is impossible, {events.KIND[type(event)]}: {error}") from error
        assert ledger is not None
        return ledger

    def view(self) -> Ledger:
        """The ledger as of now."""
        while not self.closed:
            with self.lock:
                try:
                    self.refresh()
                    break
                except TransactionLostError:
                    self.stale = True
        return self.ledger

    def refresh(self) -> None:
        """Read the record up to its end."""
        if not self.begun:
            return
        if self.stale:
            known = dict(zip(self.ledger.names, self.options, strict=False))
            if not self.read():
                raise StoreError(f"{self.record.name} is empty: it was deleted while it was in use")
            self.options = self.objects(self.ledger, known)
        self.stale = True  # until all is taken: an interrupt leaves half of it
        while news := self.record.news():
            self.take(self.ledger, news)
            self.options += self.objects(self.ledger, {}, len(self.options))
        self.stale = False

    # -- changes -----------------------------------------------------------------------------------

    def change(self, work: Callable[..., Answer], *given: Any, at_once: bool = True) -> Answer:
        """``work(ledger, *given)`` as one change, repeated if the store lost it on the way.

        Unless ``at_once`` it need not be on disk when this returns, as draws that are handed out to this process: a
        power cut that undoes them also ends this process, and the same draws, with the same ids and seeds, are handed
        out again.
        """
        record = self.record
        with self.lock:
            while True:
                try:
                    record.begin(at_once)
                    self.refresh()
                    answer = work(getattr(self, "ledger", None), *given)
                    record.commit(self.ledger)
                    self.stale = False
                    return answer
                except TransactionLostError:
                    self.stale = True
                    record.roll_back()
                except BaseException as error:
                    # What was refused before anything happened leaves the ledger as it was.
                    self.stale = self.stale or not isinstance(error, TypeError | ValueError)
                    record.roll_back()
                    raise

    def happen(self, event: Event) -> None:
        """Something happens, inside a change."""
        self.stale = True  # until it is committed
        self.record.write((event,))
        self.ledger.happen(event)

    def happen_all(self, events: Iterable[Event]) -> None:
        """Much happens, inside a change."""
        self.stale, every = True, iter(events)
        while some := list(islice(every, AT_ONCE)):
            self.record.write(some)
            for event in some:
                self.ledger.happen(event)

    def find_lost(self) -> None:
        """Queue draws of dead processes to be handed out again."""
        workers = {self.ledger.tickets[number].worker for number in self.ledger.live} - {"", this_process()}
        gone = {worker for worker in workers if is_gone(worker)}
        gone |= self.record.silent(workers - gone)
        for number in list(self.ledger.live):
            if self.ledger.tickets[number].worker in gone:
                self.happen(events.Lost(number, self.ledger.tickets[number].option, time.time()))

    def close(self) -> None:
        with self.lock:
            self.closed = self.record.name is not None
            self.record.close()
