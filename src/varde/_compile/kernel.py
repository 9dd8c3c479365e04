"""A kernel: a function that Python calls and Numba compiles, once for each combination of record types."""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import disk, engine, notice
from .engine import is_package, kernel_options, numba
from .fields import in_python
from .records import canonical, is_ours, is_plain

BRIEF = 4.0  # seconds: what Python does in this time is not compiled, which takes 6 to 8 and pays at the second call
IMPORT, LOAD = 0.45, 0.025  # seconds that importing Numba takes, with the first kernel from disk; any further one
OPERATION = 2e-7  # seconds of a line of Python, about
UNKNOWN = object()


class Kernel:
    """Compiled kernels of the package for its own records are stored on disk.

    What mentions a user's file is not: of that nobody knows what it depends on.
    """

    __name__: str

    def __init__(self, function: Callable[..., Any], gil: bool = False):
        functools.update_wrapper(self, function)
        self.python, self.gil = function, gil
        self.versions: dict[Any, Version] = {}  # by types
        notice.kernels.add(function)

    def version(self, args: tuple[Any, ...], scalars: tuple[type, ...] = ()) -> Version:
        """The kernel for arguments of these types, in canonical form."""
        ours = is_package(self.python.__module__) and all(map(is_ours, args))  # until a user teaches one a verb
        types = machine_type(args), scalars, ours
        return self.versions.get(types) or self.versions.setdefault(types, Version(self, types, ours))

    def __call__(self, *args: Any) -> Any:
        """Run it compiled; with a user's Python object, in Python."""
        args = tuple(map(canonical, args))
        if engine.chosen == "python" or not all(map(is_plain, args)):
            return self.interpret(*args)
        return self.version(args).dispatcher(*args)

    def interpret(self, *args: Any) -> Any:
        return self.python(*map(in_python, args))

    def sized(self, operations: float, *args: Any) -> Any:
        """Run it in the engine that is the quicker for about so many operations."""
        args = tuple(map(canonical, args))
        if not all(map(is_plain, args)) or (version := self.version(args)).is_worth_compiling(operations * OPERATION):
            return self(*args)
        began = time.thread_time()
        with np.errstate(all="ignore"):  # as compiled
            found = self.interpret(*args)
        version.spent += time.thread_time() - began
        return found


class Version:
    """A kernel for arguments of certain types."""

    def __init__(self, kernel: Kernel, types: Any, ours: bool):
        self.kernel, self.types, self.ours = kernel, types, ours
        self.spent = 0.0  # seconds in Python so far
        self.entry: Any = UNKNOWN  # what doors call; None where they call the dispatcher
        self.lock = threading.RLock()  # threads that need the same code compile it once
        self._dispatcher: Any = None

    @functools.cached_property
    def name(self) -> str:
        """How the name of its file begins."""
        return disk.name_of(self.kernel.__name__, in_words(self.types))

    @property
    def dispatcher(self) -> Any:
        """Numba's function."""
        with self.lock:
            if self._dispatcher is None:
                made = numba().njit(**kernel_options(self.kernel.gil))(self.kernel.python)
                stored = disk.storage(self.name) if self.ours else None
                if stored is not None:
                    made._cache = stored
                self._dispatcher = made
        return self._dispatcher

    @functools.cached_property
    def stored(self) -> bool:
        """Whether it was on disk when first asked."""
        return self.ours and disk.is_stored(self.name)

    def is_worth_compiling(self, ahead: float) -> bool:
        """Whether to compile, or to load, for work that would take so many more seconds in Python.

        What is on disk is loaded as soon as Python has taken, or would take, longer than that.  A user's code is always
        compiled: dividing by 0 is an error in Python only.
        """
        if engine.chosen != "auto" or not self.ours or self._dispatcher is not None:
            return engine.chosen != "python"
        if max(ahead, self.spent) > LOAD + (0.0 if engine.is_loaded() else IMPORT) and self.stored:
            return True
        return self.spent + ahead > BRIEF


def machine_type(value: Any) -> Any:
    """What decides which machine code is right for a canonical value."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.carray or str(value.flags)
    return (type(value), *map(machine_type, value)) if isinstance(value, tuple) else type(value)


def in_words(types: Any) -> str:
    """The same in every process."""
    if isinstance(types, tuple):
        return f"({', '.join(map(in_words, types))})"
    return f"{types.__module__}.{types.__qualname__}" if isinstance(types, type) else str(types)


@overload
def kernel(function: Callable[..., Any]) -> Kernel: ...
@overload
def kernel(*, gil: bool) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Any = None, *, gil: bool = False) -> Any:
    """Make ``function`` a kernel; ``kernel.python`` is the other engine.

    ``gil=True`` keeps the GIL, for calls that take less time than giving it away and asking for it again.
    """
    return functools.partial(Kernel, gil=gil) if function is None else Kernel(function)
