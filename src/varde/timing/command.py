"""One run of a command, timed from just before its process is created until it has been waited for."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import time
from typing import IO, Any

from .._watch import watch
from ..selection.shell import SHELL, last_words

LAST = 2**16  # bytes of standard error that are read


class TimingError(RuntimeError):
    """A command cannot be timed, and why."""


class Command:
    """A command to time; without ``shell`` its words are run as they are."""

    def __init__(self, text: str, shell: bool = True):
        if "\0" in text or not text.strip():
            raise ValueError(f"the command is {text!r}: write what to run, such as 'sleep 0.1'")
        self.name, self.shell = text, shell
        try:
            self.words = [SHELL, "-c", text] if shell else shlex.split(text)
        except ValueError as error:
            raise ValueError(f"the command is {text!r} ({error}): close the quotation, or leave -N out") from None

    def run(self, errors: IO[bytes]) -> tuple[float, int]:
        """Run it once; its standard error goes to ``errors``.  Returns the seconds and the exit code."""
        errors.seek(0)
        errors.truncate()
        nothing, began = subprocess.DEVNULL, time.perf_counter()
        how: dict[str, Any] = {"stdin": nothing, "stdout": nothing, "stderr": errors}
        try:
            # A group of its own, so that whatever it starts can be ended with it.
            process = subprocess.Popen(self.words, **how, start_new_session=True)
        except OSError as error:
            words = f"there is no program {self.words[0]!r} ({error.strerror})"
            raise TimingError(f"{words}: write one that can be run, or a path to it") from None
        watch.over(process.pid)
        try:
            code = process.wait()
            return time.perf_counter() - began, code
        finally:  # what it left behind would slow down the others
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            watch.done(process.pid)


def last_line(errors: IO[bytes]) -> str:
    errors.seek(max(errors.seek(0, os.SEEK_END) - LAST, 0))
    return last_words(errors.read().decode(errors="replace"))
