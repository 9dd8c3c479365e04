"""``Selector``: ask which option to evaluate, tell the result; the loop stays yours."""

from __future__ import annotations

import inspect
import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Self, overload

import numpy as np

from .._files import StoreError
from .._table import one_line
from ..certainty.stopping import Results, Stop, terms
from ..check import LARGEST, flag, real, refuse, seed_number, shown, whole
from ..protocols import Algorithm, Stopping
from .address import Address, as_place, is_server
from .batches import batch_of, check_batch
from .checks import (
    all_usable,
    called,
    check_askable,
    check_backoff,
    check_bounds,
    check_budget,
    check_cost,
    check_expire,
    check_lasting,
    check_patience,
    check_promise,
    check_retries,
    check_stop,
    check_text,
    check_value,
    is_returned,
    name_of,
    named,
    named_items,
    no_costs,
    number_of,
    price_list,
    result_and_cost,
    shorten,
    some,
    why,
)
from .choosing import with_its_goal
from .draws import Draw
from .failures import LONGEST, Pause, is_mistake
from .goals import Goal, goal_from, goal_of
from .goals.goal import Mean
from .goals.limits import numbers_of
from .journal import Handing, Journal, algorithm_to, as_json, option_event, refuse_other, repeated
from .journal import shown as written
from .ledger import Ledger
from .log import Event, EventLog, open_log
from .result import Selection
from .telling import BATCHES, AlreadyToldError, Checked, Row, Telling, Told, check_fields, id_of, refused, rows_of

ENDS = ("budget", "seconds", "sure", "interrupted", "outage", "not yet")  # what ends a search
LABEL = "told: "  # how notes about results that must not be told again begin
TRIES = 2  # when no call has ever worked: it may be the function that is wrong

messages = logging.getLogger("varde")


class Selector:
    """Spends a budget of evaluations on noisy options to find the best one.

    >>> import varde
    >>> selector = varde.Selector(["red", "green", "blue"], budget=60)
    >>> while not selector.done:
    ...     draw = selector.ask()
    ...     counted = selector.tell(draw, len(draw.option) + draw.seed / 2**31)
    >>> selector.leader
    'green'

    Args:
        options: a list (each option is named by its text) or a dict of names and options.
        budget: the number of results, or with ``costs`` their total cost.  Without a budget you decide when to
            stop.
        costs: a list, a dict by name, or "returned" if each result comes with its cost.
        goal: "max", "min", or another question: ``varde.Top(5)``, ``varde.Above(0.8)``,
            ``varde.Quantile(0.95, "min")``, ``varde.Best("profit", latency="<= 200")``.
        algorithm: any bandit algorithm that scores its arms; the default, ``VarDE()``, has nothing to tune.
        seed: together with the option's name it determines every seed.  ``crn=True`` uses common random numbers:
            replicate r of every option gets the same seed.
        items: a fixed test set, a list or a dict of names and items.  Every draw names the ``item`` to judge its
            option on.  Each option sees each item once, all in the same order, and options are compared on the
            items they share.  An option judged on all items is known exactly; the selection ends at the latest when
            all options are.
        store: a file that survives crashes, can be resumed, and may be used by several processes at once; an
            address, ``"postgresql://host/database#name"``, is a database for several machines.
        expire: seconds after which an unanswered draw is handed out again.
        retries: how often an option may fail again after a first failure, while others work, before it is left out.
        backoff: when all options fail there is an outage.  It pauses for ``backoff`` seconds, tries one draw, pauses
            twice as long, and so on, until one works.
        patience: seconds after which it gives up in an outage.
        stop: ``stop=0.05`` ends before the budget is spent, as soon as the answer is right with probability 95 %,
            or worse by no more than ``margin``; see ``varde.Stop`` for the conditions.  The budget is then only a
            limit.
        bounds: ``bounds=(0, 1)`` says that all results lie in this range, so intervals do too.

    ``Selector("http://host:8399", token=...)`` connects to a selection that ``varde serve`` offers there; its settings
    are those it was begun with.
    """

    _glance = 0.1  # seconds between two looks at whether a pause is over

    def __new__(cls, options: Any = None, *given: Any, **named: Any) -> Self:
        if cls is Selector and is_server(options):
            from ..serve.client import Remote

            return super().__new__(Remote)  # type: ignore[return-value]  # a kind of Selector
        return super().__new__(cls)

    def __init__(
        self,
        options: Sequence[Any] | Mapping[str, Any],
        budget: float | None = None,
        *,
        algorithm: Algorithm | None = None,
        goal: str | Goal = "max",
        seed: int = 0,
        crn: bool = False,
        costs: Sequence[float] | Mapping[str, float] | str | None = None,
        items: Sequence[Any] | Mapping[str, Any] | None = None,
        store: str | os.PathLike[str] | Address | EventLog | None = None,
        expire: float | None = None,
        retries: int = 2,
        backoff: float = 1.0,
        patience: float = 600.0,
        stop: float | Stopping | None = None,
        margin: float = 0.0,
        bounds: tuple[float, float] | None = None,
        token: str | None = None,
    ):
        if token is not None:
            raise ValueError('token is for a server: write Selector("http://host:8399", token=...)')
        algorithm, wanted = with_its_goal(algorithm, goal_of(goal))
        retries, expire, crn = check_retries(retries), check_expire(expire), flag("crn", crn)
        backoff, patience = check_backoff(backoff), check_patience(patience)
        entries, algorithm = named(options), check_askable(algorithm, wanted)
        wanted.question(len(entries))
        names = [name for name, _ in entries]
        if store is not None:
            check_lasting(names)
        settings = {
            "goal": wanted.saved(),
            "seed": seed_number(seed),
            "crn": crn,
            "costs": costs is not None,
            "algorithm": algorithm_to(algorithm),
            "budget": check_budget(budget),
            "retries": retries,
            "expire": expire,
            "bounds": check_bounds(bounds),
        }
        stop = check_stop(stop, margin, wanted, settings["bounds"])
        if is_returned(costs):
            settings["returned"] = True
        prices = price_list(costs, names)
        tests = [] if items is None else named_items(items)
        self._returned = is_returned(costs)
        self._more = self._returned or bool(wanted.names)  # a result is more than one number
        self._journal = Journal(open_log(store), settings, algorithm, entries, prices, tests)
        self._begin(wanted, stop, retries, expire, backoff, patience)
        self._about(settings["bounds"])

    # without it, help() and notebooks show that of __new__
    __signature__ = inspect.Signature([*inspect.signature(__init__).parameters.values()][1:])

    def _begin(
        self, goal: Goal, stop: Any, retries: int, expire: float | None, backoff: float, patience: float
    ) -> None:
        self._goal = goal
        self._stop, self._retries, self._expire = stop, retries, expire
        self._backoff, self._patience = backoff, patience
        failures = self._journal.ledger.failures
        self._opened = time.time(), failures.began, failures.pauses  # an earlier outage is not ours
        self._sure, self._checked = False, (-1.0, -1)  # what the stopping rule says, and as of when
        # which options the stopping rule was asked about, and what it remembers
        self._watched: tuple[int, set[int], list[int], dict[Any, Any]] = (-1, set(), [], {})

    def _about(self, bounds: tuple[float, float] | None) -> None:
        """What the results are: as said now, else as the selection began."""
        self._bounds = self._journal.settings.get("bounds") if bounds is None else bounds

    @classmethod
    def open(
        cls,
        store: str | os.PathLike[str] | Address | EventLog,
        options: Sequence[Any] | Mapping[str, Any] | None = None,
        budget: float | None = None,
        *,
        items: Sequence[Any] | Mapping[str, Any] | None = None,
        algorithm: Algorithm | None = None,
        expire: float | None = None,
        retries: int | None = None,
        backoff: float = 1.0,
        patience: float = 600.0,
        stop: float | Stopping | None = None,
        margin: float = 0.0,
        bounds: tuple[float, float] | None = None,
    ) -> Selector:
        """Continue the selection in a file, with the settings it has, and with more ``budget`` if that is larger.

        Options and items that are text, numbers, or dicts and lists of such are read from the file; others must be
        given again, and so must an algorithm of your own.
        """
        store = as_place(store)
        if is_server(store):
            raise ValueError(f'{store} is a server: write Selector("{store}", token=...)')
        if isinstance(store, str | os.PathLike) and not os.path.isfile(store):
            what = "is a folder" if os.path.isdir(store) else "does not exist"
            raise StoreError(f"{store} {what}: write the file of a selection")
        backoff, patience = check_backoff(backoff), check_patience(patience)
        bounds, budget = check_bounds(bounds), check_budget(budget)
        self = cls.__new__(cls)
        self._journal = Journal.of(open_log(store), store, options, items, algorithm, budget)
        settings = self._journal.settings
        self._returned = settings.get("returned", False)
        self._more = self._returned or bool(goal_from(settings["goal"]).names)
        goal = goal_from(settings["goal"])
        self._begin(
            goal,
            check_stop(stop, margin, goal, bounds or settings.get("bounds")),
            settings["retries"] if retries is None else check_retries(retries),
            settings["expire"] if expire is None else check_expire(expire),
            backoff,
            patience,
        )
        self._about(bounds)
        for name, batches in zip(self._journal.ledger.names, self._journal.ledger.batches, strict=True):
            for batch in batches:
                check_promise(name, batch, self._stop)
        return self

    # -- asking and answering --------------------------------------------------------------------

    @overload
    def ask(self, n: None = None, *, worker: str = "", wait: bool = True) -> Draw | None: ...
    @overload
    def ask(self, n: int, *, worker: str = "", wait: bool = True) -> list[Draw]: ...

    def ask(self, n: int | None = None, *, worker: str = "", wait: bool = True) -> Draw | list[Draw] | None:
        """Return the next draw, or the next ``n``, planned together; None, or fewer, if nothing can be handed out now.

        That happens when the budget is spent or fully handed out; ``done`` says whether it is final.  During a pause
        it waits for the end, or with ``wait=False`` hands out nothing: see ``paused``.  ``worker`` names the process
        that will evaluate the draw, by default this one: if it dies, its draws are handed out again.
        """
        n = None if n is None else whole("n", n, "how many draws to hand out, 1 or more")
        draws = self._ask(n, worker)
        pause = None if draws or not wait else self.paused
        left = 0.0 if pause is None else pause.seconds
        while left > 0.0 and not draws:  # by its own count, should the clock stand still
            time.sleep(min(left, self._glance))
            left -= self._glance
            draws = self._ask(n, worker)
        return draws

    @repeated
    def _ask(self, n: int | None, worker: str) -> Draw | list[Draw] | None:
        with self._journal if worker or not self._journal.lasts else Handing(self._journal) as ledger:
            if self._expire is not None:
                self._expire_old(ledger)
            if n is None:
                return self._hand_out(ledger, worker)
            draws: list[Draw] = []
            while len(draws) < n and (draw := self._hand_out(ledger, worker)) is not None:
                draws.append(draw)
            return draws

    def _hand_out(self, ledger: Ledger, worker: str) -> Draw | None:
        if self._stop is not None and self._satisfied(ledger):
            return None
        now = time.time()
        if ledger.failures.pauses and (self._gave_up(ledger) or self._remains(ledger, now)):
            return None
        found = ledger.next(now)
        if found is None and self._journal.lasts and ledger.live:
            self._journal.find_lost()
            found = ledger.next(now)
        if found is None:
            return None
        i, why, probe = found
        if why == "again":
            number, ticket = i, ledger.tickets[i]
            i, replicate, seed = ticket.option, ticket.replicate, ticket.seed
        else:
            number, replicate = ledger.next_id, ledger.drawn[i]
            seed = ledger.seeds(ledger.names[i], replicate)
        self._journal.happen(Event("ask", number, i, replicate, seed, 1.0 if probe else None, why, now, worker))
        return self._draw(number, i, seed, replicate)

    def _draw(self, number: int, i: int, seed: int, replicate: int) -> Draw:
        journal = self._journal
        draw = Draw(number, journal.options[i], journal.ledger.names[i], seed, replicate)
        if not journal.items:
            return draw
        name, item = journal.items[replicate]
        return draw._replace(item=item, item_name=name)

    def tell(
        self,
        draw: Draw | int | str,
        value: Any = None,
        cost: float | None = None,
        *,
        successes: int | None = None,
        trials: int | None = None,
        mean: float | None = None,
        sem: float | None = None,
        n: int | None = None,
    ) -> bool:
        """Record the result of a draw, given as a ``Draw``, by its id, or by the name of its option.

        A name answers the oldest pending draw of that option; if there is none, the result counts as an extra one and
        is paid from the budget like the others.  A second result for the same draw raises AlreadyToldError and the
        first is kept; if the draw was handed out twice (it had expired, or its process died), False is returned
        instead.

        Many results of an option can be told without their values: as ``successes`` out of ``trials``, or as the
        ``mean`` of ``n`` results with its standard error ``sem``.  Given by name, they do not answer a pending draw.

        With ``costs="returned"``, also give the cost, as ``cost`` or in a pair (value, cost).
        """
        if successes is trials is mean is sem is n is None:
            return self._tell(draw, value, cost)
        batch = {"successes": successes, "trials": trials, "mean": mean, "sem": sem, "n": n}
        return bool(self._tell_rows([Row("", {"draw": draw, "value": value, "cost": cost, **batch})]).counted)

    @repeated
    def _tell(self, draw: Draw | int | str, value: Any, cost: float | None) -> bool:
        told = self._check_value(draw, value, cost)
        with self._journal as ledger:
            event = Telling(ledger).event(told, time.time())
            if event is None:
                return False
            if ledger.failures.row or ledger.failures.strikes:
                self._happen(ledger, [event])
            else:
                self._journal.happen(event)
            return True

    def tell_many(self, results: Any, *, once: str | None = None, skip: bool = False) -> Told:
        """Record many results at once: all of them, or none if there is an error.

        ``results`` are pairs of a draw, its id or the name of an option, and a value; or a dict of options and lists of
        values; or the rows of a table, a data frame or a list of dicts, with the columns ``option`` and ``value``, or
        ``successes`` and ``trials``, or ``mean``, ``sem`` and ``n``, as for ``tell``.  Numbers may be text, as in the
        rows of ``csv.DictReader``.  The answer counts rows, not trials:

        >>> import varde
        >>> selector = varde.Selector(["a", "b"])
        >>> clicks = {"a": {"successes": 12, "trials": 400}, "b": {"successes": 31, "trials": 410}}
        >>> selector.tell_many(clicks).counted
        2

        ``once`` is a label for the whole call, such as the name of a file: results told under the same label before
        are not counted again.  ``skip=True`` leaves bad rows out, and the answer says which and why.
        """
        once = None if once is None else check_text("once", once)
        return self._tell_rows(list(rows_of(results)), once, flag("skip", skip))

    @repeated
    def _tell_rows(self, rows: list[Row], once: str | None = None, skip: bool = False) -> Told:
        checked: list[tuple[str, Checked | Exception]] = [(row.where, self._check_row(row.fields)) for row in rows]
        label = f"{LABEL}{once}"
        with self._journal as ledger:
            if once is not None and label in ledger.notes:
                return Told(0, (), True)
            draws = [told.draw for _, told in checked if isinstance(told, Checked)]
            telling, now = Telling(ledger, draws), time.time()
            events, bad = [], []
            for where, told in checked:
                try:
                    if isinstance(told, Exception):
                        raise told
                    events.append(telling.event(told, now))
                except (TypeError, ValueError) as error:
                    bad.append((where, error))
            if bad and not skip:
                raise refused(bad, len(rows))
            happened = [event for event in events if event is not None]
            if once is not None:
                note = json.dumps({"counted": len(happened), "skipped": len(bad)})
                happened.append(Event("note", text=label, time=now, data=note))
            self._happen(ledger, happened)
            return Told(len(happened) - (once is not None), tuple((where, str(error)) for where, error in bad))

    def _happen(self, ledger: Ledger, events: list[Event]) -> None:
        """Record results; an outage may be over, or show which option is to blame."""
        failures = ledger.failures
        paused, doubts = failures.pauses, failures.row or failures.strikes
        self._journal.happen_together(events)
        if doubts:
            if paused and not failures.pauses:
                messages.warning("the outage is over after %.3g s", max(events[-1].time - failures.began, 0.0))
            self._leave_out(ledger)

    def _check_row(self, fields: Any) -> Checked | Exception:
        """A result that can be told, or why it cannot."""
        try:
            check_fields(fields)
            fields = {name: part for name, part in fields.items() if part is not None}
            if fields.keys().isdisjoint(BATCHES):
                return self._check_value(fields["draw"], fields.get("value"), fields.get("cost"))
            return self._check_batch(fields["draw"], fields)
        except (TypeError, ValueError) as error:
            return error

    def _check_value(self, draw: Any, value: Any, cost: Any) -> Checked:
        data = None
        if self._more or cost is not None:
            value, data = self._with_more(draw, value, cost)
        return Checked(draw, check_value(draw, value, self._bounds), data)

    def _check_batch(self, draw: Any, fields: Mapping[str, Any]) -> Checked:
        what, cost = called(draw), fields.get("cost")
        if "value" in fields:
            raise ValueError(
                f"the result of {what} has a value and other fields: write the value, or counts, or a summary"
            )
        batch = batch_of(what, fields)
        check_batch(what, batch, self._goal, self._journal.ledger.paired, self._bounds)
        check_promise(what, batch, self._stop)
        data: dict[str, Any] = batch._asdict()
        if self._returned:
            data["cost"] = check_cost(cost, what)
        elif cost is not None:
            raise ValueError(no_costs(cost))
        return Checked(draw, batch.mean, json.dumps(data), batch)

    def _with_more(self, draw: Any, value: Any, cost: Any) -> tuple[Any, str]:
        """A result, and the rest of what came with it as JSON."""
        more: dict[str, Any] = {}
        if self._returned:
            value, more["cost"] = result_and_cost(draw, value, cost)
        elif cost is not None:
            raise ValueError(no_costs(cost))
        if names := self._goal.names:
            more["numbers"] = numbers_of(called(draw), value, names)
            value = more["numbers"][names[0]]
        return value, json.dumps(more)

    @repeated
    def fail(self, draw: Draw | int, reason: object = "", *, retry_after: float | None = None) -> None:
        """Record that a draw failed, with the ``reason`` (text, or the exception); it costs nothing and is no result.

        The draw is handed out again with the same seed, as soon as its option has worked with another; if it fails a
        second time, another takes its place.  An option that fails ``retries`` more times after a first failure, with
        no result in between, while others work, is left out; a result that arrives later readmits it.
        ``retry_after``: seconds to wait before the next try, as asked for by a service.
        """
        words, after = why(reason) or "no reason given", 0.0
        if retry_after is not None:
            after = real("retry_after", retry_after, "seconds, 0 or more", lambda after: 0.0 <= after <= LARGEST)
        with self._journal as ledger:
            id = id_of(ledger, draw)
            if id in ledger.live:
                self._strike(ledger, id, "fail", words, after, is_mistake(reason))
            elif id not in ledger.tickets and id not in ledger.given_up and id not in ledger.unsure:
                raise AlreadyToldError(f"draw {id} already has its result and can no longer fail: leave it")

    @repeated
    def release(self, draw: Draw | int) -> None:
        """Give a draw back: it is handed out again, with the same id and seed.  This does not count as a failure."""
        with self._journal as ledger:
            id = id_of(ledger, draw)
            if id in ledger.live:
                self._journal.happen(Event("lost", id, ledger.tickets[id].option, time=time.time()))

    def _strike(
        self, ledger: Ledger, id: int, kind: str, reason: str, after: float = 0.0, mistake: bool = False
    ) -> None:
        """Draw ``id`` failed; the next may be made ``after`` so many seconds, if given."""
        ticket, failures = ledger.tickets[id], ledger.failures
        pause, outage = after, ledger.calls_for_pause(id)
        if outage and (failures.told or not mistake):  # a function that never worked and is wrong is not waited for
            pause = max(min(self._backoff * 2.0**failures.pauses, max(LONGEST, self._backoff)), after)
        paused = json.dumps({"pause": pause}) if pause or outage else None
        event = Event(kind, id, ticket.option, ticket.replicate, ticket.seed, None, reason, time.time(), data=paused)
        self._journal.happen(event)
        messages.info("draw %d of %s failed: %s", id, one_line(shorten(ledger.names[ticket.option])), one_line(reason))
        if pause and not self._gave_up(ledger):
            messages.warning("%s", one_line(str(self._pause(ledger))))
        elif paused and self._gave_up(ledger):
            messages.warning("given up: %s", one_line(self._reason(ledger)))
        self._leave_out(ledger)

    def _leave_out(self, ledger: Ledger) -> None:
        """Options that fail while others work."""
        for i in ledger.failures.guilty(self._retries):
            if i not in ledger.failing:
                self._journal.happen(Event("drop", option=i, text=ledger.failures.reasons[i], time=time.time()))
                name, why = one_line(shorten(ledger.names[i])), one_line(self._failure(ledger, i))
                messages.warning("%s is left out: %s", name, why)

    # -- outages -----------------------------------------------------------------------------------

    @property
    def paused(self) -> Pause | None:
        """Why nothing, or only one draw, is handed out now, and how many seconds are left until the next try."""
        with self._journal.lock:
            return self._pause(self._journal.view())

    def _pause(self, ledger: Ledger) -> Pause | None:
        if not ledger.failures.narrow or self._gave_up(ledger):
            return None
        if self._stop is not None and self._satisfied(ledger):
            return None  # no call will be made any more, so none can show that it is over
        return Pause(self._reason(ledger), self._remains(ledger, time.time()))

    def _remains(self, ledger: Ledger, now: float) -> float:
        """Seconds left of a pause; never more than its length, whatever the clock did."""
        failures = ledger.failures
        return min(max(failures.until - now, 0.0), failures.length)

    def _reason(self, ledger: Ledger) -> str:
        failures = ledger.failures
        name = shorten(ledger.names[failures.last])
        calls = "1 call" if failures.row == 1 else f"{failures.row:,} calls"
        options = "1 option" if len(failures.hit) == 1 else f"{len(failures.hit):,} options"
        return f"{calls} of {options} failed in a row (the last, of {name!r}: {shorten(failures.reason, 200)})"

    def _gave_up(self, ledger: Ledger) -> bool:
        """Whether an outage has lasted too long or, if no call ever worked, was tried often enough."""
        failures = ledger.failures
        if not failures.pauses:
            return False
        opened, began, pauses = self._opened
        if not failures.told and failures.pauses - (pauses if failures.began == began else 0) > min(
            self._retries, TRIES
        ):
            return True
        return failures.until - max(failures.began, opened) > self._patience

    def _failure(self, ledger: Ledger, i: int) -> str:
        """The reason why option ``i`` is left out."""
        failed = ledger.failures.counts[i]
        calls = f"{failed:,} of {failed + len(ledger.values[i]) + len(ledger.batches[i]):,} calls failed"
        return f"{calls}, last: {ledger.failures.reasons[i]}"

    def _expire_old(self, ledger: Ledger) -> None:
        """Draws handed out too long ago wait to be handed out again."""
        limit: Any = self._expire
        while ledger.live:
            id = next(iter(ledger.live))
            if time.time() - ledger.tickets[id].time < limit:
                break
            self._strike(ledger, id, "expire", f"no result within {limit:g} s")

    # -- changes of plan -------------------------------------------------------------------------

    @repeated
    def add_option(self, option: Any, name: str | None = None, cost: float | None = None) -> None:
        """Add an option, which gets its warm start first; a removed option comes back with its results."""
        name = name_of(option) if name is None else check_text("name", name)
        with self._journal as ledger:
            if name in ledger.numbers:
                self._restore(ledger, option, name, cost)
                return
            if self._returned and cost is not None:
                raise ValueError(f"costs come back with the results: leave cost={shown(cost)} out")
            if ledger.priced and not self._returned and cost is None:
                raise ValueError(f"the options have costs: write cost=... for {name!r} too")
            if cost is not None and not ledger.priced:
                raise ValueError(f"the options have no costs: leave cost={cost} out")
            price = 1.0 if cost is None else check_cost(cost, name)
            if self._journal.lasts:
                check_lasting([name])
            self._journal.given[name] = option
            self._journal.options.append(option)
            self._journal.happen(option_event(len(ledger.names), name, option, price, time.time()))

    def _restore(self, ledger: Ledger, option: Any, name: str, cost: float | None) -> None:
        i = ledger.numbers[name]
        if i not in ledger.removed:
            raise ValueError(f"there is an option {name!r} already: write name=...")
        if cost is not None and cost != ledger.prices.of(i):
            raise ValueError(f"{name!r} had a cost of {ledger.prices.of(i):g}: leave cost={shown(cost)} out")
        refuse_other(name, option, as_json(self._journal.options[i]))
        self._journal.given[name] = self._journal.options[i] = option
        self._journal.happen(Event("restore", option=i, time=time.time()))

    @repeated
    def remove_option(self, name: str) -> None:
        """Remove an option: it is no longer drawn or recommended.

        Its results stay, and results of its pending draws are accepted.  ``add_option`` with the same name brings it
        back.
        """
        name = check_text("name", name)
        with self._journal as ledger:
            i = ledger.numbers.get(name)
            if i is None or i in ledger.removed:
                known = [other for j, other in enumerate(ledger.names) if j not in ledger.removed]
                raise ValueError(f"there is no option {name!r}: write one of {some(known)}")
            if len(ledger.removed) + 1 == len(ledger.names):
                raise ValueError(f"{name!r} is the last option: add another one first")
            self._journal.happen(Event("remove", option=i, time=time.time()))

    @repeated
    def add_budget(self, more: float) -> None:
        """Add ``more`` to the budget."""
        more = real("more", more, "how much to add, above 0", lambda more: 0.0 < more <= LARGEST)
        with self._journal as ledger:
            if ledger.budget is None:
                raise ValueError("the selection has no budget to add to: leave add_budget out, or begin with a budget")
            self._journal.happen(Event("budget", value=number_of(ledger.budget + more), time=time.time()))

    @repeated
    def note(self, name: str, value: Any) -> None:
        """Keep a note in the file, anything JSON can hold: how its results are made, for example."""
        name = check_text("name", name)
        with self._journal:
            if not self._journal.lasts:
                raise ValueError("notes are kept in the store: write store=...")
            self._journal.happen(Event("note", text=name, time=time.time(), data=json.dumps(value)))

    def noted(self, name: str) -> Any:
        """The note of that name in the file, or None."""
        return json.loads(self._journal.view().notes.get(check_text("name", name), "null"))

    # -- what is known -----------------------------------------------------------------------------

    @property
    def done(self) -> bool:
        """Whether no draw is pending and none will be handed out any more."""
        with self._journal.lock:
            ledger = self._journal.view()
            sure = self._stop is not None and self._satisfied(ledger)
            return sure or ledger.done or (self._gave_up(ledger) and not ledger.live)

    def _satisfied(self, ledger: Ledger) -> bool:
        """Whether the stopping rule is satisfied for the options that work; checked once per result."""
        now = (ledger.spent, len(ledger.out))
        if self._checked != now:
            self._checked = now
            results = self._results(ledger)
            promise = isinstance(self._stop, Stop)
            if promise and not all_usable(ledger.batches, self._stop):  # another process told them
                self._sure = False
                return False
            self._sure = bool(self._goal.sure(self._stop, results) if promise else self._stop.satisfied(results))
            if self._sure and ledger.paired and isinstance(self._goal, Mean):
                # what is recommended is found with more care than what is sampled
                self._sure = self._watched[2][results.best] == ledger.leader()
        return self._sure

    def _results(self, ledger: Ledger) -> Results:
        """What the stopping rule sees of the options that work."""
        out, size = ledger.out, len(ledger.names)
        if self._watched[:2] != (size, out):
            self._watched = (size, out, [i for i in range(size) if i not in out], {})
        _, _, works, memory = self._watched
        counts, means, squares = ledger.chooser.summary()
        if out:
            counts, means, squares = counts[works], means[works], squares[works]
        ahead = ledger.chooser.ahead()
        return Results(
            counts,
            means,
            squares,
            values=lambda i: ledger.results_of(works[i]),
            lower=lambda i: ledger.results_of(works[i], best_first=False),
            replicates=(lambda i: np.array(ledger.replicates[works[i]])) if ledger.paired else None,
            best=works.index(ahead) if ahead is not None and ahead not in out else -1,
            memory=memory,
            items=ledger.items,
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings, as a file keeps them: goal, seed, crn, algorithm and more."""
        return dict(self._journal.settings)

    @property
    def goal(self) -> Goal:
        """The goal as a record; "max" and "min" are goals too."""
        return self._goal

    @property
    def budget(self) -> float | None:
        """The whole budget, or None."""
        return self._journal.view().budget

    @property
    def spent(self) -> float:
        """What the results have cost: their number, unless costs were given."""
        return number_of(self._journal.view().spent)

    @property
    def remaining(self) -> float:
        """What can still be handed out: the budget minus what is spent and what is pending."""
        return number_of(self._journal.view().remaining)

    @property
    def pending(self) -> list[Draw]:
        """The draws that were handed out and have no result yet, oldest first."""
        with self._journal.lock:
            ledger = self._journal.view()
            tickets = [(id, ledger.tickets[id]) for id in ledger.live]
            return [self._draw(id, t.option, t.seed, t.replicate) for id, t in tickets]

    @property
    def leader(self) -> str | None:
        """The name of the option with the best mean so far."""
        with self._journal.lock:
            best = self._journal.view().leader()
            return None if best is None else self._journal.ledger.names[best]

    @property
    def options(self) -> dict[str, Any]:
        """The options by name, in the order they were added."""
        with self._journal.lock:
            return dict(zip(self._journal.view().names, self._journal.options, strict=True))

    @property
    def items(self) -> dict[str, Any]:
        """The items of the fixed test set by name, in the order in which every option sees them."""
        return dict(self._journal.items)

    @property
    def removed(self) -> tuple[str, ...]:
        """The options that were removed."""
        ledger = self._journal.view()
        return tuple(ledger.names[i] for i in sorted(ledger.removed))

    @property
    def failing(self) -> dict[str, str]:
        """The options left out because they fail, and why."""
        ledger = self._journal.view()
        return {ledger.names[i]: self._failure(ledger, i) for i in ledger.failing}

    def recommend(self, stopped: str | None = None) -> Selection:
        """Return the recommended option and how sure that is; possible at any time.

        ``stopped`` overrides what ended the search: "sure", "budget" when nothing is left to hand out, else "not yet".
        """
        if stopped is not None and not (isinstance(stopped, str) and stopped in ENDS):
            refuse("stopped", stopped, " or ".join(map(repr, ENDS)))
        return Selection.of(**self._evidence(stopped))

    def _evidence(self, stopped: str | None) -> dict[str, Any]:
        """Everything a recommendation is based on."""
        with self._journal.lock:
            ledger = self._journal.view()
            if not any(ledger.has_worked(i) for i in range(len(ledger.names)) if i not in ledger.removed):
                if ledger.failures.row or ledger.failing:
                    raise RuntimeError(f"no call has worked: {self._reason(ledger)}")
                raise ValueError("there are no results yet: tell some first")
            if stopped is None:
                sure = self._stop is not None and self._satisfied(ledger)
                over = "outage" if self._gave_up(ledger) else "budget" if ledger.done else "not yet"
                stopped = "sure" if sure or ledger.settled else over
            return {
                "names": list(ledger.names),
                "options": list(self._journal.options),
                "values": [np.array(values) for values in ledger.values],
                "batches": [list(batches) for batches in ledger.batches],
                "goal": self._goal.shown,
                "budget": ledger.budget,
                "spent": number_of(ledger.spent),
                "failing": self.failing,
                "removed": self.removed,
                "costs": ledger.prices.all().tolist() if ledger.priced else None,
                "crn": self._journal.settings["crn"],
                "replicates": [np.array(replicates, np.int64) for replicates in ledger.replicates],
                "items": [name for name, _ in self._journal.items],
                "missing": self._missing(ledger),
                "stopped": stopped,
                "bounds": self._bounds,
                "stop": terms(self._stop),
                "failed": [ledger.failures.own(i) for i in range(len(ledger.names))],
                "numbers": ledger.numbers_by_name(),
                "outages": ledger.failures.outages,
            }

    def _missing(self, ledger: Ledger) -> dict[str, list[str]]:
        """The items of a fixed test set that were given up, by option."""
        found: dict[str, list[str]] = {}
        for ticket in ledger.given_up.values() if ledger.items else ():
            found.setdefault(ledger.names[ticket.option], []).append(self._journal.items[ticket.replicate][0])
        return found

    def __repr__(self) -> str:
        with suppress(StoreError):  # of a file that is gone, what was known last
            self._journal.view()
        ledger, settings = self._journal.ledger, self._journal.settings
        spent = f"{number_of(ledger.spent):,}" + ("" if ledger.budget is None else f" of {ledger.budget:,}") + " spent"
        leader, where = ledger.leader(), getattr(self._journal.log, "path", None)
        parts = [f"{len(ledger.names):,} options", f"goal {written(settings['goal'])}", spent]
        parts += [f"{len(ledger.live):,} pending"] if ledger.live else []
        parts += [f"{len(ledger.failing):,} failing"] if ledger.failing else []
        parts += [f"{shorten(ledger.names[leader])!r} leads"] if leader is not None else []
        parts += [f"in {where}"] if where is not None else []
        return f"<Selector: {', '.join(parts)}>"

    def close(self) -> None:
        """Close the file; nothing can be asked or told any more."""
        self._journal.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
