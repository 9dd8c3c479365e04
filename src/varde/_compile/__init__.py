"""Two engines from one source; the only file that knows about Numba.

helper   plain Python when called from Python, machine code inside a kernel.
kernel   a door from Python into machine code, kept on disk between processes.
verb     a function chosen by the type of its first argument, in both engines.

Numba is imported by the first kernel that runs, never by ``import varde``.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import numpy as np
from numpy.typing import ArrayLike

from .._files import make_writable

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = __name__.split(".")[0]

# No fast-math: equal means must compare equal in both engines.  The GIL is free while a kernel runs.
# Without NRT no reference is counted, which makes kernels that pass records of arrays around up to 15
# times faster; the price is that nothing may allocate there: arrays are made in Python and handed in.
# A user's verbs keep NRT, and so may call whatever Numba supports.  Helpers are inlined by LLVM: a record
# of ten arrays is seventy machine words, too many to push for every call.
FOREIGN: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": True}
OPTIONS: dict[str, Any] = {**FOREIGN, "_nrt": False}
INLINED: dict[str, Any] = {**OPTIONS, "forceinline": True}

_numba: Any = None
_waiting: list[Callable[[], None]] = []  # what to tell Numba once it is there
_lock = threading.RLock()


def numba() -> Any:
    """The numba module, told about every helper and verb so far."""
    global _numba
    with _lock:
        if _numba is None:
            import numba as module
            import numba.extending
            from numba.core import event

            _numba = module
            event.register("numba:compile", _listener(event))
            event.register("numba:compiler_lock", _stopwatch(event))
            for tell in _waiting:
                tell()
    return _numba


def _when_loaded(tell: Callable[[], None]) -> None:
    with _lock:
        if _numba is None:
            _waiting.append(tell)
        else:
            tell()


# -- helper and verb -----------------------------------------------------------------------------


def helper(function: Any = None, *, apart: bool = False) -> Any:
    """Let kernels call ``function``; from Python it stays what it is.

    ``apart`` keeps it out of its callers: for a body so long that the call costs nothing and copies of it would take
    long to compile.
    """
    if function is None:
        return functools.partial(helper, apart=apart)

    def tell() -> None:
        options = FOREIGN if not _is_package(function.__module__) else OPTIONS if apart else INLINED

        @_numba.extending.overload(function, strict=False, jit_options=options)
        def compiled(*args: Any) -> Any:
            return function

    _when_loaded(tell)
    return function


_extended: set[type] = set()  # records of ours that a user's file taught a new verb


def verb(function: Any = None, *, fallback: bool = False) -> Any:
    """Let the type of the first argument choose the function: ``@verb.of(Record)`` adds a case.

    With ``fallback`` the decorated body serves the types nobody named.
    """
    if function is None:
        return functools.partial(verb, fallback=fallback)
    table: dict[type, Callable[..., Any]] = {}
    name = function.__name__

    def find(cls: type) -> Callable[..., Any]:
        if cls not in table and not fallback:
            raise TypeError(f"{name} is not defined for {cls.__name__}: write @{name}.of({cls.__name__})")
        return table.get(cls, function)

    @functools.wraps(function)
    def call(record: Any, *args: Any) -> Any:
        return find(type(record))(record, *args)

    def tell() -> None:
        for ours, options in ((True, INLINED), (False, FOREIGN)):
            _numba.extending.overload(call, strict=False, jit_options=options)(resolver(ours))

    def resolver(ours: bool) -> Callable[..., Any]:
        def resolve(record: Any, *args: Any) -> Any:
            found = find(getattr(record, "instance_class", type(record)))
            return found if _is_package(found.__module__) == ours else None

        return resolve

    def of(cls: type) -> Callable[[F], F]:
        def register(implementation: F) -> F:
            if cls in table:
                # Compiled code may already contain the first definition; a second would be ignored there.
                raise TypeError(
                    f"{name} is already defined for {cls.__name__}: make a record of your own "
                    f"(in a notebook, run the cell that defines {cls.__name__} again first)"
                )
            if not _is_package(implementation.__module__):
                _extended.add(cls)
            table[cls] = implementation
            return implementation

        return register

    _when_loaded(tell)
    # mypy does not know function attributes; these two are the public face of a verb.
    call.of, call.find = of, find  # type: ignore[attr-defined]
    return call


# -- kernel --------------------------------------------------------------------------------------

_kernels: set[Callable[..., Any]] = set()


class Kernel:
    """Compiled on first call for each combination of record types.

    Specialisations of the package's own kernels for its own records are stored on disk.  What mentions a
    user's file is not: a stored index that names a class of a file that has gone fails for everybody.
    """

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function)
        self.python = function
        _kernels.add(function)

    @functools.cached_property
    def unstored(self) -> Any:
        return numba().njit(**OPTIONS)(self.python)

    @functools.cached_property
    def stored(self) -> Any:
        folder = cache_folder() if _is_package(self.python.__module__) else None
        if folder is None:
            return self.unstored
        config = numba().config
        with _lock:  # Numba reads the folder from its global settings while the function is decorated
            before, config.CACHE_DIR = config.CACHE_DIR, folder
            try:
                return numba().njit(cache=True, **OPTIONS)(self.python)
            finally:
                config.CACHE_DIR = before

    def __call__(self, *args: Any) -> Any:
        args = tuple(map(canonical, args))
        if not all(map(is_plain, args)):
            return self.python(*args)
        return (self.stored if all(map(is_ours, args)) else self.unstored)(*args)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Make ``function`` a door into machine code; ``kernel.python`` is the other engine."""
    return Kernel(function)


PLAIN = (bool, int, float, np.generic, np.ndarray)


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
    return _is_package(cls.__module__) and cls not in _extended and all(map(is_ours, value))


def _is_package(module: str) -> bool:
    return module.split(".", maxsplit=1)[0] == PACKAGE


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


# -- the folder of compiled kernels --------------------------------------------------------------


@functools.cache
def source_digest() -> str:
    """Stands for every file of the package."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> str | None:
    """A folder named after the source of the whole package, or None where nothing can be written.

    Numba recompiles a stored function when its own file changes, but not when a function that it
    calls changes in another file; a digest of every file does.
    """
    base = os.environ.get("VARDE_CACHE_DIR") or Path.home() / ".cache" / PACKAGE
    folder = Path(base) / source_digest()
    try:
        make_writable(folder)
    except OSError as error:
        warnings.warn(
            f"compiled kernels cannot be kept in {folder} ({error.strerror}); every process will compile "
            "again. Set VARDE_CACHE_DIR to a writable folder.",
            stacklevel=2,
        )
        return None
    return str(folder)


# -- saying that we compile ----------------------------------------------------------------------


def announce(name: str) -> None:
    """The notice of compilation unless a caller sets ``notify``: one line in the life of a process."""
    global notify
    where = "kept on disk for the next time" if cache_folder() else "not kept"
    print(f"varde: compiling {name} for this machine ({where})", file=sys.stderr, flush=True)
    notify = None


notify: Callable[[str], None] | None = announce  # called with a kernel's name before it compiles


def _listener(event: Any) -> Any:
    class Listener(event.Listener):
        def on_start(self, started: Any) -> None:
            function = started.data["dispatcher"].py_func
            if notify is not None and function in _kernels:
                notify(function.__name__)

        def on_end(self, ended: Any) -> None:
            pass

    return Listener()


# -- how long we compile -------------------------------------------------------------------------

_compiling = threading.local()


def compile_seconds() -> float:
    """Seconds that this thread has spent on compiling so far, or on waiting for another one to compile."""
    return getattr(_compiling, "seconds", 0.0)


def _stopwatch(event: Any) -> Any:
    class Stopwatch(event.Listener):
        def on_start(self, started: Any) -> None:
            depth = getattr(_compiling, "depth", 0)
            _compiling.depth = depth + 1
            if depth == 0:
                _compiling.began = time.perf_counter()

        def on_end(self, ended: Any) -> None:
            if not getattr(_compiling, "depth", 0):
                return  # begun before anybody listened
            _compiling.depth -= 1
            if _compiling.depth == 0:
                _compiling.seconds = compile_seconds() + time.perf_counter() - _compiling.began

    return Stopwatch()
