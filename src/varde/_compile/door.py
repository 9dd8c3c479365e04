"""A cheap way into a kernel: the records stay inside, a call hands in scalars.

    @kernel
    def grow(held, root, trials):                       # the first argument stands for all records
        algorithm, problem, tree, rng = contents(held)
        ...
        return done

    door = Door(grow, (algorithm, problem, tree, rng), int, int)    # compiles, or loads what is on disk
    done = door.call(root, trials)                                  # .2 us; ints and floats only
    door.hold((algorithm, problem, longer_tree, rng))               # whenever an array or record was replaced

Numba looks at every argument at every call and unpacks every array: 7 us for 27 of them.  Here the records are
written as plain words into one array, the block; the compiled entry point gets its address.  Inside, ``contents``
gives the records *by reference*: a field is read when it is asked for, so that a helper takes ten words instead of
three hundred, which also halves the time to compile.  Verbs choose by type as ever, in Python ``contents`` hands
back the records themselves, and the source of an algorithm does not change.

Rules: write into the arrays of a record as you like, but replace one only through ``hold``, between calls; read
``door.call`` anew after that.  By reference a record has its fields and nothing else: neither ``a, b = record`` nor
``record[0]``.

Where this Numba lacks what that needs, and for a user's record that has to be taken by value, the same kernel gets the
records by value from Numba's dispatcher; for a Python object, the Python engine does it.  Only the time differs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .engine import numba, when_loaded
from .fields import in_python
from .kernel import Kernel
from .records import canonical, is_ours, is_plain
from .verb import UncompiledError


def contents(held: Any) -> Any:
    """The records that a kernel was given through a door."""
    return held


class Door:
    """``kernel(held, *scalars)`` for these records; ``scalars`` are the types of the other arguments."""

    call: Callable[..., Any]

    def __init__(self, kernel: Kernel, records: tuple[Any, ...], *scalars: type):
        self.kernel, self.scalars = kernel, scalars
        self.hold(records)

    def hold(self, records: tuple[Any, ...]) -> None:
        """Work on these records from now on."""
        records = canonical(records)
        if not is_plain(records):
            self.call = functools.partial(self.kernel.python, in_python(records))
            return
        ours = is_ours(records)  # until a user's file teaches one of them a verb
        kind = machine_type(records), self.scalars, ours
        if kind not in self.kernel.entries:
            self.kernel.entries[kind] = entry_point(self.kernel, records, self.scalars)
        entry = self.kernel.entries[kind]
        if entry is None:
            self.call = functools.partial(self.kernel.dispatcher(records), records)
            return
        block = np.array(words(records), np.int64)
        self.call = functools.partial(entry, address(block))
        self.call.__dict__["kept"] = block, records  # they live as long as the call


def entry_point(kernel: Kernel, records: tuple[Any, ...], scalars: tuple[type, ...]) -> Any:
    """The compiled function, to be called with an address; None where records must go in by value."""
    typeof, dispatcher = numba().typeof, kernel.dispatcher(records)
    try:
        from .held import Held, can_hold
    except (ImportError, AttributeError):
        return None
    kinds = typeof(records)
    if not all(map(can_hold, kinds.types)):
        return None
    signature = (Held(kinds), *(typeof(scalar()) for scalar in scalars))
    try:
        dispatcher.compile(signature)
        return dispatcher.overloads[signature].entry_point
    except (AttributeError, UncompiledError, numba().core.errors.NumbaError):
        return None  # an error in the code itself comes again, by value, when the kernel is called


def machine_type(value: Any) -> Any:
    """What decides which machine code is right for a canonical value."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.carray
    return (type(value), *map(machine_type, value)) if isinstance(value, tuple) else type(value)


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
