"""Structured arrays in both engines: ``table.count[i] += 1`` for the field ``count`` of row i.

Compiled code reads the array itself, and a row lies in one place.  NumPy takes a microsecond and more to read a field
of a row that way; in Python the same line reads a memory view of the field, three times as fast as an array.
A field must not have the name of an attribute of arrays, such as ``mean`` or ``size``.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from typing import Any

import numpy as np

from .engine import numba, part_options, when_loaded

LINE = 64  # bytes that come from memory at once


@functools.cache
def _fields(names: tuple[str, ...]) -> Any:
    return namedtuple("Fields", names)


def in_python(record: Any) -> Any:
    """A record for the Python engine: structured arrays as memory views of their fields, random streams as views."""
    if isinstance(record, np.ndarray):
        if record.dtype.names:
            return _fields(record.dtype.names)(*(record[name].data for name in record.dtype.names))
        return record.data if record.dtype == np.uint64 else record
    if isinstance(record, tuple):
        kind: Any = type(record)
        return getattr(kind, "_make", kind)(map(in_python, record))
    return record


def copy_row(table: Any, old: int, new: int) -> None:
    """Row ``new`` becomes what row ``old`` is."""
    for field in table:
        field[new] = field[old]


def hint(function: Any) -> Any:
    """A helper that only prefetches: in Python nothing is called."""

    def nothing(*args: Any) -> None:
        pass

    def register() -> None:
        numba().extending.overload(nothing, strict=False, jit_options=part_options())(lambda *args: function)

    when_loaded(register)
    return functools.update_wrapper(nothing, function)


def prefetch(table: Any, row: int) -> None:
    """Say that a row will be read soon, so that compiled code does not wait for memory; it changes nothing else."""


def _register() -> None:
    def resolve(table: Any, old: Any, new: Any) -> Any:
        def copy(table: Any, old: int, new: int) -> None:
            table[new] = table[old]

        return copy

    numba().extending.overload(copy_row, strict=False, jit_options=part_options())(resolve)


when_loaded(_register)


def _register_prefetch() -> None:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    signature = ir.FunctionType(ir.VoidType(), [byte, number, number, number])

    def typed(context: Any, table: Any, row: Any) -> Any:
        def code(context: Any, builder: Any, signed: Any, args: Any) -> Any:
            array = context.make_array(table)(context, builder, args[0])
            at = context.cast(builder, args[1], row, types.intp)
            place = cgutils.get_item_pointer(context, builder, table, array, [at], wraparound=False)
            hint = builder.module.declare_intrinsic("llvm.prefetch", (byte,), signature)
            first = builder.bitcast(place, byte)
            for line in range(0, context.get_abi_sizeof(context.get_data_type(table.dtype)), LINE):
                where = builder.gep(first, [ir.IntType(64)(line)])
                builder.call(hint, [where, number(0), number(3), number(1)])  # to be read, often, data
            return context.get_dummy_value()

        return types.none(table, row), code

    fetch: Any = intrinsic(typed)

    def soon(table: Any, row: int) -> None:
        fetch(table, row)

    numba().extending.overload(prefetch, strict=False, jit_options=part_options())(lambda table, row: soon)


when_loaded(_register_prefetch)
