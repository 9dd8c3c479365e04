"""Which engine runs; Numba, imported when needed, with every helper registered.

No fast-math: equal means must compare equal in both engines.  Helpers of this package are inlined by LLVM, since a
record of ten arrays is seventy machine words, too many to push for every call, and get no wrappers for Python and C,
which nobody calls.  A user's code is compiled as Numba does by itself.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from . import notice

PACKAGE = __name__.split(".", maxsplit=1)[0]
FOREIGN: dict[str, Any] = {"error_model": "numpy", "nogil": True}
OWN: dict[str, Any] = {**FOREIGN, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

chosen = "auto"  # "compiled" and "python" are for tests and benchmarks: see ``using``
_numba: Any = None
_waiting: list[Callable[[], None]] = []  # callbacks once Numba is imported


@contextlib.contextmanager
def using(engine: str) -> Iterator[None]:
    """Within it, all that leaves the choice open runs "compiled", or in "python"; the results are the same."""
    global chosen
    before, chosen = chosen, engine
    try:
        yield
    finally:
        chosen = before


MISSING = "Numba is not installed, and compiled code is 100 times as fast: pip install 'varde[fast]'"


@functools.cache
def has_numba() -> bool:
    return importlib.util.find_spec("numba") is not None


@functools.cache
def say_that_it_is_missing() -> None:
    """Once in a process."""
    warnings.warn(f"{MISSING}; this goes on in Python, with the same results", stacklevel=2)


def numba() -> Any:
    """The numba module, with every helper and verb so far registered."""
    global _numba
    with notice.lock:
        if _numba is None:
            with notice.uninterrupted():  # a module that was imported by half cannot be imported again
                import numba as module
                import numba.extending

                _numba = module
                for register in _waiting:
                    register()
    return _numba


def is_package(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] == PACKAGE


def in_kernels(function: Any, resolve: Callable[..., Any], apart: bool = False) -> None:
    """Kernels call, in place of ``function``, what ``resolve`` gives for the types of its arguments."""
    options = {**OWN, "forceinline": not apart} if is_package(function.__module__) else FOREIGN

    def resolved(*types: Any) -> Any:
        notice.safe_point()
        return resolve(*types)

    def register() -> None:
        numba().extending.overload(function, strict=False, jit_options=options)(resolved)

    with notice.lock:
        if _numba is None:
            _waiting.append(register)
        else:
            register()
