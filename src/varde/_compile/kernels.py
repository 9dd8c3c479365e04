"""A kernel: a function that Python calls and Numba compiles, once for each combination of record types.

    @kernel
    def grow(records, root, trials):
        algorithm, problem, tree, rng = records
        ...
        return done

    door = Door(grow, (algorithm, problem, tree, rng), int, int)
    done = door.call(root, trials)                                  # ints and floats only
    door.hold((algorithm, problem, longer_tree, rng))               # whenever an array or record was replaced

A kernel that is called now and then, ``report(algorithm, run, policy)``, needs no door.

**Which engine.**  Short work is not worth compiling: a call runs in Python at first.  Between two calls the door judges
by what they took, and by the ``share`` of the work that is done, how long the rest would take; if that is long, it
compiles, or loads what is on disk, and goes on compiled.  Both engines read and write the same arrays and give the same
bits, so no result depends on when that happens.  Read ``door.call`` anew for every call.

Write into the arrays of a record as you like, but replace one only through ``hold``, between calls: entry.py.
"""

from __future__ import annotations

import functools
import math
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import engine, notice
from .cache import compiled, is_kept
from .engine import in_kernels, is_package, numba
from .entry import address, make_entry, words
from .notice import uninterrupted
from .records import canonical, in_python, is_ours, is_plain, kind_of

BRIEF = 8.0  # seconds: what Python does in this time is not compiled, which takes 10 to 20 and pays at the second call
FIRST, LOAD = 0.7, 0.2  # seconds to load a kernel from disk, with Numba, and if Numba is there
LOOK = 0.02  # seconds in Python before the rest is estimated; then again whenever they have doubled
OPERATION = 2e-7  # seconds of a line of Python, about


def contents(held: Any) -> Any:
    """The records that a kernel was given through a door: the tuple itself."""
    return held


in_kernels(contents, lambda held: contents)


class Kernel:
    """``python`` is the function itself, the other engine."""

    __name__: str

    def __init__(self, function: Callable[..., Any], gil: bool = False):
        functools.update_wrapper(self, function)
        self.python, self.gil = function, gil
        self.versions: dict[Any, Version] = {}  # by kinds of arguments
        in_kernels(function, lambda *args: function)

    def version(self, records: tuple[Any, ...], scalars: tuple[type, ...] | None = None) -> Version:
        """The kernel for canonical records of these kinds."""
        kind = kind_of(records), scalars
        ours = is_package(self.python.__module__) and is_ours(kind[0])  # until a user teaches one a verb
        return self.versions.get((kind, ours)) or self.versions.setdefault(
            (kind, ours), Version(self, records, scalars, is_plain(kind[0]), ours)
        )

    def __call__(self, *args: Any) -> Any:
        """Run it compiled; with a user's Python object, in Python."""
        return self.sized(math.inf, *args)

    def interpret(self, *args: Any) -> Any:
        return self.python(*map(in_python, args))

    def sized(self, operations: float, *args: Any) -> Any:
        """Run it in the engine that is the quicker for about so many operations."""
        args = canonical(args)
        version = self.version(args)
        if version.is_ready(operations * OPERATION, "auto"):
            return version.bound(args)()
        return version.timed(self.interpret, *args)


class Version:
    """A kernel for records of certain kinds: what it costs in Python so far, and the compiled code."""

    def __init__(self, kernel: Kernel, records: Any, scalars: tuple[type, ...] | None, compilable: bool, ours: bool):
        self.kernel, self.scalars, self.compilable, self.ours = kernel, scalars, compilable, ours
        self.spent = 0.0  # seconds in Python so far
        self.entry: Any = compilable and make_entry(kernel.python, records, None if scalars is None else len(scalars))
        self.machine: Any = None  # the entry, compiled

    @functools.cached_property
    def is_kept(self) -> bool:
        """Whether there was compiled code on disk when first asked."""
        return self.ours and is_kept(self.entry.__name__)

    def timed(self, call: Callable[..., Any], *args: Any) -> Any:
        """A call in Python, where numbers too large are no reason to warn: they are none when compiled."""
        began = time.thread_time()
        with np.errstate(all="ignore"):
            found = call(*args)
        self.spent += time.thread_time() - began
        return found

    def is_worth_compiling(self, ahead: float, choice: str) -> bool:
        """Whether to compile, or to load, for work that would take so many more seconds in Python.

        What is on disk is loaded as soon as Python has taken, or would take, longer than that.  A user's code is always
        compiled: dividing by 0 is an error in Python only.
        """
        if choice == "python" or not self.compilable:
            return False
        if choice == "compiled" or not self.ours or self.machine is not None:
            return True
        if max(ahead, self.spent) > (LOAD if "numba" in sys.modules else FIRST) and self.is_kept:
            return True
        return self.spent + ahead > BRIEF

    def is_ready(self, ahead: float, choice: str) -> bool:
        """Whether to run it compiled for such work; if so it is compiled, or loaded."""
        choice = engine.chosen if choice == "auto" else choice
        if not self.is_worth_compiling(ahead, choice):
            return False
        if not engine.has_numba():
            if choice == "compiled":
                raise ImportError(engine.MISSING)
            engine.say_that_it_is_missing()
            return False
        try:
            if self.machine is None:
                with notice.compiling():
                    self._compile()
        except Exception as error:
            if choice == "compiled" or not self.ours:
                raise
            self.compilable = False
            warnings.warn(
                f"{self.kernel.__name__} could not be compiled ({type(error).__name__}: {error!s:.200}) and runs "
                "in Python, with the same results",
                stacklevel=2,
            )
        return self.compilable

    def _compile(self) -> None:
        if self.machine is not None:  # by another thread meanwhile
            return
        if notice.notify is not None and not self.is_kept:
            notice.notify(self.kernel.__name__, self.ours)
        typeof = numba().typeof
        kinds = typeof(0), *(typeof(scalar()) for scalar in self.scalars or ())
        self.machine = compiled(self.entry, kinds, self.ours, error_model="numpy", nogil=not self.kernel.gil)

    def bound(self, records: tuple[Any, ...]) -> Callable[..., Any]:
        """The compiled function of the other arguments."""
        block = np.array(words(records), np.int64)
        call = functools.partial(self.machine, address(block))
        call.__dict__["block"] = block, records  # they live as long as the call
        return call


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
        python = functools.partial(self.kernel.python, in_python(self.records))
        measured = self.choice != "python" and self.version.compilable
        self.call = functools.partial(self._timed, python) if measured else uninterrupted()(python)

    def _enter(self, ahead: float) -> bool:
        """Go on compiled if work of so many seconds in Python is worth it; returns whether."""
        self.compiled = self.version.is_ready(ahead, self.choice)
        if self.compiled:
            self.call = self.version.bound(self.records)
        return self.compiled

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


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, gil: bool) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Any = None, *, gil: bool = False) -> Any:
    """Make ``function`` a kernel.

    ``gil=True`` keeps the GIL, for calls that take less time than giving it away and asking for it again.
    """
    return functools.partial(Kernel, gil=gil) if function is None else Kernel(function)
