"""Numba's own cache, in a folder named after a digest of the package's text: what is found there is never stale.

Numba itself looks at the file of the kernel alone, not at those of the helpers.  It unpickles what it finds, so the
folder must be one that nobody else can write to.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import time
import warnings
from pathlib import Path
from typing import Any

from .._files import package_digest
from .engine import PACKAGE, numba

UNUSED = 60 * 24 * 3600.0  # seconds after which a folder goes that nobody has used


def cache_folder() -> Path:
    """In VARDE_CACHE_DIR, or where the system keeps such things; RuntimeError if there is no home either."""
    own, system = os.environ.get("VARDE_CACHE_DIR"), os.environ.get("XDG_CACHE_HOME", "")
    if own:
        return Path(own).absolute() / "kernels"
    return (Path(system) if os.path.isabs(system) else Path.home() / ".cache") / PACKAGE / "kernels"


def folder() -> Path:
    """Without links: whoever made one could let it lead elsewhere after it was looked at."""
    return cache_folder().resolve() / package_digest()[:24]


def is_kept(name: str) -> bool:
    """Whether there seems to be compiled code of this name; Numba may find that it is for another processor."""
    with contextlib.suppress(OSError, RuntimeError):
        return any(folder().glob(f"*/*{name}*.nbi"))
    return False


def make_private(path: Path) -> None:
    """Make a folder that only we can enter; OSError if it is, or could be replaced by, what somebody else wrote."""
    for each in reversed((path, *path.parents)):
        with contextlib.suppress(FileExistsError):
            each.mkdir(0o700)
        found, own = each.stat(), {os.geteuid()} if each == path else {0, os.geteuid()}
        shared = 0o022 if each == path else 0o002
        if found.st_uid not in own or (found.st_mode & shared and (each == path or not found.st_mode & 0o1000)):
            raise PermissionError(f"others can write to {each}")


def compiled(entry: Any, signature: tuple[Any, ...], keep: bool, **options: Any) -> Any:
    """Numba's function for these types; ``keep`` to take it from disk, or to leave it there."""
    made = (keep and (kept(entry, signature, options) or kept(entry, signature, options, last=True))) or None
    if made is None:
        made = numba().njit(**options)(entry)
        made.compile(signature)
    made.disable_compile()  # for other types: numbers are converted
    return made


def kept(entry: Any, signature: tuple[Any, ...], options: dict[str, Any], last: bool = False) -> Any:
    """The function from disk, or left there; None if that cannot be done, with a warning the ``last`` time."""
    made, config, place = None, numba().config, None
    try:
        place = folder()
        make_private(place)
        before, config.CACHE_DIR = config.CACHE_DIR, str(place)  # which is read when a function is decorated
        try:
            made = numba().njit(cache=True, **options)(entry)
        finally:
            config.CACHE_DIR = before
        made.compile(signature)
        tidy(place)
        return made
    except numba().NumbaError:
        raise
    except Exception as error:
        ready = made is not None and bool(made.signatures)  # and there was no room for it
        if ready or last:
            warnings.warn(
                f"compiled code cannot be kept on disk ({type(error).__name__}: {error}); every process will "
                "compile again. Set VARDE_CACHE_DIR to a folder that only you can write to.",
                stacklevel=2,
            )
        elif made is not None and place is not None:
            shutil.rmtree(place, ignore_errors=True)  # something in it is damaged
        return made if ready else None


def tidy(used: Path) -> None:
    """Remove what belongs to other versions of the package, once nobody has used it for long."""
    with contextlib.suppress(OSError):  # another process was quicker
        os.utime(used)
        for other in used.parent.iterdir():
            if time.time() - other.stat().st_mtime > UNUSED:
                shutil.rmtree(other, ignore_errors=True)
