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
import pickle
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from .._files import package_digest
from . import notice
from .engine import PACKAGE, numba
from .records import in_words

SIZE = hashlib.sha256().digest_size
SUFFIX = ".kernel"
UNUSED = 60 * 24 * 3600.0  # seconds after which a file goes that nobody has read
# Settings of Numba that do not change the code it makes; all others count.
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}


def cache_folder() -> Path:
    """In VARDE_CACHE_DIR, or where the system keeps such things; RuntimeError if there is no home either."""
    own, system = os.environ.get("VARDE_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME", "")
    if own:
        return Path(own) / "kernels"
    return (Path(system) if os.path.isabs(system) else Path.home() / ".cache") / PACKAGE / "kernels"


def digest(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:24]


class Storage:
    """What Numba asks before it compiles a kernel for arguments of this ``kind``, and tells afterwards.

    Only what consists of this package's code is stored: of a user's file nobody knows what it depends on.
    """

    def __init__(self, kernel: str, kind: Any, ours: bool):
        self.kernel, self.kind, self.ours = kernel, kind, ours

    @functools.cached_property
    def name(self) -> str:
        """How the name of the file begins."""
        return f"{self.kernel}-{digest(package_digest(), in_words(self.kind))}"

    @functools.cached_property
    def is_there(self) -> bool:
        """Whether there seemed to be compiled code when first asked, as far as is known without Numba."""
        try:
            files = [each for each in os.listdir(cache_folder()) if each.startswith(f"{self.kernel}-")]
        except (OSError, RuntimeError):
            return False
        return self.ours and any(each.startswith(self.name) for each in files)

    def path(self, codegen: Any) -> Path:
        return cache_folder() / f"{self.name}-{digest(*surroundings(), *map(str, codegen.magic_tuple()))}{SUFFIX}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        from numba.core.compiler import CompileResult

        # Without Numba's ``refresh``, which takes longer than all else: machine code needs none of what that registers.
        with contextlib.suppress(Exception):  # what can be read and does not fit: another build of a library underneath
            if self.ours and (data := read(self.path(target_context.codegen()))) is not None:
                return CompileResult._rebuild(target_context, *pickle.loads(data))
        if notice.notify is not None:
            notice.notify(self.kernel, self.ours)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        from numba.core.serialize import dumps

        if not self.ours or data.library.has_dynamic_globals:  # an address, which the next process has not
            return
        try:
            write(self.path(data.codegen), dumps(data._reduce()))
        except (OSError, RuntimeError) as error:  # a full disk, a folder that can only be read; no home
            warnings.warn(
                f"compiled code cannot be kept on disk ({error}); every process will compile again. "
                "Set VARDE_CACHE_DIR to a writable folder.",
                stacklevel=2,
            )


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
    path.parent.mkdir(parents=True, exist_ok=True)
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
