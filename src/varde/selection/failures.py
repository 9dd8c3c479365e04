"""Which failures count against an option and which are an outage; a function of the events, like the ledger.

A failure alone proves nothing: the option is *doubted* until a call of another option works.

    strike    it failed, and after that another option worked; calls pending at the same time are one strike, and a
              second failure with the same seed is none if the option has worked: the seed may be to blame
    left out  more than ``retries`` strikes without a result of its own in between, and not just because calls fail
              at the moment: at the rate at which calls of the others failed, so many in a row would be rare
    outage    failures in a row, of two or more options and more than calls usually fail, or nothing else to try: one
              call at a time, a *probe*, decides.
              If it fails too there is a pause before the next, each twice as long as the one before.  When a probe
              works the outage is over, and failures during it count against no option.
    wait      a service that limits calls asked for it: nothing is handed out until the longest wait that was asked for
              is over, then as before.  It counts against nothing; but when several waits in a row have not made any
              call work, the next is a failure like others.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

ROW = 3  # failures in a row, of two or more options, that are investigated
RARE = 1e-4  # a probability taken as zero
WAITS = 3  # in a row, without a result, that are just waited for
LONGEST = 60.0  # longest pause in seconds, and longest wait for a probe
MISTAKES = (  # what a wrong program raises, and waiting does not mend
    TypeError,
    NameError,
    AttributeError,
    ImportError,
    SyntaxError,
    LookupError,
    ValueError,
    ArithmeticError,
    AssertionError,
    NotImplementedError,
    RecursionError,
    StopIteration,
    FileNotFoundError,
)


class EvaluationError(RuntimeError):
    """An evaluation failed; its message is shown without the name of the exception."""


def is_mistake(reason: object) -> bool:
    """Whether a call that failed for this reason looks like a wrong program rather than a service that is down.

    Errors of files and networks are OSErrors, some of them ValueErrors too; a service that is down may answer with
    something other than JSON.
    """
    of_a_service = isinstance(reason, (OSError, json.JSONDecodeError)) and not isinstance(reason, FileNotFoundError)
    return isinstance(reason, MISTAKES) and not of_a_service


class Strikes(NamedTuple):
    """Strikes of one option since its last result."""

    number: int
    handed_out: int  # draws handed out by the last strike: those pending then belong to it
    failed: int  # failed calls of working options, by the first strike
    told: int  # results by then


class Pause(NamedTuple):
    """Why nothing is handed out now, and for how long."""

    reason: str
    seconds: float  # until the next try; 0 while it is pending

    def __str__(self) -> str:
        wait = f"next try in {self.seconds:.3g} s" if self.seconds else "one call is made to see whether it is over"
        return f"paused: {self.reason}; {wait}"


class Outages(NamedTuple):
    """The total of all outages."""

    number: int = 0
    seconds: float = 0.0
    calls: int = 0  # failed calls, which count against no option
    reason: str = ""  # the last

    def __str__(self) -> str:
        if not self.number:
            return "No outage paused it."
        times = "once, for" if self.number == 1 else f"{self.number:,} times, together for"
        calls = "1 failed call counts" if self.calls == 1 else f"{self.calls:,} failed calls count"
        return f"Failing calls paused it {times} {self.seconds:.3g} s ({self.reason}); {calls} against no option."


NO_OUTAGES = Outages()


class Failures:
    """What failed, and what follows from it."""

    def __init__(self, has_worked: Callable[[int], bool]) -> None:
        self.has_worked = has_worked  # whether an option has given results
        self.counts: dict[int, int] = {}  # option: calls that failed
        self.reasons: dict[int, str] = {}  # and the last reason
        self.strikes: dict[int, Strikes] = {}
        self.doubted: dict[int, None] = {}  # options that failed, with no other option working since
        self.singly: dict[int, int] = {}  # option: calls that failed outside outages
        self.slow: dict[int, int] = {}  # and of those, that timed out
        self.before = 0, 0  # such calls of options that work, and results, before the last failures in a row
        self.told = 0  # results
        self.calls = 0  # that failed of options that work, in outages too
        self.row = 0  # failures in a row
        self.usual = 0.0  # failure rate before them, one failure and one result being added
        self.hit: dict[int, None] = {}  # their options
        self.began = 0.0  # when the first of them was
        self.last, self.reason = 0, ""  # the option of the last, and why
        self.probes: set[int] = set()  # draws that probe whether the outage is over
        self.pauses = 0  # in this outage
        self.length = 0.0  # of the last, in seconds
        self.until = 0.0  # when it ends
        self.outages = NO_OUTAGES
        self.waits = 0  # since the last result, that were asked for with no other call pending
        self.wait_length = self.wait_until = 0.0

    @property
    def narrow(self) -> bool:
        """Whether calls are made one at a time."""
        return self.pauses > 0 or (self.row >= ROW and len(self.hit) > 1 and self.odd)

    @property
    def odd(self) -> bool:
        """Whether so many failures in a row are more than calls usually fail."""
        return bool(self.usual**self.row <= RARE)

    def failed(
        self, i: int, number: int, order: int, handed_out: int, when: float, reason: str, again: bool = False
    ) -> None:
        """Draw ``number`` of option ``i``, the ``order``-th of ``handed_out``; ``again``: as it did before."""
        self.note(i, reason)
        self.last, self.reason = i, reason
        if self.row == 0:
            self.began, self.before = when, (self.failed_of_others(None), self.told)
            self.usual = (self.calls + 1) / (self.calls + self.told + 2) if self.told else 0.0
        self.calls += self.has_worked(i)
        self.row += 1
        self.hit[i] = None
        if again and self.has_worked(i):
            return
        strikes = self.strikes.get(i) or Strikes(0, 0, self.before[0] - self.own(i), self.before[1])
        if order > strikes.handed_out and i not in self.doubted:
            self.doubted[i] = None
            self.strikes[i] = strikes._replace(handed_out=handed_out)
        if not self.pauses:
            self.singly[i] = self.singly.get(i, 0) + 1
            self.slow[i] = self.slow.get(i, 0) + is_timeout(reason)
        elif number in self.probes and self.told and not self.has_worked(i):
            self.strike(i)  # after a pause, with nothing else to try: no other option can testify

    def note(self, i: int, reason: str) -> None:
        self.counts[i] = self.counts.get(i, 0) + 1
        self.reasons[i] = reason

    def forget(self, i: int) -> None:
        """Option ``i`` is left out."""
        self.strikes.pop(i, None)
        self.doubted.pop(i, None)

    def strike(self, i: int) -> None:
        strikes = self.strikes[i]
        self.strikes[i] = strikes._replace(number=strikes.number + 1)

    def pause(self, when: float, seconds: float) -> None:
        self.pauses += 1
        self.length, self.until = seconds, when + seconds

    def wait(self, when: float, seconds: float, alone: bool) -> None:
        """A service asked to be left alone for so long; ``alone``: no other call is pending, which might work."""
        self.waits += alone
        if when + seconds > self.wait_until:
            self.wait_length, self.wait_until = seconds, when + seconds

    def remains(self, now: float) -> float:
        """Seconds left of a pause or a wait; never more than its length, whatever the clock did."""
        pause = min(self.until - now, self.length)
        return max(pause, min(self.wait_until - now, self.wait_length), 0.0)

    def worked(self, i: int, number: int, when: float) -> None:
        """Draw ``number`` of option ``i`` has a result, after failures."""
        self.strikes.pop(i, None)
        self.doubted.pop(i, None)
        if self.pauses and number not in self.probes:
            return  # it may have been made before the outage
        if self.pauses:
            outages, seconds, calls, _ = self.outages
            self.outages = Outages(outages + 1, seconds + max(when - self.began, 0.0), calls + self.row, self.reason)
        for other in self.doubted:
            if not self.pauses:
                self.strike(other)
            elif not self.strikes[other].number:
                del self.strikes[other]
        self.row = self.pauses = 0
        self.length = self.until = 0.0
        self.doubted, self.hit, self.probes = {}, {}, set()

    def guilty(self, retries: int) -> list[int]:
        """The options to leave out."""
        return [i for i, strikes in self.strikes.items() if strikes.number > retries and self.is_alone(i)]

    def is_alone(self, i: int) -> bool:
        """Whether it fails more often than working options do, since its first strike or overall.

        One failure is added to theirs if it has worked itself: with few calls, having none may be luck.
        """
        strikes, failed = self.strikes[i], self.failed_of_others(i)
        since = share(failed - strikes.failed + self.has_worked(i), self.told - strikes.told)
        rate = max(since, share(failed, self.told))
        return bool(rate**strikes.number <= RARE)

    def own(self, i: int) -> int:
        """The failed calls of the option, if it works."""
        return self.singly.get(i, 0) if self.has_worked(i) else 0

    def failed_of_others(self, i: int | None) -> int:
        return sum(self.own(other) for other in self.singly if other != i)


def is_timeout(reason: str) -> bool:
    """Whether a call was too slow, which is a result, rather than broken."""
    words = reason.lower()
    return any(each in words for each in ("timeout", "timed out", "too slow", "time limit", "expired"))


def share(failed: int, told: int) -> float:
    return failed / (failed + told) if failed > 0 else 0.0
