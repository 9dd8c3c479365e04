"""A user's code runs a few steps in Python before it is compiled.

A mistake such as ``arms.mean`` then shows the line it is in; compiled, it would show seventy lines of Numba, and an
index out of range would show nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .records import canonical, is_ours, is_plain

_known: set[Any] = set()


def rehearse(records: tuple[Any, ...], run: Callable[[], Any]) -> None:
    """Call ``run``, a few steps in the Python engine, when records of these types first come from a user's file."""
    types = _types(records)
    if types in _known or is_ours(records) or not is_plain(canonical(records)):
        return
    try:
        with np.errstate(all="ignore"):
            run()
    except (ArithmeticError, ValueError):
        pass  # 1 / 0 and log(0) are errors in Python only
    _known.add(types)


def _types(value: Any) -> Any:
    return (type(value), *map(_types, value)) if isinstance(value, tuple) else type(value)
