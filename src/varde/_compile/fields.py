"""Rows of structured arrays in both engines: copied, and fetched before they are read."""

from __future__ import annotations

import functools
from typing import Any

from .engine import in_kernels
from .verb import helper

LINE = 64  # bytes that come from memory at once


def _copy(table: Any, old: int, new: int) -> None:
    table[new] = table[old]


@helper(loops=_copy)
def copy_row(table: Any, old: int, new: int) -> None:
    """Row ``new`` becomes what row ``old`` is."""
    for field in table:
        field[new] = field[old]


def hint(function: Any) -> Any:
    """A helper that only prefetches: in Python nothing is called."""

    def nothing(*args: Any) -> None:
        pass

    return helper(functools.update_wrapper(nothing, function), loops=function)


def prefetch(table: Any, row: int) -> None:
    """Say that a row will be read soon, so that compiled code does not wait for memory; it changes nothing else."""


@functools.cache
def _prefetched() -> Any:
    """What kernels call for it."""
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

    return soon


in_kernels(prefetch, lambda table, row: _prefetched())
