"""The journal keeps the ledger of this process and the log behind it in step.

Every change is a transaction, in which no other process writes: read what others added, decide, append.  It is kept
whole or not at all, and a ledger that got ahead of its log is rebuilt.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar

from .._compile import is_record
from .._files import StoreError
from ..bandits.loop import select as choose
from ..beliefs.noise import own_variance
from ..decisions.decision import influence, weigh
from .checks import check_askable, named, named_items, shorten
from .choosing import warm_start_of
from .draws import shuffled
from .goals import goal_from
from .ledger import DECODE, Ledger, draws_of, is_json, is_number
from .log import Event, EventLog, Memory, TransactionLostError
from .worker import is_gone, this_process

Begun = tuple[dict[str, Any], list[Event], list[Event]]  # settings, the options at the start, the items
ENCODE = json.JSONEncoder(allow_nan=False).encode
Given = ParamSpec("Given")
Answer = TypeVar("Answer")

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

    def __init__(
        self,
        log: EventLog,
        settings: dict[str, Any],
        algorithm: Any,
        entries: list[tuple[str, Any]],
        costs: list[float],
        items: list[tuple[str, Any]],
        read: Sequence[Event] = (),
    ):
        lock = getattr(log, "lock", None)  # for a file: no fork while it is held
        self.lock = lock if isinstance(lock, type(threading.RLock())) else threading.RLock()
        self.log, self.algorithm = log, algorithm
        self.lasts = not isinstance(log, Memory)
        self.hasty = getattr(log, "enter", None)  # begins a transaction that need not wait for the disk
        self.given, self.given_items = dict(entries), dict(items)
        self.items: list[tuple[str, Any]] = []  # (name, item) of the fixed test set, in the order of the replicates
        self.position, self.written, self.stale, self.closed = 0, False, False, False
        self.appends = 0  # appends begun, including those that were undone
        self.process = 0  # the process in which the transaction began
        self.depth, self.holder = 0, 0  # nested transactions, of which the outermost counts; and the thread
        self.author = ""  # author of events, if it is not this process
        self.read = read
        try:
            self.begin(settings, entries, costs)
        except BaseException:
            log.close()  # nothing was written
            raise

    @repeated
    def begin(self, settings: dict[str, Any], entries: list[tuple[str, Any]], costs: list[float]) -> None:
        self.settings, self.position = dict(settings), 0
        read, self.read = self.read, ()  # on a repeat, from the beginning
        with self.log:
            saved = [*read, *self.log.since(len(read))]
            if saved:
                self.resume(saved, entries, costs)
            else:
                self.start(entries, costs)

    @classmethod
    def of(
        cls, log: EventLog, where: Any, options: Any, items: Any, algorithm: Any, budget: float | None = None
    ) -> Journal:
        """The selection in a log, with its settings; options, items and algorithm are needed if the log lacks them."""
        try:
            saved = log.since(0)
            if not saved:
                raise StoreError(f"{where} is empty: write the file of a selection")
            settings, begun, tests = beginning(saved)
            known = begun + [event for event in saved[1 + len(begun) :] if event.kind == "option"]
            missing = [str(event.text) for event in known if event.data is None]
            if options is None and missing:
                raise ValueError(
                    f"{where} has only the names of its options, such as {shorten(missing[0])!r}: "
                    f"write Selector.open({str(where)!r}, options)"
                )
            algorithm = check_askable(algorithm_from(settings["algorithm"], algorithm), goal_from(settings["goal"]))
            if options is None:
                entries = [(str(event.text), DECODE(str(event.data))[0]) for event in known]
            else:
                entries = named(options)
            costs = {event.text: float(event.value or 1.0) for event in known}
            given = {**settings, "algorithm": algorithm_to(algorithm), "budget": budget}
            prices = [costs.get(name, 1.0) for name, _ in entries]
            return cls(log, given, algorithm, entries, prices, tests_of(where, tests, items), saved)
        except BaseException:
            log.close()
            raise

    def start(self, entries: list[tuple[str, Any]], costs: list[float]) -> None:
        """A new selection."""
        settings, size = self.settings, len(entries)
        budget = None if settings.get("returned") else settings["budget"]  # costs are not known yet
        draws, many = draws_of(budget, costs), len(self.given_items)
        if many:
            settings["items"] = many
        warm_start = warm_start_of(self.algorithm, draws, size)
        warm_start = min(warm_start, many or warm_start)
        least = warm_start * sum(costs)
        if budget is not None and budget < least:
            raise ValueError(
                f"budget is {budget}, but {type(self.algorithm).__name__} draws each of {size} options "
                f"{warm_start} time(s) first: write {least:g} or more"
            )
        settings["warm_start"], settings["size"] = warm_start, size
        self.ledger = Ledger(settings, self.algorithm, [name for name, _ in entries], costs)
        self.options = [option for _, option in entries]
        tests, order = list(self.given_items.items()), shuffled(settings["seed"], many)
        self.items = [tests[number] for number in order]
        if self.lasts:
            rows = enumerate(zip(entries, costs, strict=True))
            now = time.time()
            self.append(
                [Event("settings", data=json.dumps(settings), time=now)]
                + [option_event(i, name, option, cost, now) for i, ((name, option), cost) in rows]
                + [
                    Event("item", option=number, replicate=place, text=name, time=now, data=as_json(item))
                    for place, (number, (name, item)) in enumerate(zip(order, self.items, strict=True))
                ]
            )

    def resume(self, saved: list[Event], entries: list[tuple[str, Any]], costs: list[float]) -> None:
        """Continue the selection in the log, with more budget if asked for."""
        wanted = self.settings["budget"]
        settings, options, items = begun = beginning(saved)
        check_settings(self.settings, settings)
        check_items(self.given_items, items)
        self.rebuild(saved, begun)
        messages.info("continues with %g spent in %s", self.ledger.spent, getattr(self.log, "path", "the store"))
        removed = {self.ledger.names[i] for i in self.ledger.removed}
        check_options(entries, costs, [event for event in saved if event.kind == "option"], len(options), removed)
        budget = self.ledger.budget
        if wanted is not None and (budget is None or wanted > budget):
            self.happen(Event("budget", value=wanted, time=time.time()))
        if not getattr(self.log, "read_only", False):
            self.find_lost()

    def rebuild(self, saved: list[Event], begun: Begun | None = None) -> None:
        """Rebuild the ledger from the log."""
        self.settings, options, items = begun or beginning(saved)
        costs = [float(event.value or 1.0) for event in options]
        self.ledger = Ledger(self.settings, self.algorithm, [str(event.text) for event in options], costs)
        self.options = [self.option(event) for event in options]
        self.items = [(str(event.text), self.given_items[str(event.text)]) for event in items]
        self.position, self.stale = 1 + len(options) + len(items), False
        self.take_notice(saved[self.position :])

    def option(self, event: Event) -> Any:
        """The object of an option, as given or from the log."""
        name = str(event.text)
        if name in self.given or event.data is None:
            return self.given.get(name)  # of an object that another process added only the name is known
        return json.loads(event.data)

    def take_notice(self, events: Iterable[Event]) -> None:
        for event in events:
            if not self.ledger.fits(event):
                raise unfit(self.log, self.position, event)
            if event.kind == "option":
                self.options.append(self.option(event))
            self.ledger.apply(event)
            self.position += 1

    def catch_up(self) -> None:
        """Read what other processes wrote."""
        if self.stale:
            self.rebuild(self.log.since(0))
        self.take_notice(self.log.since(self.position))

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
                if at_once or self.hasty is None:
                    self.log.__enter__()
                else:
                    self.hasty(at_once=False)
                try:
                    self.catch_up()
                except BaseException as error:
                    self.log.__exit__(type(error), error, None)
                    raise
            except BaseException as error:
                self.stale = self.stale or isinstance(error, TransactionLostError)
                self.lock.release()
                raise
        self.depth, self.holder, self.process = 1, threading.get_ident(), os.getpid()
        return self.ledger

    def __exit__(self, kind: Any, *error: Any) -> None:
        """End the transaction: keep it whole or not at all."""
        self.depth -= 1
        if self.depth == 0:
            self.holder = 0
        if self.depth or not self.lasts:
            self.lock.release()
            return
        try:
            self.stale = self.stale or (self.written and kind is not None)
            self.log.__exit__(kind, *error)
        except BaseException:
            self.stale = True
            raise
        finally:
            self.lock.release()

    @repeated
    def view(self) -> Ledger:
        """The ledger as of now."""
        if self.lasts and not self.closed:
            with self.lock:
                try:
                    self.catch_up()
                except TransactionLostError:
                    self.stale = True
                    raise
        return self.ledger

    def happen(self, event: Event) -> None:
        """Add an event, inside a transaction of this process."""
        if self.lasts:
            self.append([event if event.worker else Event(*event[:8], self.author or this_process(), event.data)])
        self.ledger.apply(event)

    def happen_together(self, events: list[Event]) -> None:
        """Add many events at once."""
        if self.lasts and events:
            author = self.author or this_process()
            self.append([Event(*event[:8], event.worker or author, event.data) for event in events])
        for event in events:
            self.ledger.apply(event)

    def append(self, events: list[Event]) -> None:
        self.written, self.appends = True, self.appends + 1
        self.log.append(events)
        self.position += len(events)

    def find_lost(self) -> None:
        """Queue draws of dead processes to be handed out again."""
        workers = {self.ledger.tickets[number].worker for number in self.ledger.live} - {"", this_process()}
        gone = {worker for worker in workers if is_gone(worker)}
        if hasattr(self.log, "silent"):
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


def beginning(saved: list[Event]) -> Begun:
    """The settings, the options at the start, and the items of a fixed test set."""
    settings: Any = json.loads(str(saved[0].data)) if saved[0].kind == "settings" and is_json(saved[0].data) else None
    if not are_settings(settings) or len(saved) <= settings["size"] + settings.get("items", 0):
        raise StoreError("the log does not begin with settings and options: write the file of a selection")
    options = saved[1 : 1 + settings["size"]]
    for number, event in enumerate(options):
        right = event.kind == "option" and event.option == number and isinstance(event.text, str)
        if not (right and is_number(event.value) and (event.data is None or is_json(event.data))):
            raise unfit(None, 1 + number, event)
    items = saved[1 + len(options) : 1 + len(options) + settings.get("items", 0)]
    for place, event in enumerate(items):
        right = event.kind == "item" and event.replicate == place and isinstance(event.text, str)
        if not (right and type(event.option) is int and (event.data is None or is_json(event.data))):
            raise unfit(None, 1 + len(options) + place, event)
    return settings, options, items


def are_settings(found: Any) -> bool:
    """Whether they have the types that ``Selector`` writes."""
    return (
        isinstance(found, dict)
        and is_goal(found.get("goal"))
        and all(type(found.get(name)) is bool for name in ("crn", "costs"))
        and all(type(found.get(name)) is int for name in ("seed", "retries", "warm_start", "size"))
        and all(found.get(name) is None or is_number(found[name]) for name in ("budget", "expire"))
        and all(type(found.get(name, False)) is bool for name in ("returned",))
        and bool(found.get("algorithm"))
        and isinstance(found["algorithm"], list)
        and found["size"] > 0
        and type(found.get("items", 0)) is int
        and found.get("items", 0) >= 0
        and are_bounds(found.get("bounds"))
    )


def is_goal(saved: Any) -> bool:
    try:
        goal_from(saved)
    except (TypeError, ValueError):
        return False
    return True


def are_bounds(found: Any) -> bool:
    return found is None or (isinstance(found, list) and len(found) == 2 and all(map(is_number, found)))


def unfit(log: Any, position: int, event: Event) -> StoreError:
    where = getattr(log, "path", "the store")
    what = ", ".join(f"{name} {value!r}" for name, value in event._asdict().items() if value is not None)
    return StoreError(
        f"{where} is damaged or from a newer version, event {position + 1} is impossible ({shorten(what)}): "
        f"write varde copy {where} TO for a file of everything that is intact"
    )


def option_event(number: int, name: str, option: Any, cost: float, now: float) -> Event:
    return Event("option", option=number, value=cost, text=name, time=now, data=as_json(option))


# -- records and options as JSON, and whether a log is that of the program that opens it --------------


def algorithm_to(algorithm: Any) -> Any:
    """A record as [name, field, ...]; a user's record is named after its module too."""
    if is_record(algorithm):
        kind = type(algorithm)
        name = kind.__name__ if is_ours(kind) else f"{kind.__module__}.{kind.__name__}"
        return [name, *map(algorithm_to, algorithm)]
    return algorithm.tolist() if hasattr(algorithm, "tolist") else algorithm


def algorithm_from(saved: Any, given: Any) -> Any:
    """The record that was ``saved``; a user's own record must be ``given``."""
    if given is not None:
        return given
    if isinstance(saved, (bool, int, float)):
        return saved
    name = str(saved[0]) if isinstance(saved, list) and saved else repr(saved)
    kind = records().get(name)
    if kind is None:
        own = name.split(".")[-1]
        raise ValueError(f"the file was made with the algorithm {name}: write algorithm={own}(...)")
    if len(saved) - 1 != len(kind._fields):
        raise StoreError(f"the file has {shown(saved)}, but {name} has {len(kind._fields)} settings: it is damaged")
    return kind(*(algorithm_from(field, None) for field in saved[1:]))


def records() -> dict[str, Any]:
    """The records a file may name: algorithms, decisions and noise models of this package, nothing else."""
    served = (choose, influence, weigh, own_variance)
    return {kind.__name__: kind for verb in served for kind in verb.cases if is_ours(kind)}


def is_ours(kind: Any) -> bool:
    return bool(kind.__module__.split(".")[0] == __name__.split(".")[0])


def check_settings(given: dict[str, Any], saved: dict[str, Any]) -> None:
    """Refuse settings other than those the log was made with."""
    for name in ("goal", "seed", "crn", "algorithm"):
        if given[name] != saved[name]:
            raise ValueError(
                f"the store was made with {name}={shown(saved[name])}, this is {name}={shown(given[name])}: "
                "write what it has, or another store"
            )
    if given.get("returned", False) != saved.get("returned", False):
        has = "" if saved.get("returned") else "out"
        raise ValueError(f'the store was made with{has} costs="returned": write what it has, or another store')


def check_options(
    entries: list[tuple[str, Any]], costs: list[float], saved: list[Event], size: int, removed: set[str]
) -> None:
    """Refuse options other than those of the log; removed ones, and later ones that the log holds, may be left out."""
    known = {str(event.text): event for event in saved}
    for (name, option), cost in zip(entries, costs, strict=True):
        if name not in known:
            raise ValueError(
                f"the store has no option {name!r}: open it with the options it has and write add_option({name!r}), "
                "or write another store"
            )
        event = known.pop(name)
        refuse_other(name, option, event.data)
        if event.value != cost:
            raise ValueError(
                f"the store has {name!r} at a cost of {event.value:g}, this is {cost:g}: write what it has"
            )
    for name, event in known.items():
        if name not in removed and ((event.option or 0) < size or event.data is None):
            raise ValueError(f"the store has the option {name!r}, which is not among those given: write it too")


def tests_of(where: Any, saved: list[Event], given: Any) -> list[tuple[str, Any]]:
    """(name, item) of a fixed test set as given, or as the log has it."""
    if given is not None:
        return named_items(given)
    missing = next((event for event in saved if event.data is None), None)
    if missing is not None:
        raise ValueError(
            f"{where} has only the names of its items, such as {shorten(str(missing.text))!r}: "
            f"write Selector.open({str(where)!r}, items=...)"
        )
    ordered = sorted(saved, key=lambda event: event.option or 0)
    return [(str(event.text), json.loads(str(event.data))) for event in ordered]


def check_items(given: dict[str, Any], saved: list[Event]) -> None:
    """Refuse a test set other than the log's."""
    if len(given) != len(saved):
        raise ValueError(
            f"the store has {len(saved):,} items, this is {len(given):,}: write the same, or another store"
        )
    names = list(given)
    for event in saved:
        name, number = str(event.text), event.option or 0
        if names[number : number + 1] != [name]:
            raise ValueError(
                f"item {number} of the store is {shorten(name)!r}, this has another there: write the same items"
            )
        now = as_json(given[name])
        if event.data != now:
            raise ValueError(
                f"the store has the item {shorten(name)!r} as {shorten(event.data or 'an object')}, this is "
                f"{shorten(now or repr(given[name]))}: write the same items, or another store"
            )


def refuse_other(name: str, option: Any, data: str | None) -> None:
    """Refuse an option that differs from the earlier one of this name, compared as JSON."""
    now = as_json(option)
    if now != data:
        raise ValueError(
            f"the selection has {name!r} as {data or 'an object'}, this is {now or repr(option)}: give it another name"
        )


def shown(setting: Any) -> str:
    """A setting as a user writes it."""
    if isinstance(setting, list):
        return f"{setting[0]}({', '.join(map(shown, setting[1:]))})"
    return repr(setting)


def as_json(option: Any) -> str | None:
    """The option as JSON, or None if that cannot be read back."""
    try:
        text = ENCODE(option)
        if type(option) is str:
            return text
        again = json.loads(text)
        return text if again == option and type(again) is type(option) else None
    except (TypeError, ValueError):
        return None
