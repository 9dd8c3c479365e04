"""What is known of a selection at any time: counts, pending draws, the leader, and the recommendation."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Generic

from .._files import StoreError
from ..certainty.assumptions import Calls
from ..check import refuse
from .checks import number_of, shorten
from .contexts import choices_of
from .draws import Draw, T
from .events import Event
from .evidence import Evidence
from .failures import Pause
from .journal import Journal
from .ledger import Ledger
from .result import Selection
from .retrying import Retrying
from .settings import Settings, written
from .stopping import Watch

ENDS = ("budget", "seconds", "sure", "interrupted", "outage", "not yet")  # what ends a search


class View(Generic[T]):
    """The part of ``Selector`` that changes nothing."""

    _journal: Journal
    _settings: Settings
    _retrying: Retrying
    _watch: Watch

    @property
    def done(self) -> bool:
        """Whether no draw is pending and none will be handed out any more."""
        with self._journal.lock:
            ledger = self._journal.view()
            over = ledger.done or (self._retrying.gave_up(ledger) and not ledger.live)
            return self._watch.satisfied(ledger) or over

    @property
    def settings(self) -> Settings:
        """The settings, as a record: goal, seed, crn and more."""
        return self._settings

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
    def pending(self) -> list[Draw[T]]:
        """The draws that were handed out and have no result yet, oldest first."""
        with self._journal.lock:
            ledger = self._journal.view()
            live = [(id, ledger.tickets[id]) for id in ledger.live]
            return [self._draw(id, each.option, each.seed, each.replicate) for id, each in live]

    @property
    def paused(self) -> Pause | None:
        """Why nothing, or only one draw, is handed out now, and how many seconds are left until the next try."""
        with self._journal.lock:
            ledger = self._journal.view()
            if self._watch.satisfied(ledger):
                return None  # no call will be made any more, so none can show that it is over
            return self._retrying.pause(ledger)

    @property
    def notes(self) -> dict[str, Any]:
        """The notes in the file by name."""
        with self._journal.lock:
            return dict(self._journal.view().notes)

    @property
    def leader(self) -> str | None:
        """The name of the option with the best mean so far."""
        with self._journal.lock:
            best = self._journal.view().leader()
            return None if best is None else self._journal.ledger.names[best]

    @property
    def options(self) -> dict[str, T]:
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
        return removed_from(self._journal.view())

    @property
    def failing(self) -> dict[str, str]:
        """The options left out because they fail, and why."""
        return self._failing(self._journal.view())

    @property
    def store(self) -> str | None:
        """The name or address of the store; None in memory."""
        return self._journal.record.name

    def recommend(self, stopped: str | None = None) -> Selection[Any]:
        """Return the recommended option and how sure that is; possible at any time.

        ``stopped`` overrides what ended the search: "sure", "budget" when nothing is left to hand out, else "not yet".
        """
        if stopped is not None and not (isinstance(stopped, str) and stopped in ENDS):
            refuse("stopped", stopped, " or ".join(map(repr, ENDS)))
        known, several = self.evidence(stopped), self._settings.contexts
        if several:  # the answer that only contexts= asks for
            return choices_of(known, self._journal.ledger.alike.rows, several)  # type: ignore[return-value]
        return Selection.of(known)

    def evidence(self, stopped: str | None = None) -> Evidence:
        """Everything a recommendation is based on."""
        with self._journal.lock:
            ledger = self._journal.view()
            if not any(ledger.has_worked(i) for i in range(len(ledger.names)) if i not in ledger.removed):
                if ledger.failures.row or ledger.failing:
                    raise RuntimeError(f"no call has worked: {self._retrying.reason(ledger)}")
                raise ValueError("there are no results yet: tell some first")
            if stopped is None:
                over = "outage" if self._retrying.gave_up(ledger) else "budget" if ledger.done else "not yet"
                stopped = "sure" if self._watch.satisfied(ledger) or ledger.settled else over
            return self._evidence(ledger, stopped)

    def _p_watched(self, ledger: Ledger) -> float:
        """The chance to stop by, of the answer as it would be now."""
        given = self._evidence(ledger, "not yet")
        return given.asked.judge(given.compared()).watched

    def _evidence(self, ledger: Ledger, stopped: str) -> Evidence:
        return Evidence(
            names=list(ledger.names),
            options=list(self._journal.options),
            values=ledger.results.ragged(),
            batches=[ledger.batches.get(i, []) for i in range(len(ledger.names))] if ledger.batches else [],
            goal=self._settings.goal.shown,
            budget=ledger.budget,
            spent=number_of(ledger.spent),
            failing=self._failing(ledger),
            removed=removed_from(ledger),
            costs=list(ledger.costs) if ledger.priced else None,
            crn=self._settings.crn,
            replicates=ledger.results.all_replicates() if ledger.paired else None,
            items=[name for name, _ in self._journal.items],
            missing=self._missing(ledger) if ledger.items else {},
            stopped=stopped,
            bounds=self._settings.bounds,
            stop=self._watch.terms(ledger),
            calls=calls_of(ledger),
            adaptive=True,
            numbers={name: ledger.results.ragged(place) for place, name in enumerate(ledger.goal.names)},
            outages=ledger.failures.outages,
            alike=ledger.alike.known() if self._settings.alike else None,
        )

    def _failing(self, ledger: Ledger) -> dict[str, str]:
        return {ledger.names[i]: self._retrying.failure(ledger, i) for i in ledger.failing}

    def _draw(self, id: int, i: int, seed: int, replicate: int) -> Draw[T]:
        journal, name = self._journal, self._journal.ledger.names[i]
        item_name, item = journal.items[replicate] if journal.items else (None, None)
        option, context = journal.options[i] if self._settings.contexts else (journal.options[i], None)
        return Draw(id, option, name, seed, replicate, item, item_name, context)

    def events(self, start: int = 0) -> list[Event]:
        """What happened, in order, as the store has it, from event ``start`` on."""
        return self._journal.record.past(start)

    def _missing(self, ledger: Ledger) -> dict[str, list[str]]:
        """The items of a fixed test set that were given up, by option."""
        found: dict[str, list[str]] = {}
        for ticket in ledger.given_up.values():
            found.setdefault(ledger.names[ticket.option], []).append(self._journal.items[ticket.replicate][0])
        return found

    def __repr__(self) -> str:
        with suppress(StoreError):  # of a file that is gone, what was known last
            self._journal.view()
        ledger = self._journal.ledger
        spent = f"{number_of(ledger.spent):,}" + ("" if ledger.budget is None else f" of {ledger.budget:,}") + " spent"
        leader, where = ledger.leader(), self.store
        parts = [f"{len(ledger.names):,} options", f"goal {written(self._settings.goal.saved())}", spent]
        parts += [f"{len(ledger.live):,} pending"] if ledger.live else []
        parts += [f"{len(ledger.failing):,} failing"] if ledger.failing else []
        parts += [f"{shorten(ledger.names[leader])!r} leads"] if leader is not None else []
        parts += [f"in {where}"] if where is not None else []
        return f"<Selector: {', '.join(parts)}>"


def removed_from(ledger: Ledger) -> tuple[str, ...]:
    return tuple(ledger.names[i] for i in sorted(ledger.removed))


def calls_of(ledger: Ledger) -> Calls | None:
    """The calls of each option without a result: failed, timed out, pending, and overtaken by as many as are out."""
    failures, size = ledger.failures, len(ledger.names)
    if not failures.singly and not ledger.live:
        return None
    failed = [failures.own(i) for i in range(size)]
    slow = [min(failures.slow.get(i, 0), failed[i]) for i in range(size)]
    pending, late, out = [0] * size, [0] * size, len(ledger.live)
    for place, number in enumerate(ledger.live):
        ticket = ledger.tickets[number]
        pending[ticket.option] += 1
        later = ledger.handed_out - ticket.order - (out - 1 - place)
        late[ticket.option] += later >= out
    return Calls(failed, slow, pending, late)
