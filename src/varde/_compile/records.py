"""Records: tuples with names, of numbers, arrays and records."""

from __future__ import annotations

import functools
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from .engine import is_package

PLAIN = (bool, int, float, np.generic, np.ndarray)

extended: set[type] = set()  # records of ours that a user's file taught a new verb


def is_record(value: Any) -> bool:
    return isinstance(value, tuple) and hasattr(value, "_fields")


def is_plain(value: Any) -> bool:
    """Whether machine code can hold the value; a user's Python object cannot be."""
    return isinstance(value, PLAIN) or (is_record(value) and all(map(is_plain, value)))


def is_ours(value: Any) -> bool:
    """Whether a stored specialisation may mention the type of this value."""
    if not is_record(value):
        return True
    cls = type(value)
    return is_package(cls.__module__) and cls not in extended and all(map(is_ours, value))


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def canonical(value: Any) -> Any:
    """``PowerMean(order=5)`` becomes ``PowerMean(order=5.0)``: one machine type per record."""
    if not is_record(value):
        return value
    hints, fields = _hints(type(value)), []  # type: ignore[arg-type]
    for name, field in zip(value._fields, value, strict=True):
        wanted = hints.get(name)
        if wanted in (bool, int, float):
            field = wanted(field)
        elif wanted in (np.ndarray, ArrayLike) and not _is_machine_array(field):
            field = np.array(field, dtype=np.float64)
        fields.append(canonical(field))
    return type(value)(*fields)


def _is_machine_array(field: Any) -> bool:
    return isinstance(field, np.ndarray) and field.flags.c_contiguous and field.flags.writeable
