"""Tracebacks of errors in the user's own code, from the user's own lines on."""

from __future__ import annotations

import os
import sys
import traceback
from concurrent import futures
from pathlib import Path

OURS = tuple(f"{folder}{os.sep}" for folder in (Path(__file__).parents[1], Path(futures.__file__).parent))
DASK = f"{os.sep}site-packages{os.sep}distributed{os.sep}"


def show_own(error: BaseException) -> bool:
    """Print the traceback to stderr, without frames of this package and of those that ran it; returns if any was left.

    The caller says what went wrong; where it did not go wrong in the user's lines, that is all.
    """
    if error.__cause__ is not None and show_own(error.__cause__):
        print("\nThe above exception was the direct cause of the following exception:\n", file=sys.stderr)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    lines = traceback.format_list(frames) or remote(error)
    if lines:
        head = "Traceback (most recent call last):\n"
        print("".join([head, *lines, *traceback.format_exception_only(error)]), end="", file=sys.stderr)
    return bool(lines)


def is_own(file: str) -> bool:
    """Not a file of this package or of a pool, nor what imports, nor what dataclasses write."""
    return not file.startswith((*OURS, "<frozen ")) and DASK not in file and file != "<string>"


def remote(error: BaseException) -> list[str]:
    """The same for an exception in another process, which comes as text without frames."""
    lines: list[str] = []
    keep = False
    for line in str(error.__cause__ or "").splitlines(keepends=True):
        if line.startswith('  File "'):
            keep = is_own(line.split('"')[1])
        elif not line.startswith("    "):
            keep = False
        lines += [line] if keep else []
    return lines
