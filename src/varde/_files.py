"""Files and folders, as the cache and the command line need them."""

from __future__ import annotations

import os
from pathlib import Path


class StoreError(ValueError):
    """A file that cannot be used, and why; what was written before is kept."""


class StoreWarning(UserWarning):
    """A file can be used, but not all that was written may be in it."""


def make_writable(folder: Path) -> None:
    """Make ``folder`` and prove that it takes files; OSError if it does not."""
    folder.mkdir(parents=True, exist_ok=True)
    probe = folder / f".writable-{os.getpid()}"
    probe.touch()
    probe.unlink()
