"""Checks of a user's function: can it be called, can it be sent to a process, is it the same as before."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterable
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from .._files import StoreWarning
from .._pool import in_processes, unsendable
from ..check import shown
from .checks import shorten


def wanted(function: Callable[..., Any]) -> tuple[str, ...]:
    """Which of ``seed``, ``rng``, ``item`` and ``context`` the function has as parameters besides the option."""
    bound = function.keywords if isinstance(function, functools.partial) else {}
    try:
        parameters = list(inspect.signature(function).parameters)[1:]
    except (TypeError, ValueError):
        return ()
    return tuple(name for name in ("seed", "rng", "item", "context") if name in parameters and name not in bound)


def check_call(function: Callable[..., Any], items: bool = False, contexts: bool = False) -> None:
    """Refuse a function that cannot be called with an option, or that has no use for ``items`` or ``contexts``."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some built-in functions have no signature
        return
    if items and "item" not in wanted(function):
        name = getattr(function, "__name__", type(function).__name__)
        raise TypeError(
            f"items= is given, but {name}{signature} has no parameter named item: write one, and judge the option on "
            "that item, or leave items= out"
        )
    if contexts and "context" not in wanted(function):
        name = getattr(function, "__name__", type(function).__name__)
        raise TypeError(
            f"contexts= is given, but {name}{signature} has no parameter named context: write one, and evaluate the "
            "option in that context, or leave contexts= out"
        )
    try:
        signature.bind(None, **dict.fromkeys(wanted(function)))
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise TypeError(
            f"{name}{signature} cannot be called with an option ({error}): write a function that takes an option, and "
            "seed, rng, item or context if it needs them; use functools.partial for other arguments"
        ) from None


def check_sendable(function: Callable[..., Any], options: Iterable[tuple[str, Any]], workers: Any) -> None:
    """Refuse what cannot be sent to a pool of processes."""
    if not in_processes(workers):
        return
    things = [("the function", function, "a def at the top level of a module")]
    things += [(f"the option {shorten(name)!r}", each, "what the function can make it from") for name, each in options]
    for what, thing, instead in things:
        if (why := unsendable(thing)) is not None:
            raise TypeError(
                f"{what} cannot be sent to another process ({why}): write {instead}, or use threads, workers=8"
            )


# -- whether it is the same ------------------------------------------------------------------------


class Identity(NamedTuple):
    """What a file keeps about the function that made its results."""

    name: str  # with the arguments of a partial, without the module, which differs in a script
    code: str  # digest of the code, without comments and line numbers, and of what the function brings along
    python: str  # the version, on which the bytecode depends


def identity_of(function: Any) -> Identity:
    name, given, found = "", [], function
    while isinstance(found, functools.partial):
        given += [
            *map(in_text, found.args),
            *(f"{key}={in_text(each)}" for key, each in sorted(found.keywords.items())),
        ]
        found = found.func
    found = inspect.unwrap(found)
    own, found = getattr(found, "__self__", None), getattr(found, "__func__", found)
    if not hasattr(found, "__code__") and not inspect.isbuiltin(found) and not isinstance(found, type):
        own, found = found, type(found).__call__
        name = type(own).__qualname__
    name = name or str(getattr(found, "__qualname__", type(found).__name__))
    cells = []  # the values that a closure carries
    for cell in getattr(found, "__closure__", None) or ():
        with contextlib.suppress(ValueError):  # not yet set
            cells.append(cell.cell_contents)
    state = {} if own is None or inspect.ismodule(own) else getattr(own, "__dict__", {})
    parts = given, getattr(found, "__code__", None), getattr(found, "__defaults__", None), cells, dict(state)
    digest = hashlib.sha256(in_text(parts).encode()).hexdigest()[:16]
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return Identity(f"{name}({', '.join(given)})" if given else name, digest, version)


def in_text(value: Any) -> str:
    """The same in every process: numbers, texts and the like as they are, the type of anything else."""
    try:
        return json.dumps(value, default=in_plain, skipkeys=True)
    except (ValueError, RecursionError):  # it contains itself
        return type(value).__qualname__


def in_plain(value: Any) -> Any:
    if isinstance(value, CodeType):
        return [value.co_code.hex(), *value.co_names, *value.co_varnames, *value.co_freevars, value.co_consts]
    if isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(map(in_text, value))
    if isinstance(value, (bytes, complex)):
        return repr(value)
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def check_same(now: Identity, noted: Any, where: Any) -> None:
    """Refuse a function other than the one that made the results in a file; warn if it was edited."""
    if not isinstance(noted, dict) or set(noted) != set(Identity._fields):
        return
    before = Identity(**noted)
    if before.code == now.code or before.python != now.python:
        return
    if before.name != now.name:
        raise ValueError(
            f"the results in {where} were made by {shown(before.name)}, this is {shown(now.name)}: write that "
            "function, or another store"
        )
    warnings.warn(
        f"{now.name} has changed since {where} was begun; earlier results are kept and still count: for a fresh "
        "start write another store",
        StoreWarning,
        stacklevel=4,
    )
