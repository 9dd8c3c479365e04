"""``Selector``: ask which option to evaluate, tell the result; the loop stays yours."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, overload

from .._keywords import helpful
from ..check import LARGEST, flag, real, shown, whole
from ..protocols import Stopping
from . import events, telling
from .address import Address, as_place
from .alike import described, resemblance
from .calls import USUAL, Calls
from .checks import (
    check_promise,
    check_text,
    name_of,
    named,
    named_items,
    number_of,
    price_list,
    some,
    why,
)
from .contexts import cells, cells_of, check_contexts, found_in
from .draws import Draw, T
from .events import check_writable, plain
from .failures import is_mistake
from .goals import Goal
from .journal import Journal, Plan
from .ledger import Ledger
from .log import EventLog
from .record import record_of
from .retrying import Retrying, next_draw
from .settings import Settings
from .stopping import Watch
from .tables import read_results
from .telling import AlreadyToldError, Checked, Row, Told
from .view import View

GLANCE = 0.1  # seconds between two looks at whether a pause is over
KEPT = "it is kept with the results: leave it out"
RULE = "options are chosen by VarDE(); compare algorithms on known problems with varde.bandits.measure"
ASK = "ask and tell are yours to call; write varde.select(function, options, budget) to have it done"


class Selector(View[T]):
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
        budget: the number of results, or with ``costs`` their total cost.  Without one you decide when to stop.
        costs: what a result of each option costs, a list or a dict by name.
        goal: "max", "min", or another question: ``varde.Top(5)``,
            ``varde.Quantile(0.95, "min")``, ``varde.Best("profit", latency="<= 200")``.
        seed: together with the option's name it determines every seed.  ``crn=True`` uses common random numbers:
            replicate r of every option gets the same seed.
        items: a fixed test set, a list or a dict of names and items.  Every draw names the ``item`` to judge its
            option on.  Each option sees each item once, all in the same order, and options are compared on the items
            they share.  An option judged on all items is known exactly; the end comes when all are, at the latest.
        alike: options with similar parameters give similar results, so that fewer of them need to be tried.  Parameters
            are read from the options (numbers, texts, dicts, tuples): ``alike=True``; or ``alike`` has a row of
            numbers or texts for each option: an array (embeddings, too), a data frame, or a function of an option.
        contexts: what is best may depend on the context (the kind of question, the segment, the instance): a list of
            texts, or of dicts of numbers and texts, or a dict of names and such.  Every draw names its ``context``,
            and the answer is a ``varde.Choices``, an option for each.  A result helps wherever contexts are similar.
        store: a file that survives crashes, can be resumed, and may be used by several processes at once; an
            address, ``"postgresql://host/database#name"``, is a database for several machines.
        calls: ``varde.Calls(...)``: how calls are made, the range of their results, and what is done about those that
            fail, all at once (an outage), or are not answered.
        warm_start: how often each option is drawn before the rule chooses, by default three times; as often as the
            budget allows gives equal shares.
        stop: ``stop=0.05`` ends before the budget is spent, as soon as the answer is right with probability 95 %;
            ``varde.Stop(0.05, margin=1)`` if a difference of 1 does not matter.  ``stop="watched"`` ends when the
            answer's ``p_watched`` is 95 %: sooner, and measured instead of proved.  The budget is then only a limit.
    """

    _features: Callable[[Any], Any] | None = None  # of an option that is added later

    @helpful(
        algorithm=RULE,
        workers=ASK,
        seconds=ASK,
        progress="print the selector, or its recommend(), whenever you like",
        function=ASK,
    )
    def __init__(
        self,
        options: Sequence[T] | Mapping[str, T],
        budget: float | None = None,
        *,
        goal: Literal["max", "min"] | Goal = "max",
        seed: int = 0,
        crn: bool = False,
        costs: Sequence[float] | Mapping[str, float] | None = None,
        items: Sequence[Any] | Mapping[str, Any] | None = None,
        alike: Any = False,
        contexts: Sequence[Any] | Mapping[str, Any] | None = None,
        store: str | os.PathLike[str] | Address | EventLog | None = None,
        calls: Calls = USUAL,
        warm_start: int | None = None,
        stop: float | Literal["watched"] | Stopping | None = None,
    ):
        tests, several, rows = [] if items is None else named_items(items), 0, None
        if contexts is None:
            entries: list[tuple[str, Any]] = named(options)
        else:
            check_contexts(items=items, costs=costs, crn=crn, stop=stop, warm_start=warm_start)
            entries, rows, several = cells(options, contexts)
        names, (alike, features) = [name for name, _ in entries], resemblance(True if several else alike)
        wanted = Settings(
            goal=goal,  # type: ignore[arg-type]  # which it makes of the text
            seed=seed,
            crn=crn,
            alike=alike,
            contexts=several,
            warm_start=warm_start,
            calls=calls,
            stop=stop,
            budget=budget,
            priced=costs is not None,
            size=len(entries),
            items=len(tests),
        )
        wanted.goal.question(len(entries))
        prices = price_list(costs, names)
        if rows is None:
            rows = described(wanted.alike, entries, features, items=items, warm_start=warm_start)
        self._begin(Journal.of(record_of(store), Plan(wanted, entries, prices, tests, rows)))
        self._features = features if callable(features) else None

    def _begin(self, journal: Journal) -> None:
        self._journal, self._settings = journal, journal.settings
        self._retrying, self._watch = Retrying(journal), Watch(journal.settings, self._p_watched)
        several, bounds = journal.settings.goal.names, journal.settings.bounds
        self._range = (math.inf, -math.inf) if several else bounds or (-LARGEST, LARGEST)  # of plain results

    @classmethod
    @helpful(goal=KEPT, seed=KEPT, crn=KEPT, costs=KEPT)
    def open(
        cls,
        store: str | os.PathLike[str] | Address | EventLog,
        options: Sequence[Any] | Mapping[str, Any] | None = None,
        budget: float | None = None,
        *,
        items: Sequence[Any] | Mapping[str, Any] | None = None,
        calls: Calls | None = None,
        stop: float | Literal["watched"] | Stopping | None = None,
    ) -> Selector[Any]:
        """Continue the selection in a file, with the settings it has, and with more ``budget`` if that is larger.

        Options and items that are text, numbers, or dicts and lists of such are read from the file; others must be
        given again.
        """
        wanted = {"calls": calls, "stop": stop, "budget": budget}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        self, record = cls.__new__(cls), record_of(store, existing=True)
        self._begin(Journal.reopened(record, as_place(store), wanted, options, items))
        ledger = self._journal.ledger
        for i, batches in ledger.batches.items():
            for batch in batches:
                check_promise(ledger.names[i], batch, self._settings.stop)
        return self

    # -- asking and answering --------------------------------------------------------------------

    @overload
    def ask(self, n: None = None, *, context: Any = None, worker: str = "", wait: bool = True) -> Draw[T] | None: ...
    @overload
    def ask(self, n: int, *, context: Any = None, worker: str = "", wait: bool = True) -> list[Draw[T]]: ...

    def ask(
        self, n: int | None = None, *, context: Any = None, worker: str = "", wait: bool = True
    ) -> Draw[T] | list[Draw[T]] | None:
        """Return the next draw, or the next ``n``, planned together; None, or fewer, if nothing can be handed out now.

        That happens when the budget is spent or fully handed out; ``done`` says whether it is final.  During a pause
        it waits for the end, or with ``wait=False`` hands out nothing: see ``paused``.  ``worker`` names the process
        that will evaluate the draw, by default this one: if it dies, its draws are handed out again.  With a
        ``context``, given as it is or by its name, only the option is chosen: somebody is there in that context.
        """
        n = None if n is None else whole("n", n, "how many draws to hand out, 1 or more")
        where = None if context is None else self._place(context)
        if worker != "":
            worker = check_text("worker", worker)
            check_writable("worker", worker)
        left = math.inf if wait else 0.0
        while True:
            # What this process asks for need not be on disk: see Journal.change.
            given = (self._hand_out, worker, where) if n is None else (self._hand_out_many, n, worker, where)
            draws = self._journal.change(*given, at_once=bool(worker))
            pause = None if draws or left <= 0.0 else self.paused
            if pause is None or not pause.seconds:
                return draws
            left = min(left, pause.seconds) - GLANCE  # by its own count too, should the clock stand still
            time.sleep(min(pause.seconds, GLANCE))

    def _hand_out_many(self, ledger: Ledger, n: int, worker: str, where: int | None) -> list[Draw[T]]:
        draws: list[Draw[T]] = []
        while len(draws) < n and (draw := self._hand_out(ledger, worker, where)) is not None:
            draws.append(draw)
        return draws

    def _hand_out(self, ledger: Ledger, worker: str, where: int | None) -> Draw[T] | None:
        journal, failures, now = self._journal, ledger.failures, time.time()
        if self._settings.calls.expire is not None:
            self._retrying.expire_old(ledger)
        if self._watch.stop is not None and self._watch.satisfied(ledger):
            return None
        if (failures.pauses or failures.wait_until) and (failures.remains(now) or self._retrying.gave_up(ledger)):
            return None
        if self._settings.alike and ledger.alike.is_due:
            journal.happen(events.Fit(ledger.alike.fitted(), now))
        if where is not None:
            found = ledger.new(cells_of(where, len(ledger.names), self._settings.contexts))
        elif failures.row or failures.strikes or ledger.waiting:
            found = next_draw(ledger, now)
        else:
            allowed = ledger.allowed() if ledger.priced or ledger.exhausted else None
            found = ledger.new(allowed, waits_for=self._watch.waits_for)
        if found is None and ledger.live and where is None:
            journal.find_lost()
            found = next_draw(ledger, now)
        if found is None:
            return None
        i, why, probe = found
        if why == "again":
            number, ticket = i, ledger.tickets[i]
            i, replicate, seed = ticket.option, ticket.replicate, ticket.seed
        else:
            number, replicate = ledger.next_id, ledger.drawn[i]
            seed = ledger.seeds(ledger.names[i], replicate)
        journal.happen(events.Ask(number, i, replicate, seed, why, probe, now, worker))
        return self._draw(number, i, seed, replicate)

    def _place(self, context: Any) -> int:
        """Which one it is, given as it is or by its name."""
        several, rows = self._settings.contexts, self._journal.ledger.alike.rows if self._settings.contexts else []
        if not several:
            raise ValueError("context= is given, but the selection has no contexts: write Selector(..., contexts=...)")
        first = range(0, len(rows), len(rows) // several)
        keys = [(rows[i]["context"], self._journal.options[i][1]) for i in first]
        return found_in(keys, context)

    def tell(
        self,
        draw: Draw[Any] | int | str,
        value: Any = None,
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
        first is kept; if it was handed out twice (it had expired, or its process died), False is returned instead.

        Many results of an option can be told without their values: as ``successes`` out of ``trials``, or as the
        ``mean`` of ``n`` results with its standard error ``sem``.  Given by name, they do not answer a pending draw.
        """
        if not isinstance(draw, (Draw, str)):
            self._refuse_option(draw)
        if not (successes is trials is mean is sem is n is None):
            batch = {"successes": successes, "trials": trials, "mean": mean, "sem": sem, "n": n}
            row = Row("", {"draw": draw, "value": value, **batch})
            rows = telling.checked(self._settings, self._journal.ledger.paired, [row])
            return bool(self._journal.change(self._tell_rows, rows).counted)
        low, high = self._range
        is_plain = type(value) is float and low <= value <= high  # as most are: the rest is not asked for
        result = Checked(draw, value) if is_plain else telling.check_value_of(self._settings, draw, value)
        return self._journal.change(self._tell, result)

    def _tell(self, ledger: Ledger, result: Checked) -> bool:
        (draw, value, data, _), now = result, time.time()
        ticket = ledger.tickets.get(draw.id) if type(draw) is Draw else None
        event: events.Event | None
        if ticket is not None and ticket.seed == draw.seed:
            event = events.Tell(draw.id, ticket.option, value, ticket.replicate, ticket.seed, data, now)
        else:
            event = telling.Telling(ledger).event(result, now)
        if event is None:
            return False
        if ledger.failures.row or ledger.failures.strikes:
            self._retrying.tell(ledger, [event])
        else:
            self._journal.happen(event)
        return True

    def tell_many(
        self,
        results: Any,
        *,
        option: str | None = None,
        value: str | Sequence[str] | None = None,
        once: str | None = None,
        skip: bool = False,
    ) -> Told:
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

        ``option`` and ``value`` name other columns, and ``results`` may then be a file too, as for ``varde.judge``.
        ``once`` is a label for the whole call, such as the name of a file: results told under the same label before
        are not counted again.  ``skip=True`` leaves bad rows out, and the answer says which and why.
        """
        once = None if once is None else check_text("once", once)
        names = self._settings.goal.names
        plain = option is value is None
        rows = (
            telling.rows_of(results, self._refuse_option) if plain else read_results(results, option, value, names).rows
        )
        checked = telling.checked(self._settings, self._journal.ledger.paired, rows)
        return self._journal.change(self._tell_rows, checked, once, flag("skip", skip))

    def _refuse_option(self, draw: Any) -> None:
        """Refuse a number that is an option: ``tell(draw.option, ...)`` would answer the draw with that id."""
        i = self._journal.ledger.numbers.get(str(draw))
        if i is not None and not isinstance(self._journal.options[i], str):
            raise ValueError(
                f"{draw} is an option, and may be the id of a draw: write tell(draw, ...) with the draw itself, "
                f"tell('{draw}', ...) for the option, or tell_many([{{'draw': {draw}, 'value': ...}}])"
            )

    def _tell_rows(self, ledger: Ledger, rows: telling.Results, once: str | None = None, skip: bool = False) -> Told:
        happened, told = telling.planned(ledger, rows, once, skip)
        if happened:
            self._retrying.tell(ledger, happened)
        return told

    def fail(self, draw: Draw[Any] | int, reason: object = "", *, retry_after: float | None = None) -> None:
        """Record that a draw failed, with the ``reason`` (text, or the exception); it costs nothing and is no result.

        The draw is handed out again with the same seed, as soon as its option has worked with another; if it fails a
        second time, another takes its place.  An option that fails ``retries`` more times after a first failure, with
        no result in between, while others work, is left out; a result that arrives later readmits it.
        ``retry_after``: seconds to wait, as asked for by a service that limits calls; this counts against nothing.
        """
        words, after = why(reason) or "no reason given", 0.0
        if retry_after is not None:
            after = real("retry_after", retry_after, "seconds, 0 or more", lambda after: 0.0 <= after <= LARGEST)
        self._journal.change(self._fail, draw, words, after, is_mistake(reason))

    def _fail(self, ledger: Ledger, draw: Draw[Any] | int, words: str, after: float, mistake: bool) -> None:
        id = telling.id_of(ledger, draw)
        if id in ledger.live:
            self._retrying.strike(ledger, id, events.Fail, words, after, mistake)
        elif id not in ledger.tickets and id not in ledger.given_up and id not in ledger.unsure:
            raise AlreadyToldError(f"draw {id} already has its result and can no longer fail: leave it")

    def release(self, draw: Draw[Any] | int) -> None:
        """Give a draw back: it is handed out again, with the same id and seed.  This does not count as a failure."""

        def give_back(ledger: Ledger) -> None:
            id = telling.id_of(ledger, draw)
            if id in ledger.live:
                self._journal.happen(events.Lost(id, ledger.tickets[id].option, time.time()))

        self._journal.change(give_back)

    # -- changes of plan -------------------------------------------------------------------------

    def add_option(self, option: Any, name: str | None = None, cost: float | None = None, *, alike: Any = None) -> None:
        """Add an option, which gets its warm start first; a removed option comes back with its results.

        ``alike`` is its row, where those of the options are not read from themselves.
        """
        self._refuse_with_contexts()
        name = name_of(option) if name is None else check_text("name", name)
        if not name:
            raise ValueError(f"the option {shown(option)} has no name: write name=...")
        if alike is None and self._features is not None:
            alike = self._features(option)
        self._journal.change(self._journal.add_option, option, name, cost, alike)

    def _refuse_with_contexts(self) -> None:
        if self._settings.contexts:
            raise ValueError(
                "options are not added to contexts, nor removed: begin another selection with those you want"
            )

    def remove_option(self, name: str) -> None:
        """Remove an option: it is no longer drawn or recommended.

        Its results stay, and those of its pending draws are accepted.  ``add_option`` with its name brings it back.
        """
        self._refuse_with_contexts()
        name = check_text("name", name)

        def remove(ledger: Ledger) -> None:
            i = ledger.numbers.get(name)
            if i is None or i in ledger.removed:
                known = [other for j, other in enumerate(ledger.names) if j not in ledger.removed]
                raise ValueError(f"there is no option {name!r}: write one of {some(known)}")
            if len(ledger.removed) + 1 == len(ledger.names):
                raise ValueError(f"{name!r} is the last option: add another one first")
            self._journal.happen(events.Remove(i, time.time()))

        self._journal.change(remove)

    def add_budget(self, more: float) -> None:
        """Add ``more`` to the budget."""
        more = real("more", more, "how much to add, above 0", lambda more: 0.0 < more <= LARGEST)

        def add(ledger: Ledger) -> None:
            if ledger.budget is None:
                raise ValueError("the selection has no budget to add to: leave add_budget out, or begin with a budget")
            self._journal.happen(events.Budget(number_of(ledger.budget + more), time.time()))

        self._journal.change(add)

    def note(self, name: str, value: Any) -> None:
        """Keep a note with the results, anything JSON can hold: how they are made, for example."""
        name, value = check_text("name", name), plain("the note", value)
        check_writable("the name", name)
        event = events.Note(name, value, time.time())
        self._journal.change(lambda ledger: self._journal.happen(event))

    def close(self) -> None:
        """Close the file; nothing can be asked or told any more."""
        self._journal.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "a Selector is not copied or pickled: write store=file, and varde.Selector.open(file) in the other "
            "process, or pickle what recommend() gives"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
