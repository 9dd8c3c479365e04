"""The folder of compiled kernels."""

from __future__ import annotations

import functools
import hashlib
import os
import warnings
from pathlib import Path

from .._files import make_writable
from .engine import PACKAGE


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
