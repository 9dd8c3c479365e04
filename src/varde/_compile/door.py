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
them.  Here the records are written as plain words into one array, the block; the compiled entry point gets its address.
Inside, ``contents`` gives the records *by reference*: a field is read when it is asked for, so that a helper takes ten
words instead of three hundred, which also halves the time to compile.  Verbs choose by type as ever, in Python
``contents`` hands back the records themselves, and the source of an algorithm does not change.

Rules: write into the arrays of a record as you like, but replace one only through ``hold``, between calls.  By
reference a record has its fields and nothing else: neither ``a, b = record`` nor ``record[0]``.

Where this Numba lacks what that needs, and for a user's record that has to be taken by value, the same kernel gets the
records by value from Numba's dispatcher; for a Python object, the Python engine does it.  Only the time differs.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import engine
from .engine import numba, when_loaded
from .fields import in_python
from .kernel import UNKNOWN, Kernel, Version
from .notice import waiting
from .records import canonical, is_plain
from .slices import uninterrupted
from .verb import UncompiledError

LOOK = 0.1  # seconds in Python before the rest is estimated; then again whenever they have doubled


def contents(held: Any) -> Any:
    """The records that a kernel was given through a door."""
    return held


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
        if self.choice != "python" and is_plain(self.records):
            version = self.kernel.version(self.records, self.scalars)
            if self.compiled or self.choice == "compiled" or version.is_worth_compiling(0.0):
                self._compile(version)
            else:
                self.call = self._timed(version)
        else:
            self.call = functools.partial(self.kernel.python, in_python(self.records))

    def _timed(self, version: Version) -> Callable[..., Any]:
        """A call in Python, before which the door may decide to compile: a Ctrl-C then loses no result.

        As compiled, it is not left in the middle at Ctrl-C, and numbers too large are no reason to warn.
        """
        python, held = self.kernel.python, in_python(self.records)

        def call(*scalars: Any) -> Any:
            if self.spent >= self.look and self._consider(version):
                return self.call(*scalars)
            began = time.thread_time()
            with uninterrupted(), np.errstate(all="ignore"):
                found = python(held, *scalars)
            took = time.thread_time() - began
            version.spent += took
            self.spent += took
            return found

        return call

    def _consider(self, version: Version) -> bool:
        """Compile if the rest would take long; returns whether it did."""
        done = self.share() if self.share is not None else 1.0
        if version.is_worth_compiling(self.spent * (1.0 / done - 1.0) if done > 0.0 else 0.0):
            self._compile(version)
        self.look = 2.0 * self.spent
        return self.compiled

    def _compile(self, version: Version) -> None:
        if version.entry is UNKNOWN:
            with waiting(), version.lock:
                if version.entry is UNKNOWN:
                    version.entry = entry_point(version, self.records, self.scalars)
        self.compiled = True
        if version.entry is None:
            self.call = functools.partial(version.dispatcher, self.records)
            return
        block = np.array(words(self.records), np.int64)
        self.call = functools.partial(version.entry, address(block))
        self.call.__dict__["block"] = block, self.records  # they live as long as the call


def entry_point(version: Version, records: tuple[Any, ...], scalars: tuple[type, ...]) -> Any:
    """The compiled function, to be called with an address; None where records must go in by value."""
    typeof, dispatcher = numba().typeof, version.dispatcher
    try:
        from .held import Held, can_hold
    except (ImportError, AttributeError):
        engine.warn_slower("calls into compiled code take longer")
        return None
    kinds = typeof(records)
    if not all(map(can_hold, kinds.types)):
        return None
    signature = (Held(kinds), *(typeof(scalar()) for scalar in scalars))
    try:
        dispatcher.compile(signature)
        return dispatcher.overloads[signature].entry_point
    except (AttributeError, KeyError, UncompiledError, numba().core.errors.NumbaError):
        return None  # an error in the code itself comes again, by value, when the kernel is called


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def words(value: Any) -> list[int]:
    """A record as words, in the order in which compiled code reads them."""
    if isinstance(value, tuple):
        return [word for part in value for word in words(part)]
    if isinstance(value, np.ndarray):
        return [address(value), *value.shape]
    if isinstance(value, (float, np.floating)):
        return [int(np.float64(value).view(np.int64))]
    return [int(value)]


def _register() -> None:
    """By value, the records are the tuple itself."""
    from numba.core import types
    from numba.extending import lower_builtin, type_callable

    @type_callable(contents)
    def type_contents(context: Any) -> Any:
        def typer(held: Any) -> Any:
            return getattr(held, "contents", held)

        return typer

    @lower_builtin(contents, types.BaseTuple)
    def lower_contents(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return args[0]


when_loaded(_register)
