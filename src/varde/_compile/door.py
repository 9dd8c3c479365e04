"""A cheap way into a kernel: the records stay inside, a call hands in scalars.

    @kernel
    def grow(held, root, trials):                       # the first argument stands for all records
        algorithm, problem, tree, rng = contents(held)
        ...
        return done

    door = Door(grow, (algorithm, problem, tree, rng), int, int)
    done = door.call(root, trials)                                  # ints and floats only
    door.hold((algorithm, problem, longer_tree, rng))               # whenever an array or record was replaced

**Which engine.**  Short work is not worth compiling, nor importing Numba: a call runs in Python at first.  Between two
calls the door judges by what they took, and by the ``share`` of the work that is done, how long the rest would take; if
that is long, it compiles, or loads what is on disk, and goes on compiled.  Both engines read and write the same arrays
and give the same bits, so no result depends on when that happens.  Read ``door.call`` anew for every call.

**Compiled**, a call takes .2 us.  Numba looks at every argument at every call and unpacks every array: 7 us for 27 of
them.  Here the records are written as plain words into one array, the block, and the compiled function gets its
address.  Inside, ``contents`` gives the records *by reference*: a field is read when it is asked for, so that a helper
takes ten words instead of three hundred, which also halves the time to compile.  Verbs choose by type as ever.

Rules: write into the arrays of a record as you like, but replace one only through ``hold``, between calls.  By
reference a record has its fields and nothing else: neither ``a, b = record`` nor ``record[0]``.  A user's record that
needs these is taken by value, by Numba's own dispatcher, as all are where this Numba lacks what references need.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import engine
from .engine import in_kernels, numba
from .interrupts import uninterrupted
from .kernel import Kernel
from .records import canonical, in_python

LOOK = 0.1  # seconds in Python before the rest is estimated; then again whenever they have doubled


def contents(held: Any) -> Any:
    """The records that a kernel was given through a door."""
    return held


def _by_value(held: Any) -> Any:
    """By value, the records are the tuple itself; by reference: held.py."""
    return (lambda held: held) if isinstance(held, numba().types.BaseTuple) else None


in_kernels(contents, _by_value)


class Door:
    """``kernel(held, *scalars)`` for these records; ``scalars`` are the types of the other arguments.

    ``choice`` is "auto", "compiled" or "python".
    """

    call: Callable[..., Any]

    def __init__(self, kernel: Kernel, records: tuple[Any, ...], *scalars: type, choice: str = "auto"):
        self.kernel, self.scalars = kernel, scalars
        self.choice = engine.chosen if choice == "auto" else choice
        self.compiled = False  # whether calls are
        self.expect(None)
        self.hold(records)

    def expect(self, share: Callable[[], float] | None) -> None:
        """Judge what lies ahead by ``share``, which gives the share that is done of the work that begins now."""
        self.share, self.spent, self.look = share, 0.0, LOOK

    def hold(self, records: tuple[Any, ...]) -> None:
        """Work on these records from now on."""
        self.records = canonical(records)
        self.version = self.kernel.version(self.records, self.scalars)
        if self._enter(math.inf if self.compiled else 0.0):
            return
        self.call = functools.partial(self.kernel.python, in_python(self.records))
        if self.choice != "python" and self.version.compilable:
            self.call = functools.partial(self._timed, self.call)

    def _enter(self, ahead: float) -> bool:
        """Go on compiled if work of so many seconds in Python is worth it; returns whether."""
        version = self.version
        self.compiled = version.is_ready(ahead, self.choice, self.records, self.scalars)
        if not self.compiled:
            return False
        if version.entry is None:
            self.call = functools.partial(version.compiled, self.records)
            return True
        from .held import address, words

        block = np.array(words(self.records), np.int64)
        self.call = functools.partial(version.entry, address(block))
        self.call.__dict__["block"] = block, self.records  # they live as long as the call
        return True

    def _timed(self, python: Callable[..., Any], *scalars: Any) -> Any:
        """A call in Python, before which the door may decide to compile: a Ctrl-C then loses no result.

        As compiled, it is not left in the middle at Ctrl-C.
        """
        if self.spent >= self.look:
            done = self.share() if self.share is not None else 1.0
            if self._enter(self.spent * (1.0 / done - 1.0) if done > 0.0 else 0.0):
                return self.call(*scalars)
            self.look = 2.0 * self.spent
        before = self.version.spent
        with uninterrupted():
            found = self.version.timed(python, *scalars)
        self.spent += self.version.spent - before
        return found
