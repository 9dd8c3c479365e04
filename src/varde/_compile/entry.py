"""What compiled code is called with: the address of a block of words, in which all records lie.

Numba looks at every argument at every call and unpacks every array, 7 us for 27 of them.  Here Python writes the
records once as plain words into one array: a number is a word, an array its address and its shape.  The entry is
written for the kinds of the records, and makes them again from these words, which takes no time.  Nobody counts
references to arrays made so; Python keeps them alive as long as the call.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .._files import package_digest
from .engine import in_kernels, numba
from .records import is_record

WORD, REAL = np.dtype(np.int64), np.dtype(np.float64)


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def words(value: Any) -> list[int]:
    """Records as words, in the order in which the entry reads them."""
    if isinstance(value, tuple):
        return [word for part in value for word in words(part)]
    if isinstance(value, np.ndarray):
        return [address(value), *value.shape]
    if isinstance(value, str):  # is written into the entry
        return []
    return [int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value)]


def view(address: int, shape: Any, dtype: Any) -> Any:
    """The array at an address; in kernels only."""


def _view(address: Any, shape: Any, dtype: Any) -> Any:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    carray = numba().carray

    def typed(context: Any, address: Any) -> Any:
        byte = ir.IntType(8).as_pointer()
        return types.voidptr(types.int64), lambda context, builder, kind, args: builder.inttoptr(args[0], byte)

    pointer: Any = intrinsic(typed)
    return lambda address, shape, dtype: carray(pointer(address), shape, dtype)


in_kernels(view, _view)


def make_entry(function: Callable[..., Any], records: tuple[Any, ...], scalars: int | None) -> Callable[..., Any]:
    """``entry(address, *scalars)``, which calls ``function(records, *scalars)``; ``function(*records)`` if there are
    None.

    Its name says all that it depends on, and is the same in every process: Numba keeps compiled code under it.
    """
    known: dict[str, Any] = {}
    at = 0

    def named(thing: Any) -> str:
        known[f"_{len(known)}"] = thing
        return f"_{len(known) - 1}"

    def read(value: Any) -> str:
        nonlocal at
        if isinstance(value, tuple):
            parts = "".join(f"{read(part)}, " for part in value)
            return f"{named(type(value)) if is_record(value) else ''}({parts})"
        if isinstance(value, str):
            return repr(value)
        first, at = at, at + 1
        if isinstance(value, np.ndarray):
            shape = "".join(f"block[{at + i}], " for i in range(value.ndim))
            at += value.ndim
            return f"view(block[{first}], ({shape}), {named(value.dtype)})"
        return f"real[{first}]" if isinstance(value, float) else f"block[{first}]{' != 0' * isinstance(value, bool)}"

    made = read(records)
    names = "".join(f", s{i}" for i in range(scalars or 0))
    source = (
        f"def entry(address{names}):\n"
        f"    block, real = view(address, ({at},), WORD), view(address, ({at},), REAL)\n"
        f"    return function{made if scalars is None else f'({made}{names})'}"
    )
    told = hashlib.sha256(f"{package_digest()} {known} {source}".encode()).hexdigest()[:24]
    known |= {"function": function, "view": view, "WORD": WORD, "REAL": REAL, "__name__": function.__module__}
    exec(compile(source, function.__code__.co_filename, "exec"), known)
    entry: Callable[..., Any] = known["entry"]
    entry.__name__ = entry.__qualname__ = f"{function.__name__}_{told}"
    return entry
