"""Failed draws: what is recorded of them, which options are left out, and pauses in an outage (``failures``)."""

from __future__ import annotations

import logging
import time

from .._table import one_line
from .checks import shorten
from .events import Event, printable
from .failures import LONGEST, WAITS, Pause
from .handing_out import calls_for_pause
from .journal import Journal
from .ledger import Ledger

TRIES = 2  # when no call has ever worked: it may be the function that is wrong

messages = logging.getLogger("varde")


class Retrying:
    """The failures of a selection, as this process sees them."""

    def __init__(self, journal: Journal):
        self.journal, self.calls, self.expire = journal, journal.settings.calls, journal.settings.calls.expire
        failures = journal.ledger.failures
        self.opened = time.time(), failures.began, failures.pauses  # an earlier outage is not ours

    def strike(
        self, ledger: Ledger, id: int, kind: str, reason: str, after: float = 0.0, mistake: bool = False
    ) -> None:
        """Draw ``id`` failed; the next may be made ``after`` so many seconds, if given."""
        ticket, failures, backoff = ledger.tickets[id], ledger.failures, self.calls.backoff
        reason = printable(reason)
        if 0.0 < after <= self.calls.patience and failures.waits < WAITS:
            wait = {"wait": after}
            self.journal.happen(Event(kind, id, ticket.option, text=reason, time=time.time(), data=wait))
            messages.info("waits for %.3g s: %s", after, one_line(reason))
            return
        pause, outage = after, calls_for_pause(ledger, id)
        if outage and (failures.told or not mistake):  # a function that never worked and is wrong is not waited for
            pause = max(min(backoff * 2.0**failures.pauses, max(LONGEST, backoff)), after)
        paused = {"pause": pause} if pause or outage else None
        event = Event(kind, id, ticket.option, ticket.replicate, ticket.seed, None, reason, time.time(), data=paused)
        self.journal.happen(event)
        messages.info("draw %d of %s failed: %s", id, one_line(shorten(ledger.names[ticket.option])), one_line(reason))
        if pause and not self.gave_up(ledger):
            messages.warning("%s", one_line(str(self.pause(ledger))))
        elif paused and self.gave_up(ledger):
            messages.warning("given up: %s", one_line(self.reason(ledger)))
        self.leave_out(ledger)

    def expire_old(self, ledger: Ledger) -> None:
        """Draws handed out too long ago wait to be handed out again."""
        while self.expire is not None and ledger.live:
            id = next(iter(ledger.live))
            if time.time() - ledger.tickets[id].time < self.expire:
                break
            self.strike(ledger, id, "expire", f"no result within {self.expire:g} s")

    def tell(self, ledger: Ledger, events: list[Event]) -> None:
        """Record results; an outage may be over, or show which option is to blame."""
        failures = ledger.failures
        paused, doubts = failures.pauses, failures.row or failures.strikes
        self.journal.happen(*events)
        if doubts:
            if paused and not failures.pauses:
                messages.warning("the outage is over after %.3g s", max(events[-1].time - failures.began, 0.0))
            self.leave_out(ledger)

    def leave_out(self, ledger: Ledger) -> None:
        """Options that fail while others work."""
        for i in ledger.failures.guilty(self.calls.retries):
            if i not in ledger.failing:
                self.journal.happen(Event("drop", option=i, text=ledger.failures.reasons[i], time=time.time()))
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
        calls = f"{failed:,} of {failed + len(ledger.values[i]) + len(ledger.batches[i]):,} calls failed"
        return f"{calls}, last: {ledger.failures.reasons[i]}"
