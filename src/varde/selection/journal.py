"""The ledger of this process and the file behind it, kept the same.

Without a file, events go to the ledger alone.  With one, every change is a transaction that reads what other processes
added, adds to it, and is kept whole or not at all; a ledger that got ahead of its file is made anew.
"""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from .checks import named, shorten
from .events import Event, StoreError
from .ledger import Ledger, draws_of
from .rules import check_rule, warm_start_of
from .settings import check_options, check_settings, rule_from, rule_to
from .worker import is_gone, this_process

if TYPE_CHECKING:
    from .store import Store


def open_store(path: str | os.PathLike[str]) -> Store:
    from .store import Store  # sqlite is imported by whoever keeps a file

    return Store(path)


class Journal:
    """Everything that happened, here or in a file."""

    def __init__(
        self,
        store: Store | None,
        settings: dict[str, Any],
        rule: Any,
        entries: list[tuple[str, Any]],
        costs: list[float],
    ):
        self.lock, self.settings, self.rule = threading.RLock(), settings, rule
        self.given, self.store = dict(entries), store
        self.stale = self.written = False
        if self.store is None:
            self.start(entries, costs)
            return
        try:
            self.store.begin()
            if self.store.empty:
                self.start(entries, costs)
            else:
                self.resume(entries, costs)
            self.store.commit()
        except BaseException:
            self.store.close()  # and nothing has happened
            raise

    @classmethod
    def of(cls, path: str | os.PathLike[str], options: Any, rule: Any) -> Journal:
        """The selection in a file, with the settings it has; options and rule if the file cannot tell them."""
        if not os.path.isfile(path):
            raise StoreError(f"{path} does not exist: write the file of a selection")
        store = open_store(path)
        try:
            if store.empty:
                raise StoreError(f"{path} is empty: write the file of a selection")
            settings, saved = store.settings(), store.options()
            missing = [name for name, value, _ in saved if value is None]
            if options is None and missing:
                raise ValueError(
                    f"{path} has only the names of its options, such as {shorten(missing[0])!r}: "
                    f"write Selector.open({str(path)!r}, options)"
                )
            rule = check_rule(rule_from(settings["rule"], rule))
            entries = [(row[0], json.loads(row[1] or "null")) for row in saved] if options is None else named(options)
            costs = {name: cost for name, _, cost in saved}
            given = {**settings, "rule": rule_to(rule), "budget": None}
            return cls(store, given, rule, entries, [costs.get(name, 1.0) for name, _ in entries])
        except BaseException:
            store.close()
            raise

    def start(self, entries: list[tuple[str, Any]], costs: list[float]) -> None:
        """A new selection."""
        settings, size = self.settings, len(entries)
        warm = warm_start_of(self.rule, draws_of(settings["budget"], costs), size)
        least = warm * sum(costs)
        if settings["budget"] is not None and settings["budget"] < least:
            raise ValueError(
                f"budget is {settings['budget']}, but {type(self.rule).__name__} draws each of {size} options "
                f"{warm} time(s) first: write {least:g} or more"
            )
        settings["warm_start"], settings["size"] = warm, size
        if self.store is not None:
            self.store.create(settings)
            self.store.add_options(0, entries, costs)
        self.ledger = Ledger(settings, self.rule, [name for name, _ in entries], costs)
        self.options = [option for _, option in entries]

    def resume(self, entries: list[tuple[str, Any]], costs: list[float]) -> None:
        """The selection in the file, and more budget if more is asked for now."""
        assert self.store is not None
        saved, wanted = self.store.settings(), self.settings["budget"]
        check_settings(self.store.path, self.settings, saved)
        check_options(self.store.path, entries, costs, self.store.options(), saved["size"])
        self.settings = saved
        self.reload()
        budget = self.ledger.budget
        if wanted is not None and (budget is None or wanted > budget):
            self.happen(Event("budget", value=wanted, time=time.time()))
        self.find_lost()

    def reload(self) -> None:
        """A ledger made of the file alone."""
        assert self.store is not None
        self.store.rewind()
        saved = self.store.options()[: self.settings["size"]]
        self.ledger = Ledger(self.settings, self.rule, [row[0] for row in saved], [row[2] for row in saved])
        self.options = [self.option(*row[:2]) for row in saved]
        self.stale = False
        self.catch_up()

    def option(self, name: str, value: str | None) -> Any:
        """The object of that name: as given, or as the file has it."""
        if name in self.given or value is None:
            return self.given.get(name)  # an object that another process added has only its name here
        return json.loads(value)

    def catch_up(self) -> None:
        """Take notice of what other processes did."""
        assert self.store is not None
        if self.stale:
            self.reload()
        for event in self.store.news():
            if event.kind == "option":
                number: Any = event.option
                self.options.append(self.option(*self.store.options(number)[0][:2]))
            self.ledger.apply(event, replay=True)

    def __enter__(self) -> Ledger:
        """A moment in which nothing else happens, here or in other processes."""
        self.lock.acquire()
        if self.store is None:
            return self.ledger
        try:
            self.written = False
            self.store.begin()
            self.catch_up()
        except BaseException:
            self.store.roll_back()
            self.lock.release()
            raise
        return self.ledger

    def __exit__(self, kind: Any, *error: Any) -> None:
        """What happened in that moment is kept whole or not at all."""
        try:
            if self.store is None:
                return
            if kind is None and self.written:
                self.store.commit()
            else:
                self.stale = self.stale or self.written
                self.store.roll_back()
        except BaseException:
            self.stale = True
            raise
        finally:
            self.lock.release()

    def view(self) -> Ledger:
        """The ledger as of now."""
        if self.store is not None and not self.store.closed:
            with self.lock:
                self.store.begin("BEGIN")
                try:
                    self.catch_up()
                finally:
                    self.store.roll_back()
        return self.ledger

    def happen(self, event: Event) -> None:
        """Add an event, inside a moment of this process."""
        if self.store is not None:
            self.written = True
            self.store.append(event if event.worker else event._replace(worker=this_process()))
        self.ledger.apply(event)

    def find_lost(self) -> None:
        """Draws of processes that died wait to be handed out again."""
        gone: dict[str, bool] = {}
        for number in list(self.ledger.live):
            worker = self.ledger.tickets[number].worker
            if worker and gone.setdefault(worker, is_gone(worker)):
                self.happen(Event("lost", number, self.ledger.tickets[number].option, time=time.time()))

    def close(self) -> None:
        with self.lock:
            if self.store is not None:
                self.store.close()
