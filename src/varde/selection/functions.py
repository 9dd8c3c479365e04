"""Checks of a user's function: can it be called, can it be sent to a process, is it the same as before."""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from .._files import StoreWarning
from .._pool import unsendable
from ..check import shown
from .checks import shorten

PLAIN = (type(None), bool, int, float, complex, str, bytes)


def wanted(function: Callable[..., Any]) -> tuple[str, ...]:
    """Which of ``seed``, ``rng`` and ``item`` the function has as parameters besides the option."""
    bound = function.keywords if isinstance(function, functools.partial) else {}
    try:
        parameters = list(inspect.signature(function).parameters)[1:]
    except (TypeError, ValueError):
        return ()
    return tuple(name for name in ("seed", "rng", "item") if name in parameters and name not in bound)


def check_call(function: Callable[..., Any], items: bool = False) -> None:
    """Refuse a function that cannot be called with an option, or that has no use for ``items``."""
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
    try:
        signature.bind(None, **dict.fromkeys(wanted(function)))
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise TypeError(
            f"{name}{signature} cannot be called with an option ({error}): write a function that takes an option, and "
            "seed, rng or item if it needs them; use functools.partial for other arguments"
        ) from None


def check_sendable(function: Callable[..., Any], options: Iterable[tuple[str, Any]], workers: Any) -> None:
    """Refuse what cannot be sent to a pool of processes."""
    if not isinstance(workers, ProcessPoolExecutor):
        return
    if (why := unsendable(function)) is not None:
        raise TypeError(
            f"the function cannot be sent to another process ({why}): write a def at the top level of a module, or use "
            "threads, workers=8"
        )
    for name, option in options:
        if (why := unsendable(option)) is not None:
            raise TypeError(
                f"the option {shorten(name)!r} cannot be sent to another process ({why}): write what the function can "
                "make it from, or use threads, workers=8"
            )


# -- whether it is the same ------------------------------------------------------------------------


class Identity(NamedTuple):
    """What a file keeps about the function that made its results."""

    name: str  # with the arguments of a partial, without the module, which differs in a script
    code: str  # digest of the code, without comments and line numbers
    python: str  # the version, on which the bytecode depends


def identity_of(function: Any) -> Identity:
    words: list[str] = []
    name = describe(function, words)
    digest = hashlib.sha256("\n".join(words).encode(errors="replace")).hexdigest()[:16]
    return Identity(name, digest, f"{sys.version_info[0]}.{sys.version_info[1]}")


def describe(function: Any, words: list[str]) -> str:
    """The name; a description of the code is added to ``words``."""
    if isinstance(function, functools.partial):
        given = [plainly(each) for each in function.args]
        given += [f"{key}={plainly(value)}" for key, value in sorted(function.keywords.items())]
        words += given
        return f"{describe(function.func, words)}({', '.join(given)})"
    function = inspect.unwrap(function)
    own = getattr(function, "__self__", None)
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None and not inspect.isbuiltin(function) and not isinstance(function, type):
        own, code = function, getattr(type(function).__call__, "__code__", None)
        function = type(function)
    if isinstance(code, CodeType):
        words.append(code_words(code))
        words += [plainly(default) for default in getattr(function, "__defaults__", None) or ()]
        words += [plainly(value) for value in inside(function)]
    if own is not None and not inspect.ismodule(own) and hasattr(own, "__dict__"):
        words += [f"{key}={plainly(value)}" for key, value in sorted(vars(own).items())]
    return str(getattr(function, "__qualname__", type(function).__name__))


def inside(function: Any) -> list[Any]:
    """The values that a closure carries."""
    found = []
    for cell in getattr(function, "__closure__", None) or ():
        try:
            found.append(cell.cell_contents)
        except ValueError:  # not yet set
            continue
    return found


def plainly(value: Any) -> str:
    """The same in every process: numbers and text as they are, the bits of arrays, the type of anything else."""
    if isinstance(value, PLAIN):
        return repr(value)
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return f"array {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(plainly, value))})"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(plainly, value)))}}}"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{plainly(key)}: {plainly(each)}' for key, each in value.items()))}}}"
    if isinstance(value, CodeType):
        return code_words(value)
    return str(getattr(value, "__qualname__", type(value).__qualname__))


def code_words(code: CodeType) -> str:
    """The code without line numbers."""
    constants = [plainly(constant) for constant in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {constants}"


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
