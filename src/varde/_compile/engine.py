"""Which engine runs; Numba, imported when needed, and its options for every kind of function.

No fast-math: equal means must compare equal in both engines.  The GIL is free while a kernel runs, unless that takes
no longer than giving it away.  Without NRT no reference is counted, which makes kernels that pass records of arrays
around up to 15 times faster; the price is that nothing may allocate there: arrays are made in Python and handed in.
A user's code keeps NRT and all of Numba's own pipeline, and so may call whatever Numba supports.  Helpers are inlined
by LLVM: a record of ten arrays is seventy machine words, too many to push for every call.
"""

from __future__ import annotations

import contextlib
import functools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from . import notice
from .notice import uninterrupted

PACKAGE = __name__.split(".", maxsplit=1)[0]
FOREIGN: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": True}
OWN: dict[str, Any] = {**FOREIGN, "_nrt": False, "no_cfunc_wrapper": True}

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


def numba() -> Any:
    """The numba module, with every helper and verb so far registered."""
    with notice.lock:
        if _numba is None:
            with uninterrupted():  # a module that was imported by half cannot be imported again
                _load()
    return _numba


def _load() -> None:
    global _numba
    import numba as module
    import numba.extending

    _numba = module
    notice.listen()
    for register in _waiting:
        register()


def is_package(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] == PACKAGE


@functools.cache
def pipelines() -> tuple[dict[str, Any], dict[str, Any]]:
    """What makes LLVM see a helper and a kernel only once; nothing where this Numba lacks what that needs."""
    try:
        from .once import PART, WHOLE
    except (ImportError, AttributeError):
        warn_slower("compiling takes twice as long")
        return {}, {}
    return {"pipeline_class": PART}, {"pipeline_class": WHOLE}


def part_options(apart: bool = False) -> dict[str, Any]:
    """Of a helper or verb of this package: it is never called from Python, so it needs no wrapper."""
    return {**OWN, **pipelines()[0], "no_cpython_wrapper": True, "forceinline": not apart}


def in_kernels(function: Any, resolve: Callable[..., Any], apart: bool = False) -> None:
    """Kernels call, in place of ``function``, what ``resolve`` gives for the types of its arguments."""

    def register() -> None:
        options = part_options(apart) if is_package(function.__module__) else FOREIGN
        numba().extending.overload(function, strict=False, jit_options=options)(resolve)

    with notice.lock:
        if _numba is None:
            _waiting.append(register)
        else:
            register()


def kernel_options(gil: bool) -> dict[str, Any]:
    return {**OWN, **pipelines()[1], "nogil": not gil}


@functools.cache
def warn_slower(what: str) -> None:
    warnings.warn(
        f"{what}: Numba {numba().__version__} lacks a name that {PACKAGE} needs. Results are the same; try a newer one",
        stacklevel=2,
    )
