"""Compiled code on disk: a file for each kernel and the types of its records.

The first half of its name is a digest of the package's text and of the types, which is known without Numba; the second
half one of the processor, the versions and the settings underneath.  Nothing is replaced: other code has another name.
A checksum guards each file, since machine code with a bit turned over would run.  Files are written under another name
and moved, so that processes may write at once, or be killed.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .._files import make_writable, package_digest
from .engine import PACKAGE, numba

SIZE = hashlib.sha256().digest_size
SUFFIX = ".kernel"
UNUSED = 60 * 24 * 3600.0  # seconds after which a file goes that nobody has read
# Settings of Numba that do not change the code it makes; all others count.
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}


def cache_home() -> Path:
    """VARDE_CACHE_DIR, or a folder where the system keeps such things; RuntimeError if there is no home either."""
    own, system = os.environ.get("VARDE_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME", "")
    if own:
        return Path(own)
    return (Path(system) if os.path.isabs(system) else Path.home() / ".cache") / PACKAGE


@functools.cache
def cache_folder() -> Path | None:
    """The folder of compiled kernels, which may be one that can only be read; None where there is none."""
    folder = None
    try:
        folder = cache_home() / "kernels"
        make_writable(folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        if folder is None or not folder.is_dir():
            cannot_store(folder, error)
            return None
    return folder


def cannot_store(folder: Path | None, error: Exception) -> None:
    where = "" if folder is None else f" in {folder}"
    warnings.warn(
        f"compiled kernels cannot be kept{where} ({getattr(error, 'strerror', None) or error}); every process will "
        "compile again. Set VARDE_CACHE_DIR to a writable folder.",
        stacklevel=2,
    )


def name_of(kernel: str, types: str) -> str:
    """How the names of a kernel's files begin, for records of these types."""
    return f"{kernel}-{digest(package_digest(), types)}"


def is_stored(name: str) -> bool:
    """Whether there seems to be compiled code, as far as is known without Numba."""
    try:
        return any(each.startswith(name) for each in os.listdir(cache_home() / "kernels"))
    except (OSError, RuntimeError):
        return False


def digest(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:24]


def storage(name: str) -> Any:
    """What Numba asks before it compiles a kernel, and tells afterwards; None where nothing can be stored."""
    found = cache_folder()
    if found is None:
        return None
    folder: Path = found
    import pickle

    from numba.core.caching import NullCache
    from numba.core.compiler import CompileResult
    from numba.core.serialize import dumps

    class Storage(NullCache):
        def path(self, codegen: Any) -> Path:
            return folder / f"{name}-{digest(*surroundings(), *map(str, codegen.magic_tuple()))}{SUFFIX}"

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            target_context.refresh()
            data = read(self.path(target_context.codegen()))
            try:
                return None if data is None else CompileResult._rebuild(target_context, *pickle.loads(data))
            except Exception:  # what can be read and does not fit: another build of a library underneath
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            if data.library.has_dynamic_globals:  # an address, which the next process has not
                return
            try:
                write(self.path(data.codegen), dumps(data._reduce()))
            except OSError as error:  # a full disk, a folder that has gone or can only be read
                cannot_store(folder, error)

    return Storage()


@functools.cache
def surroundings() -> tuple[str, ...]:
    """What all machine code depends on besides the package: versions, and settings of Numba."""
    import llvmlite

    versions = sys.version, numba().__version__, llvmlite.__version__, np.__version__
    settings = (f"{name} {os.environ[name]}" for name in sorted(os.environ) if name.startswith("NUMBA_"))
    return *versions, *(each for each in settings if each.split()[0] not in HARMLESS)


def read(path: Path) -> bytes | None:
    """What was written there, or None if it is missing or damaged."""
    try:
        with open(path, "rb") as file:
            checksum, data = file.read(SIZE), file.read()
    except OSError:
        return None
    with contextlib.suppress(OSError):  # of a folder that is only read
        os.utime(path)
    return data if hashlib.sha256(data).digest() == checksum else None


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
