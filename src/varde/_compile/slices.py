"""Runs a kernel in slices of about 20 ms, so that Ctrl-C and ``seconds`` act at once.

Python cannot be interrupted while machine code runs; between two calls it can.  The first slice is one unit of work
(a trial, a step) unless many are known to take no time; their size doubles until a slice takes as long as it should.
The result does not depend on the slices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from .notice import working_time

SLICE = 0.02  # seconds


def slices(
    call: Callable[[int], int],
    total: float,
    clock: Callable[[], float] = working_time,
    first: int = 1,
    end: float = math.inf,
) -> Iterator[tuple[int, float]]:
    """Call ``call(n)``, which does up to n units of work and returns how many, until ``total`` are done.

    Yields after every slice, in any thread: what is done, and the time.  ``first`` is the size of the first slice.
    No slice is so large that it would last beyond ``end``, as far as can be told from the last one.
    """
    size, done, now, each = first, 0, clock(), 0.0
    while done < total:
        wanted, began = int(min(size, total - done)), now
        if wanted * each > end - now:
            wanted = max(1, int((end - now) / each))
        done += call(wanted)
        now = clock()
        took = now - began
        each = took / wanted
        if took < SLICE / 2 and wanted == size:
            size *= 2
        elif took > 2 * SLICE:
            size = max(1, int(size * SLICE / took))
        yield done, now


def in_slices(
    call: Callable[[int], int],
    total: float,
    seconds: float = math.inf,
    clock: Callable[[], float] = working_time,
) -> str:
    """Go through all ``slices``; returns what ended it: "budget", "seconds" or "interrupted" (Ctrl-C).

    In the last case a slice may have ended that was not counted here: how much is done is written in the records that
    the kernel works on.
    """
    end = clock() + seconds
    if total > 0 and clock() >= end:
        return "seconds"
    try:
        for done, now in slices(call, total, clock, end=end):
            if now >= end and done < total:
                return "seconds"
    except KeyboardInterrupt:
        return "interrupted"
    return "budget"
