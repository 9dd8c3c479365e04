"""Which draw is handed out next: those that wait, then what the algorithm chooses; after failures, with care.

After a failure another option shows whether only one option fails, or everything; in an outage one draw at a time, a
probe, shows whether it is over (``failures``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .failures import LONGEST
from .ledger import Ledger


class Next(NamedTuple):
    """A new draw of an option, or (``why`` is "again") one that was handed out before, by its id."""

    number: int
    why: str  # warm start, rule, again, instead
    probe: bool = False


def next_draw(ledger: Ledger, now: float) -> Next | None:
    """What to hand out; None if there is nothing now."""
    if ledger.failures.strikes or ledger.failures.row:
        return in_doubt(ledger, now)
    if ledger.waiting and (entry := ledger.first_waiting()) is not None:
        return Next(entry, "again") if entry > 0 else Next(~entry, "instead")
    return new(ledger, ledger.allowed())


def new(ledger: Ledger, allowed: np.ndarray | None, probe: bool = False) -> Next | None:
    """A new draw of one of the ``allowed`` options."""
    if not ledger.more(allowed):
        return None
    cold = ledger.chooser.next_cold(allowed)
    if cold is not None:
        return Next(cold, "warm start", probe)
    return Next(ledger.chooser.choose(allowed), "rule", probe)


def new_cold(ledger: Ledger, i: int | None, probe: bool) -> Next | None:
    """A draw of the warm start that was not made yet, of option ``i`` or any, while others that failed wait.

    An option that has not worked is judged by every call, and a seed that failed would fail again.
    """
    allowed = ledger.allowed() if i is None else ledger.among(lambda other: other == i)
    cold = ledger.chooser.next_cold(allowed) if ledger.more(allowed) else None
    return None if cold is None else Next(cold, "warm start", probe)


def in_doubt(ledger: Ledger, now: float) -> Next | None:
    """After failures: another option shows whether only this option fails, or everything."""
    doubted, strikes = ledger.failures.doubted, ledger.failures.strikes
    if not ledger.failures.narrow:
        tried = {ledger.tickets[number].option for number in ledger.live if is_retry(ledger, number)}
        if (found := from_waiting(ledger, lambda i: i not in doubted and i not in tried)) is not None:
            return found
        witness = any(ledger.tickets[number].option not in doubted for number in ledger.live)
        held = {i for i in strikes if strikes[i].number > ledger.has_worked(i) or (i in doubted and not witness)}
        found = new(ledger, ledger.among(lambda i: i not in held) if held else ledger.allowed())
        if found is not None or witness:
            return found
        if not doubted:
            return new(ledger, ledger.allowed())
    return probe(ledger, now)


def probe(ledger: Ledger, now: float) -> Next | None:
    """One draw at a time, of an option that has worked if there is one, else of those not tried yet."""
    failures, worked = ledger.failures, ledger.has_worked
    if any(number in ledger.live and now - ledger.tickets[number].time < LONGEST for number in failures.probes):
        return None
    return (
        from_waiting(ledger, worked, True, new=True)
        or from_waiting(ledger, worked, True)
        or new(ledger, ledger.among(worked if failures.told else ledger.is_untried), True)
        or (None if failures.told else new_cold(ledger, None, True))
        or from_waiting(ledger, lambda i: True, True)
    )


def is_retry(ledger: Ledger, number: int) -> bool:
    """Whether a draw was handed out after its option failed; one at a time shows whether it still fails."""
    ticket = ledger.tickets[number]
    strikes = ledger.failures.strikes.get(ticket.option)
    return strikes is not None and ticket.order > strikes.handed_out


def from_waiting(ledger: Ledger, wanted: Callable[[int], bool], probe: bool = False, new: bool = False) -> Next | None:
    """A waiting draw to hand out before anything new, of the first option that is ``wanted``; ``new``: not one that
    failed before.
    """
    for entry in ledger.waiting:
        if entry < 0 and wanted(~entry):
            return Next(~entry, "instead", probe)
        if entry > 0 and not new and entry in ledger.tickets and wanted(i := ledger.tickets[entry].option):
            afresh = None if ledger.has_worked(i) else new_cold(ledger, i, probe)
            return afresh or Next(entry, "again", probe)
    return None


def calls_for_pause(ledger: Ledger, number: int) -> bool:
    """Whether there is an outage if draw ``number`` fails now.

    After few failures, that a first probe fails as it did before is no proof: the next has another seed.
    """
    failures = ledger.failures
    if number not in failures.probes:
        return False
    if not failures.told:
        return not ledger.more(ledger.among(ledger.is_untried))
    if failures.narrow:
        return True
    ticket = ledger.tickets[number]
    again = ticket.attempts > 1 and ledger.has_worked(ticket.option)
    return failures.odd and not (again and len(failures.probes) == 1)
