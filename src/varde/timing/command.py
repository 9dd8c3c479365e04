"""One run of a command, timed from just before its process is created until it has been waited for."""

from __future__ import annotations

import contextlib
import itertools
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any

from .._watch import watch
from ..selection.placeholders import PLACE, fill, variables
from ..selection.shell import SHELL, last_words

LAST = 2**16  # bytes of standard error that are read


class TimingError(RuntimeError):
    """A command cannot be timed, and why."""


class Command:
    """A command to time, its parameters filled in; ``name`` is how it is shown.  ``shell=None`` runs it without one."""

    def __init__(self, template: str, values: Mapping[str, str] | None = None, shell: str | None = SHELL):
        if "\0" in template or not template.strip():
            raise ValueError(f"the command is {template!r}: write what to run, such as 'sleep 0.1'")
        self.values, self.shell = dict(values or {}), shell
        self.environment: dict[str, str] = dict(os.environ)
        if shell is not None:
            names = list(self.values)
            self.environment |= {variable: self.values[name] for name, variable in variables(names).items()}
            self.words = [shell, "-c", fill(template, names)[0] if names else template]
        else:
            self.words = [filled(word, self.values) for word in shlex.split(template)]
        self.name: str = filled(template, self.values)

    def run(self, errors: IO[bytes]) -> tuple[float, int]:
        """Run it once; its standard error goes to ``errors``.  Returns the seconds and the exit code."""
        errors.seek(0)
        errors.truncate()
        nothing, began = subprocess.DEVNULL, time.perf_counter()
        how: dict[str, Any] = {"stdin": nothing, "stdout": nothing, "stderr": errors, "env": self.environment}
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


def filled(text: str, values: Mapping[str, str]) -> str:
    """``text`` with its places filled in, as it is shown and as it is run without a shell."""
    return PLACE.sub(lambda place: values.get(place.group(1) or "", place.group()), text) if values else text


def combinations(template: str, lists: Sequence[tuple[str, str]], shell: str | None = SHELL) -> list[Command]:
    """The command with every combination of values of the parameters that it has; ``lists`` has ("n", "1,2,4")."""
    names = [name for name, _ in lists]
    for name, given in lists:
        if not name.isidentifier() or names.count(name) > 1 or not all(given.split(",")):
            raise ValueError(f"the parameter is {name}={given}: write each once, with its values, as in -L n=1,2,4")
    places = {match.group(1) for match in PLACE.finditer(template)}
    used = {name: given.split(",") for name, given in lists if name in places}
    return [Command(template, dict(zip(used, each, strict=True)), shell) for each in itertools.product(*used.values())]
