"""Records: tuples with names, of numbers, arrays and records."""

from __future__ import annotations

import functools
import operator
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from .engine import is_package

LEAVES = (bool, int, float, str, np.ndarray)
PLAIN = (bool, int, float, str, np.generic, np.ndarray)

extended: set[type] = set()  # our records for which a user's file defines a new verb


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


@functools.cache
def _is_flat(cls: Any) -> bool:
    """Whether canonical records of the class hold numbers and arrays and nothing else."""
    return all(wanted in LEAVES for wanted in field_kinds(cls))


def canonical(value: Any) -> Any:
    """``PowerMean(order=5)`` becomes ``PowerMean(order=5.0)``: one machine type per record."""
    if not is_record(value):
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


def is_plain(value: Any) -> bool:
    """Whether machine code can hold the canonical value; a user's Python object cannot be."""
    if not isinstance(value, tuple):
        return isinstance(value, PLAIN)
    cls: Any = type(value)
    return (is_record(value) and _is_flat(cls)) or all(map(is_plain, value))


def is_ours(value: Any) -> bool:
    """Whether a stored specialisation may mention the type of this value."""
    if not is_record(value):
        return type(value) is not tuple or all(map(is_ours, value))
    cls: Any = type(value)
    return is_package(cls.__module__) and cls not in extended and (_is_flat(cls) or all(map(is_ours, value)))
