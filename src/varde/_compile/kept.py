"""Compiled code on disk: one file for each kernel and signature, named after all that its machine code depends on.

Nothing is looked up in an index and nothing is replaced: code that has changed has another name, and what was compiled
before is found again when the change is undone.  A checksum guards each file, since machine code with a bit turned over
would run.  Files are written under another name and moved, so that processes may write at once, or be killed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import platform
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import types
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from .cache import cannot_keep
from .engine import is_package
from .reach import LAYER, UnclearError, name_of, reached

SIZE = hashlib.sha256().digest_size
SUFFIX = ".kernel"
UNUSED = 60 * 24 * 3600.0  # seconds after which a file goes that nobody has read
# Settings of Numba that do not change the code it makes; all others count.
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}


class Kept(NullCache):
    """What is kept of one kernel; Numba asks it before it compiles and tells it afterwards."""

    def __init__(self, function: Any, options: dict[str, Any], folder: str):
        self.function, self.folder = function, Path(folder)
        self.options = sorted(f"{name} {getattr(value, '__name__', value)}" for name, value in options.items())

    @property
    def cache_path(self) -> str:
        return str(self.folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        place = self.place(sig, target_context.codegen())
        if place is None or (data := read(place[0])) is None:
            return None
        try:
            return CompileResult._rebuild(target_context, *pickle.loads(data))
        except Exception:  # what can be read and does not fit: another build of a library underneath
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        place = self.place(sig, data.codegen)
        if place is None:
            return
        path, functions = place
        compiled = {each for each in getattr(data.library, "functions", ()) if is_covered(each)}
        if unseen := compiled - functions:
            names = ", ".join(sorted(map(name_of, unseen)))
            warnings.warn(
                f"{self.function.__name__} is not kept on disk: it was not seen that it calls {names}", stacklevel=2
            )
        elif not data.library.has_dynamic_globals:  # an address, which the next process has not
            try:
                write(path, dumps(data._reduce()))
            except OSError as error:  # a full disk, a folder that has gone or can only be read
                cannot_keep(self.folder, error)

    def place(self, sig: Any, codegen: Any) -> tuple[Path, set[Any]] | None:
        """Where the machine code for a signature is kept, and the functions that count; None if that is unclear."""
        args = sig.args if hasattr(sig, "args") else tuple(sig)
        words = [*surroundings(), *map(str, codegen.magic_tuple()), *self.options, name_of(self.function)]
        words += [type_words(kind) for kind in args]
        try:
            lines, functions = reached(self.function, {cls for kind in args for cls in classes_in(kind)})
        except UnclearError:  # every process compiles it
            return None
        digest = hashlib.sha256("\n".join([*words, *lines]).encode()).hexdigest()
        return self.folder / f"{self.function.__name__}-{digest[:32]}{SUFFIX}", functions


def is_covered(function: Any) -> bool:
    """Whether a function must have been seen: one of the package, but not of this folder, whose files count whole."""
    return is_package(function.__module__) and not function.__module__.startswith(f"{LAYER}.")


@functools.cache
def surroundings() -> tuple[str, ...]:
    """What all machine code depends on: versions, settings of Numba, and the files of this folder."""
    versions = platform.python_version(), numba.__version__, llvmlite.__version__, np.__version__
    settings = (f"{name} {os.environ[name]}" for name in sorted(os.environ) if name.startswith("NUMBA_"))
    here = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))
    return *versions, *(each for each in settings if each.split()[0] not in HARMLESS), here.hexdigest()


def type_words(kind: Any) -> str:
    """A type of Numba as text; its own name for a record leaves out the module and the fields."""
    if hasattr(kind, "inner"):  # Held
        return f"held {type_words(kind.inner)}"
    if is_named(kind):
        parts = (f"{name} {type_words(part)}" for name, part in zip(kind.fields, kind.types, strict=True))
        return f"{name_of(kind.instance_class)}({', '.join(parts)})"
    if hasattr(kind, "types"):  # a tuple
        return f"({', '.join(map(type_words, kind.types))})"
    return str(kind)


def is_named(kind: Any) -> bool:
    return isinstance(kind, types.BaseNamedTuple)


def classes_in(kind: Any) -> Iterator[type]:
    """The classes of the records in a type."""
    if hasattr(kind, "inner"):
        yield from classes_in(kind.inner)
    elif hasattr(kind, "types"):
        if is_named(kind):
            yield kind.instance_class
        for part in kind.types:
            yield from classes_in(part)


def read(path: Path) -> bytes | None:
    """What was written there, or None if it is missing or damaged."""
    try:
        with open(path, "rb") as file:
            digest, data = file.read(SIZE), file.read()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # of a folder that is only read
        os.utime(path)
    return data if hashlib.sha256(data).digest() == digest else None


def write(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.stem}-{os.getpid()}-{time.monotonic_ns()}.part")
    try:
        part.write_bytes(hashlib.sha256(data).digest() + data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    for old in path.parent.iterdir():
        with contextlib.suppress(OSError):  # another process was quicker
            if time.time() - old.stat().st_mtime > UNUSED and old.suffix in (SUFFIX, ".part"):
                old.unlink()
