"""The folder of compiled kernels."""

from __future__ import annotations

import functools
import os
import warnings
from pathlib import Path

from .._files import make_writable
from .engine import PACKAGE


def cache_home() -> Path:
    """VARDE_CACHE_DIR, or a folder where the system keeps such things; RuntimeError if there is no home either."""
    own, system = os.environ.get("VARDE_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME", "")
    if own:
        return Path(own)
    return (Path(system) if os.path.isabs(system) else Path.home() / ".cache") / PACKAGE


@functools.cache
def cache_folder() -> str | None:
    """The folder of compiled kernels, which may be one that can only be read; None where there is none."""
    folder = None
    try:
        folder = cache_home() / "kernels"
        make_writable(folder)
    except (OSError, RuntimeError) as error:  # RuntimeError: there is no home folder
        if folder is None or not folder.is_dir():
            cannot_keep(folder, error)
            return None
    return str(folder)


def cannot_keep(folder: Path | None, error: Exception) -> None:
    where = "" if folder is None else f" in {folder}"
    warnings.warn(
        f"compiled kernels cannot be kept{where} ({getattr(error, 'strerror', None) or error}); every process will "
        "compile again. Set VARDE_CACHE_DIR to a writable folder.",
        stacklevel=2,
    )
