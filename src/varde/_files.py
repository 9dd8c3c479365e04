"""Files and folders, as the cache, the stores and the command line need them."""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).parent


class StoreError(ValueError):
    """A file or database cannot be used; the message says why.  What was written before is kept."""


class StoreWarning(UserWarning):
    """A file can be used, but some of what was written may be missing."""


def make_writable(folder: Path) -> None:
    """Make ``folder`` and check that files can be written to it; OSError if not."""
    if not folder.exists():
        make_private(folder)
    probe = folder / f".writable-{os.getpid()}"
    probe.touch()
    probe.unlink()


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that there are not, for this user only."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


@functools.cache
def package_digest() -> str:
    """Of the text of this package: what other code has made may mean something else."""
    files = sorted((path.relative_to(ROOT).as_posix(), path) for path in ROOT.rglob("*.py"))
    texts = " ".join(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for name, path in files)
    return hashlib.sha256(texts.encode()).hexdigest()
