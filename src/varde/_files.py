"""Files and folders, as the cache and the command line need them."""

from __future__ import annotations

import os
from pathlib import Path


class StoreError(ValueError):
    """A file or database cannot be used; the message says why.  What was written before is kept."""


class StoreWarning(UserWarning):
    """A file can be used, but some of what was written may be missing."""


def make_writable(folder: Path) -> None:
    """Make ``folder`` and check that files can be written to it; OSError if not."""
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".writable-{os.getpid()}"
    probe.touch()
    probe.unlink()
