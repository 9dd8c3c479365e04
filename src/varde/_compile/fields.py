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


def _prefetch(table: Any, row: Any) -> Any:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def typed(context: Any, address: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            place, flag = builder.inttoptr(args[0], ir.IntType(8).as_pointer()), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [place.type, flag, flag, flag])
            fetch = builder.module.declare_intrinsic("llvm.prefetch", [place.type], kind)
            builder.call(fetch, [place, flag(0), flag(3), flag(1)])  # to be read, often, data
            return context.get_dummy_value()

        return types.void(types.int64), code

    fetch: Any = intrinsic(typed)

    def soon(table: Any, row: int) -> None:
        first = table.ctypes.data + row * table.itemsize
        for line in range(0, table.itemsize, LINE):
            fetch(first + line)

    return soon


in_kernels(prefetch, _prefetch)
