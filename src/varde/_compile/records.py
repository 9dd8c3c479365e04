"""Records: tuples with names, of numbers, arrays and records; how each engine sees them."""

from __future__ import annotations

import functools
import operator
from collections import namedtuple
from collections.abc import Callable
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from .engine import is_package

LEAVES = (bool, int, float, str, np.ndarray)
PLAIN = (bool, int, float, tuple)

extended: set[type] = set()  # our records for which a user's file defines a new verb
_rehearsed: set[Any] = set()  # kinds of records that a user's code has run with in Python


def is_record(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


@functools.cache
def compare_types_too(cls: Any) -> None:
    """Make records of ``cls`` unequal to those of other types: as tuples, ``UCBE(1.0)`` and ``UGapE(1.0)`` are equal,
    and one would replace the other in a dict of algorithms."""
    if not issubclass(cls, tuple) or not hasattr(cls, "_fields") or "__eq__" in vars(cls):
        return
    cls.__eq__ = lambda self, other: (type(self) is type(other) or not is_record(other)) and tuple.__eq__(self, other)
    cls.__ne__ = object.__ne__  # the opposite of __eq__; the hash stays that of the tuple


@functools.cache
def field_kinds(cls: Any) -> tuple[Any, ...]:
    """The annotated types of the fields; an array for whatever can be made one."""
    hints = get_type_hints(cls)
    return tuple(np.ndarray if hints.get(name) == ArrayLike else hints.get(name) for name in cls._fields)


def canonical(value: Any) -> Any:
    """``PowerMean(order=5)`` becomes ``PowerMean(order=5.0)``: one machine type per record."""
    if not is_record(value):
        if isinstance(value, np.generic):
            return value.item()
        return tuple(map(canonical, value)) if type(value) is tuple else value
    fields = tuple(map(_fit, value, field_kinds(type(value))))  # type: ignore[arg-type]
    return value if all(map(operator.is_, fields, value)) else value._make(fields)


def _fit(field: Any, wanted: Any) -> Any:
    if wanted is np.ndarray:
        if _is_machine(field):
            return field
        counts = isinstance(field, np.ndarray) and field.dtype.kind in "biu"
        return np.array(field, dtype=field.dtype.newbyteorder("=") if counts else np.float64)
    if wanted in LEAVES:
        return field if type(field) is wanted else wanted(field)
    return canonical(field)


def _is_machine(field: Any) -> bool:
    """Whether machine code reads an array as it is: contiguous, writable, in the order of the machine.

    A structured array (kind V) is ours: its fields are what machine code reads.
    """
    return isinstance(field, np.ndarray) and field.flags.carray and field.dtype.isnative and field.dtype.kind in "biufV"


# -- kinds: what decides which machine code is right for a canonical value ------------------------------


def kind_of(value: Any) -> Any:
    """The type of a value, what an array consists of, the kinds of what a tuple holds; a text itself."""
    if isinstance(value, np.ndarray):
        return (value.dtype, value.ndim) if value.ndim and _is_machine(value) else np.ndarray
    if isinstance(value, tuple):
        return (type(value), *map(kind_of, value))
    return value if isinstance(value, str) else type(value)


def is_plain(kind: Any) -> bool:
    """Whether machine code can hold it; a user's Python object cannot be held."""
    if isinstance(kind, tuple):
        return all(map(is_plain, kind))
    return not isinstance(kind, type) or issubclass(kind, PLAIN)


def is_ours(kind: Any) -> bool:
    """Whether all records are ours, and no user's file adds to what they can do: then compiled code can be stored."""
    if isinstance(kind, tuple):
        return all(map(is_ours, kind))
    return not hasattr(kind, "_fields") or (is_package(kind.__module__) and kind not in extended)


def rehearse(records: tuple[Any, ...], run: Callable[[], Any]) -> None:
    """Call ``run``, a few steps in the Python engine, when records of these kinds first come from a user's file.

    A mistake such as ``arms.mean`` then shows the line it is in; compiled, it would show seventy lines of Numba, and an
    index out of range would show nothing at all.
    """
    kind = kind_of(canonical(records))
    if kind in _rehearsed or is_ours(kind) or not is_plain(kind):
        return
    try:
        with np.errstate(all="ignore"):
            run()
    except (ArithmeticError, ValueError):
        pass  # 1 / 0 and log(0) are errors in Python only
    _rehearsed.add(kind)


# -- what the Python engine reads ----------------------------------------------------------------


@functools.cache
def _fields(names: tuple[str, ...]) -> Any:
    return namedtuple("Fields", names)


def in_python(record: Any) -> Any:
    """A record for the Python engine: structured arrays as memory views of their fields, random streams as views.

    ``table.count[i] += 1`` is the field ``count`` of row i in both engines.  Compiled code reads the array itself, and
    a row lies in one place; NumPy takes a microsecond and more to read a field of a row that way, a view a third.
    A field must not have the name of an attribute of arrays, such as ``mean`` or ``size``.
    """
    if isinstance(record, np.ndarray):
        if record.dtype.names:
            return _fields(record.dtype.names)(*(record[name].data for name in record.dtype.names))
        return record.data if record.dtype == np.uint64 else record
    if isinstance(record, tuple):
        kind: Any = type(record)
        return getattr(kind, "_make", kind)(map(in_python, record))
    return record
