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


def _register() -> None:
    def resolve(table: Any, old: Any, new: Any) -> Any:
        def copy(table: Any, old: int, new: int) -> None:
            table[new] = table[old]

        return copy

    numba().extending.overload(copy_row, strict=False, jit_options=part_options())(resolve)


when_loaded(_register)
