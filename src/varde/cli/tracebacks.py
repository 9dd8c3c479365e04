"""Tracebacks of errors in the user's own code, from the user's own lines on."""

from __future__ import annotations

import sys
import traceback
from concurrent import futures
from pathlib import Path

OURS = (str(Path(__file__).parents[1]), str(Path(futures.__file__).parent))


def show_own(error: BaseException) -> None:
    """Print the traceback to stderr, without frames of this package and of the process pool."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(OURS)]
    lines = traceback.format_list(frames) or remote(error)
    head = ["Traceback (most recent call last):\n"] if lines else []
    print("".join([*head, *lines, *traceback.format_exception_only(error)]), end="", file=sys.stderr)


def remote(error: BaseException) -> list[str]:
    """The same for an exception in another process, which comes as text without frames."""
    lines: list[str] = []
    keep = False
    for line in str(error.__cause__ or "").splitlines(keepends=True):
        if line.startswith('  File "'):
            keep = not line.split('"')[1].startswith(OURS)
        elif not line.startswith("    "):
            keep = False
        lines += [line] if keep else []
    return lines
