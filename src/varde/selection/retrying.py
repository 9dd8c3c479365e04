"""What is handed out after failures, what is recorded of them, which options are left out, and pauses (``failures``).

After a failure another option shows whether only one option fails, or everything; in an outage one draw at a time, a
probe, shows whether it is over.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from ..show.sheet import one_line
from . import events
from .checks import shorten
from .events import printable
from .failures import LONGEST, WAITS, Pause
from .journal import Journal
from .ledger import Ledger, Next

TRIES = 2  # when no call has ever worked: it may be the function that is wrong

messages = logging.getLogger("varde")


def next_draw(ledger: Ledger, now: float) -> Next | None:
    """What to hand out: draws that wait, then what the algorithm chooses; None if there is nothing now."""
    if ledger.failures.strikes or ledger.failures.row:
        return in_doubt(ledger, now)
    if (entry := ledger.first_waiting()) is not None:
        return Next(entry, "again") if entry > 0 else Next(~entry, "instead")
    return ledger.new(ledger.allowed())


def in_doubt(ledger: Ledger, now: float) -> Next | None:
    """After failures: another option shows whether only this option fails, or everything."""
    doubted, strikes = ledger.failures.doubted, ledger.failures.strikes
    if not ledger.failures.narrow:
        live = [ledger.tickets[number] for number in ledger.live]
        # A draw handed out after its option failed is a retry; one at a time shows whether it still fails.
        tried = {
            each.option for each in live if each.option in strikes and each.order > strikes[each.option].handed_out
        }
        if (found := from_waiting(ledger, lambda i: i not in doubted and i not in tried)) is not None:
            return found
        witness = any(each.option not in doubted for each in live)
        held = {i for i in strikes if strikes[i].number > ledger.has_worked(i) or (i in doubted and not witness)}
        found = ledger.new(ledger.allowed((lambda i: i not in held) if held else None))
        if found is not None or witness:
            return found
        if not doubted:
            return ledger.new(ledger.allowed())
    return probe(ledger, now)


def probe(ledger: Ledger, now: float) -> Next | None:
    """One draw at a time, of an option that has worked if there is one, else of those not tried yet."""
    failures, worked = ledger.failures, ledger.has_worked
    if any(number in ledger.live and now - ledger.tickets[number].time < LONGEST for number in failures.probes):
        return None
    return (
        from_waiting(ledger, worked, True, new=True)
        or from_waiting(ledger, worked, True)
        or ledger.new(ledger.allowed(worked if failures.told else ledger.is_untried), True)
        or (None if failures.told else new_cold(ledger, None, True))
        or from_waiting(ledger, lambda i: True, True)
    )


def from_waiting(ledger: Ledger, wanted: Callable[[int], bool], probe: bool = False, new: bool = False) -> Next | None:
    """A waiting draw to hand out before anything new, of the first option that is ``wanted``; ``new``: not one that
    failed before.
    """
    for entry in ledger.waiting:
        if entry < 0 and wanted(~entry):
            return Next(~entry, "instead", probe)
        if entry > 0 and not new and entry in ledger.tickets and wanted(i := ledger.tickets[entry].option):
            return (None if ledger.has_worked(i) else new_cold(ledger, i, probe)) or Next(entry, "again", probe)
    return None


def new_cold(ledger: Ledger, i: int | None, probe: bool) -> Next | None:
    """A draw of the warm start that was not made yet, of option ``i`` or any, while others that failed wait.

    An option that has not worked is judged by every call, and a seed that failed would fail again.
    """
    cold = ledger.possible(ledger.allowed(None if i is None else lambda other: other == i))
    return None if cold is None or cold < 0 else Next(cold, "warm start", probe)


class Retrying:
    """The failures of a selection, as this process sees them."""

    def __init__(self, journal: Journal):
        self.journal, self.calls, self.expire = journal, journal.settings.calls, journal.settings.calls.expire
        failures = journal.ledger.failures
        self.opened = time.time(), failures.began, failures.pauses  # an earlier outage is not ours

    def strike(
        self, ledger: Ledger, id: int, kind: type[events.Fail], reason: str, after: float = 0.0, mistake: bool = False
    ) -> None:
        """Draw ``id`` failed, or expired; the next may be made ``after`` so many seconds, if given."""
        ticket, failures, backoff = ledger.tickets[id], ledger.failures, self.calls.backoff
        reason = printable(reason)
        if 0.0 < after <= self.calls.patience and failures.waits < WAITS:
            self.journal.happen(kind(id, ticket.option, reason, wait=after, time=time.time()))
            messages.info("waits for %.3g s: %s", after, one_line(reason))
            return
        pause, outage = after, self.is_outage(ledger, id)
        if outage and (failures.told or not mistake):  # a function that never worked and is wrong is not waited for
            pause = max(min(backoff * 2.0**failures.pauses, max(LONGEST, backoff)), after)
        paused = pause if pause or outage else None
        event = kind(id, ticket.option, reason, ticket.replicate, ticket.seed, paused, time=time.time())
        self.journal.happen(event)
        messages.info("draw %d of %s failed: %s", id, one_line(shorten(ledger.names[ticket.option])), one_line(reason))
        if pause and not self.gave_up(ledger):
            messages.warning("%s", one_line(str(self.pause(ledger))))
        elif paused is not None and self.gave_up(ledger):
            messages.warning("given up: %s", one_line(self.reason(ledger)))
        self.leave_out(ledger)

    def is_outage(self, ledger: Ledger, number: int) -> bool:
        """Whether there is an outage if draw ``number`` fails now.

        After few failures, that a first probe fails as it did before is no proof: the next has another seed.
        """
        failures, ticket = ledger.failures, ledger.tickets[number]
        if number not in failures.probes:
            return False
        if not failures.told:
            return ledger.possible(ledger.allowed(ledger.is_untried)) is None
        again = ticket.attempts > 1 and ledger.has_worked(ticket.option)
        return failures.narrow or (failures.odd and not (again and len(failures.probes) == 1))

    def expire_old(self, ledger: Ledger) -> None:
        """Draws handed out too long ago wait to be handed out again."""
        while self.expire is not None and ledger.live:
            id = next(iter(ledger.live))
            if time.time() - ledger.tickets[id].time < self.expire:
                break
            self.strike(ledger, id, events.Expire, f"no result within {self.expire:g} s")

    def tell(self, ledger: Ledger, told: list[events.Event]) -> None:
        """Record results; an outage may be over, or show which option is to blame."""
        failures = ledger.failures
        paused, doubts = failures.pauses, failures.row or failures.strikes
        self.journal.happen_all(told)
        if doubts:
            if paused and not failures.pauses:
                messages.warning("the outage is over after %.3g s", max(told[-1].time - failures.began, 0.0))
            self.leave_out(ledger)

    def leave_out(self, ledger: Ledger) -> None:
        """Options that fail while others work."""
        for i in ledger.failures.guilty(self.calls.retries):
            if i not in ledger.failing:
                self.journal.happen(events.Drop(i, ledger.failures.reasons[i], time.time()))
                name, why = one_line(shorten(ledger.names[i])), one_line(self.failure(ledger, i))
                messages.warning("%s is left out: %s", name, why)

    # -- outages -----------------------------------------------------------------------------------

    def pause(self, ledger: Ledger) -> Pause | None:
        """Why nothing, or only one draw, is handed out now, and how many seconds are left until the next try."""
        failures = ledger.failures
        left = failures.remains(time.time())
        if not (left or failures.narrow) or self.gave_up(ledger):
            return None
        return Pause(self.reason(ledger) if failures.narrow else "a service asked to wait", left)

    def gave_up(self, ledger: Ledger) -> bool:
        """Whether an outage has lasted too long or, if no call ever worked, was tried often enough."""
        failures = ledger.failures
        if not failures.pauses:
            return False
        opened, began, pauses = self.opened
        tried = failures.pauses - (pauses if failures.began == began else 0)
        if not failures.told and tried > min(self.calls.retries, TRIES):
            return True
        return failures.until - max(failures.began, opened) > self.calls.patience

    # -- in words ----------------------------------------------------------------------------------

    def reason(self, ledger: Ledger) -> str:
        failures = ledger.failures
        name = shorten(ledger.names[failures.last])
        calls = "1 call" if failures.row == 1 else f"{failures.row:,} calls"
        options = "1 option" if len(failures.hit) == 1 else f"{len(failures.hit):,} options"
        return f"{calls} of {options} failed in a row (the last, of {name!r}: {shorten(failures.reason, 200)})"

    def failure(self, ledger: Ledger, i: int) -> str:
        """The reason why option ``i`` is left out."""
        failed = ledger.failures.counts[i]
        calls = f"{failed:,} of {failed + ledger.results.counts[i] + len(ledger.batches.get(i, ())):,} calls failed"
        return f"{calls}, last: {ledger.failures.reasons[i]}"
