"""A kernel: a function that Python calls and Numba compiles, once for each combination of record types."""

from __future__ import annotations

import contextlib
import functools
import math
import time
import warnings
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import engine
from .disk import Storage
from .engine import is_package, kernel_options, numba
from .notice import compiling
from .records import canonical, in_python, is_ours, is_plain, kind_of
from .verb import UncompiledError

BRIEF = 4.0  # seconds: what Python does in this time is not compiled, which takes 6 to 8 and pays at the second call
IMPORT, LOAD = 0.25, 0.025  # seconds that importing Numba takes, with the first kernel from disk; any further one
OPERATION = 2e-7  # seconds of a line of Python, about


class Kernel:
    """``python`` is the function itself, the other engine."""

    __name__: str

    def __init__(self, function: Callable[..., Any], gil: bool = False):
        functools.update_wrapper(self, function)
        self.python, self.gil = function, gil
        self.versions: dict[Any, Version] = {}  # by kinds of arguments

    def version(self, args: tuple[Any, ...], scalars: tuple[type, ...] = ()) -> Version:
        """The kernel for canonical arguments of these kinds."""
        kind = kind_of(args), scalars
        ours = is_package(self.python.__module__) and is_ours(kind)  # until a user teaches one a verb
        return self.versions.get((kind, ours)) or self.versions.setdefault((kind, ours), Version(self, kind, ours))

    def __call__(self, *args: Any) -> Any:
        """Run it compiled; with a user's Python object, in Python."""
        return self.sized(math.inf, *args)

    def interpret(self, *args: Any) -> Any:
        return self.python(*map(in_python, args))

    def sized(self, operations: float, *args: Any) -> Any:
        """Run it in the engine that is the quicker for about so many operations."""
        args = canonical(args)
        version = self.version(args)
        if version.is_ready(operations * OPERATION, "auto", args):
            return version.compiled(*args)
        return version.timed(self.interpret, *args)


class Version:
    """A kernel for arguments of certain kinds: what it costs in Python so far, and the compiled code."""

    def __init__(self, kernel: Kernel, kind: Any, ours: bool):
        self.kernel, self.ours = kernel, ours
        self.compilable = is_plain(kind)  # whether it can be compiled
        self.spent = 0.0  # seconds in Python so far
        self.storage = Storage(kernel.__name__, kind, ours)
        self.compiled: Any = None  # Numba's function
        self.entry: Any = None  # what a door calls with the address of its records; None where they go in by value

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
        if choice == "compiled" or not self.ours or self.compiled is not None:
            return True
        if max(ahead, self.spent) > LOAD + (0.0 if engine.is_loaded() else IMPORT) and self.storage.is_there:
            return True
        return self.spent + ahead > BRIEF

    def is_ready(
        self, ahead: float, choice: str, args: tuple[Any, ...], scalars: tuple[type, ...] | None = None
    ) -> bool:
        """Whether to run it compiled for such work; if so it is compiled, or loaded.

        With ``scalars`` it is compiled for a door: ``args`` are its records.
        """
        choice = engine.chosen if choice == "auto" else choice
        if not self.is_worth_compiling(ahead, choice):
            return False
        if self.compiled is None:
            try:
                with compiling():
                    if self.compiled is None:  # not by another thread meanwhile
                        self._compile(args, scalars)
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

    def _compile(self, args: tuple[Any, ...], scalars: tuple[type, ...] | None) -> None:
        typeof = numba().typeof
        if scalars is None:
            self.compiled = self._made(tuple(map(typeof, args)))
            return
        others = [typeof(scalar()) for scalar in scalars]
        if (held := by_reference(args)) is not None:
            with contextlib.suppress(AttributeError, KeyError, UncompiledError, numba().core.errors.NumbaError):
                made = self._made((held, *others))
                self.entry = made.overloads[(held, *others)].entry_point
                self.compiled = made
                return
        self.compiled = self._made((typeof(args), *others))  # an error in the code itself comes again

    def _made(self, signature: tuple[Any, ...]) -> Any:
        """Numba's function for these types, a new one: what was left in the middle is not used again."""
        made = numba().njit(**kernel_options(self.kernel.gil))(self.kernel.python)
        made._cache = self.storage
        made.compile(signature)
        return made


def by_reference(records: tuple[Any, ...]) -> Any:
    """Numba's type of the address of these records; None where they must go in by value."""
    try:
        from .held import Held, can_hold
    except (ImportError, AttributeError):
        engine.warn_slower("calls into compiled code take longer")
        return None
    kinds = numba().typeof(records)
    return Held(kinds) if all(map(can_hold, kinds.types)) else None


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, gil: bool) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Any = None, *, gil: bool = False) -> Any:
    """Make ``function`` a kernel.

    ``gil=True`` keeps the GIL, for calls that take less time than giving it away and asking for it again.
    """
    return functools.partial(Kernel, gil=gil) if function is None else Kernel(function)
