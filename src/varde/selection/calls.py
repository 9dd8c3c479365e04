"""``Calls``: how the user's function, or a command, is called, and what happens when calls fail."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from ..check import LARGEST, flag, positive, real, refuse, whole
from .checks import check_bounds


@dataclasses.dataclass(frozen=True, slots=True)
class Calls:
    """How calls are made: ``varde.select(f, options, 200, calls=varde.Calls(timeout=30))``.

    A failed call (an exception, a result that is not a number, no result within ``timeout``) costs nothing and is made
    again.  A service that limits calls can say how long to wait, by an exception with a number ``retry_after``: that is
    waited for and counts against nothing.
    """

    retries: int = 2  # how often an option may fail again, while others work, before it is left out
    backoff: float = 1.0  # seconds of the first pause when all options fail; each pause is twice as long as the last
    patience: float = 600.0  # seconds after which it gives up in such an outage
    per_second: float = math.inf  # the most calls begun per second
    timeout: float | None = None  # seconds after which a call counts as failed
    expire: float | None = None  # seconds after which a draw that nobody answered is handed out again
    bounds: tuple[float, float] | None = None  # all results lie within, as in (0, 1), so intervals do; others fail
    ordered: bool = (
        True  # False: results are used as they come, so that no worker waits, and timing decides what is drawn
    )

    def __post_init__(self) -> None:
        def check(name: str, number: Any) -> None:
            object.__setattr__(self, name, number)

        check("retries", whole("retries", self.retries, "how often to try again after a failure, 0 or more", 0))
        wanted = "seconds of the first pause in an outage, more than 0"
        check("backoff", real("backoff", self.backoff, wanted, lambda seconds: 0.0 < seconds <= LARGEST))
        wanted = "how many seconds an outage may last, 0 or more"
        check("patience", real("patience", self.patience, wanted, lambda seconds: seconds >= 0.0))
        check("per_second", positive("per_second", self.per_second, "how many calls may be begun per second, above 0"))
        if self.timeout is not None:
            check("timeout", positive("timeout", self.timeout, "seconds, more than 0, or leave it out"))
        if self.expire is not None:
            check("expire", positive("expire", self.expire, "seconds, more than 0, or leave it out"))
        check("bounds", check_bounds(self.bounds))
        check("ordered", flag("ordered", self.ordered))

    def within(self, bounds: tuple[float, float] | None) -> Calls:
        """The same with these bounds, if it has none."""
        return self if self.bounds is not None else dataclasses.replace(self, bounds=bounds)

    def saved(self) -> list[Any]:
        """What a file keeps; the rest is for each process to say."""
        return [self.retries, self.expire, self.bounds]

    @classmethod
    def read(cls, saved: Any) -> Calls:
        """From a file."""
        retries, expire, bounds = saved
        return cls(retries=retries, expire=expire, bounds=bounds)


USUAL = Calls()


def check_calls(given: Any) -> Calls:
    if not isinstance(given, Calls):
        refuse("calls", given, "varde.Calls(...), such as varde.Calls(timeout=30)", TypeError)
    found: Calls = given
    return found
