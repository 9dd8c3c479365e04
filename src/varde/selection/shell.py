"""An option evaluated by a shell command that prints a number.

``{option}``, ``{seed}``, ``{item}`` and the columns of their files are filled in through the environment: no value is
ever part of the text that the shell reads.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .._pool import TICK
from .._watch import watch
from .failures import EvaluationError
from .goals.text import read_numbers
from .placeholders import INTEGER, fill, variables

GRACE = 2.0  # seconds between SIGTERM and SIGKILL
SHELL = "/bin/sh"
NO_COMMAND = (126, 127)  # codes of a shell that found nothing to run
# Waits until the watcher knows the process; then it has no input.
BEGIN = 'read -r go && exec "$0" -c "$1" </dev/null'


class CommandError(EvaluationError):
    """A command did not print a number, and why."""


class WrongCommandError(CommandError, ValueError):
    """There is no such command, or it ended well and printed something else: nothing to wait for."""


class Command:
    """A shell command, ``template`` with its placeholders filled in; the last line of its output is a number.

    >>> Command("echo {option}", ["option"])("3.5", seed=1)
    3.5

    ``pattern`` finds the number elsewhere: the group of its last match.  ``numbers``, several by name, are read from a
    JSON object in the last line or from lines such as ``latency=140``.  A command that takes longer than ``timeout``
    seconds is killed, with everything it started; so is every command when this process ends, however it ends.  The
    values are in the environment, as ``VARDE_OPTION``, ``VARDE_SEED`` and so on.  ``items`` are the columns of an item
    of a fixed test set, if there is one.
    """

    def __init__(
        self,
        template: str,
        columns: Sequence[str],
        *,
        items: Sequence[str] = (),
        pattern: str | None = None,
        timeout: float | None = None,
        numbers: Sequence[str] = (),
    ):
        if os.name != "posix":
            raise ValueError("commands need a POSIX shell: use varde.select with a function that runs yours")
        if timeout is not None and not timeout > 0.0:
            raise ValueError(f"timeout is {timeout:g}: write seconds, more than 0, or leave it out")
        if "\0" in template:
            raise ValueError(
                f"the command {template!r} contains a null character, which no shell accepts: leave it out"
            )
        twice = next((name for name in items if name in columns), None)
        if twice is not None:
            raise ValueError(f"options and items both have a column {twice!r}: write another name for one of them")
        names = [*columns, *items, *(["seed"] if "seed" not in columns else [])]
        self.template, self.timeout, self.pattern, self.several = template, timeout, compiled(pattern), list(numbers)
        if self.several and pattern is not None:
            raise ValueError("several numbers are wanted: leave --pattern out, and print them as JSON or NAME=NUMBER")
        self.line, used, self.counted = fill(template, names)
        self.variables = variables(names)
        self.running: set[subprocess.Popen[str]] = set()
        self.lock, self.stopped = threading.Lock(), False
        mentioned = {name for name in names if re.search(rf"\b{self.variables[name]}\b", template)}  # as in sh -c '...'
        for what, there in (("option", columns), ("item", items)):
            if there and not (used | mentioned) & set(there):
                raise ValueError(
                    f"the command {template!r} is the same for every {what}: write {{{there[0]}}} where the {what} goes"
                )

    def __call__(
        self, option: str | Mapping[str, Any], seed: int, item: str | Mapping[str, Any] | None = None
    ) -> float | dict[str, Any]:
        values = {**as_columns("option", option), **({} if item is None else as_columns("item", item)), "seed": seed}
        output, errors, code = self.run(self.surroundings(values))
        if code != 0:
            ended = f"ended with code {code}" if code > 0 else f"was killed by {signal.Signals(-code).name}"
            command = re.match(r"\s*{\w+}", self.template) if code in NO_COMMAND else None
            hint = f"; if options are whole commands, write sh -c {command[0].strip()}" if command else ""
            kind = WrongCommandError if code in NO_COMMAND else CommandError
            raise kind(f"the command {ended}{last_words(errors)}{hint}")
        return self.numbers(output, errors) if self.several else self.number(output, errors)

    def surroundings(self, values: Mapping[str, Any]) -> dict[str, str]:
        """The environment of the command, with the values in it."""
        found = dict(os.environ)
        for name, variable in self.variables.items():
            if name not in values:
                raise CommandError(f"the option has no {name}")
            text = str(values[name])
            if "\0" in text:
                raise CommandError(f"{name} is {shortened(text)!r}: no command accepts a null character")
            if name in self.counted and not INTEGER.fullmatch(text):  # bash would run a[$(...)]
                raise CommandError(
                    f"{name} is {shortened(text)!r}, but is used in shell arithmetic: it must be an integer"
                )
            found[variable] = text
        return found

    def run(self, surroundings: dict[str, str]) -> tuple[str, str, int]:
        with self.lock:
            if self.stopped:
                raise CommandError("stopped before it began")
            try:
                process = subprocess.Popen(
                    [SHELL, "-c", BEGIN, SHELL, self.line],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    env=surroundings,
                    start_new_session=True,  # so that whatever it starts can be ended with it
                )
            except (OSError, ValueError) as error:  # too long for this system, or no text
                raise CommandError(f"the command cannot be run with these values: {error}") from None
            self.running.add(process)
            watch.over(process.pid)
        try:
            output, errors = outcome(process, self.timeout)
        except subprocess.TimeoutExpired:
            end([process])
            with contextlib.suppress(subprocess.TimeoutExpired):  # a process that left the group holds the pipes
                process.communicate(timeout=GRACE)
            raise CommandError(f"the command took longer than {self.timeout:g} s") from None
        except KeyboardInterrupt:
            end([process])
            raise
        finally:
            watch.done(process.pid)
            self.running.discard(process)
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        return output, errors, process.returncode

    def numbers(self, output: str, errors: str) -> dict[str, Any]:
        """The numbers by name that the command printed."""
        found = read_numbers(output)
        if found is None:
            wanted = ", ".join(self.several)
            how = f"print {wanted} as JSON in the last line, or as NAME=NUMBER"
            raise WrongCommandError(f"no numbers: {how}{last_words(errors)}")
        return found

    def number(self, output: str, errors: str) -> float:
        """The number that the command printed."""
        if self.pattern is not None:
            found = [match.group(1) for match in self.pattern.finditer(output)]
            text, where = (found[-1] if found else None), f"the pattern {self.pattern.pattern!r}"
        else:
            lines = [line for line in output.splitlines() if line.strip()]
            text, where = (lines[-1].strip() if lines else None), "the last line"
        if text is None:
            missing = "the pattern matches nothing it printed" if self.pattern is not None else "it printed nothing"
            raise WrongCommandError(f"no number: {missing}{last_words(errors)}")
        try:
            value = float(text)
        except ValueError:
            how = "" if self.pattern is not None else "; print the number alone in it, or write --pattern '...(...)'"
            raise WrongCommandError(f"no number: {where} gives {shortened(text)!r}{how}{last_words(errors)}") from None
        if not math.isfinite(value):
            raise CommandError(f"{where} gives {value}, which is not a finite number")
        return value

    def stop(self) -> None:
        """End every running command, and start no other."""
        with self.lock:
            self.stopped = True
            running = list(self.running)
        end(running)


def as_columns(what: str, given: Any) -> Mapping[str, Any]:
    """The columns of an option or item; a plain name has a single one."""
    return given if isinstance(given, Mapping) else {what: given}


def compiled(pattern: str | None) -> re.Pattern[str] | None:
    if pattern is None:
        return None
    try:
        found = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise ValueError(
            f"{pattern!r} is not a regular expression ({error}): write one, such as 'loss: (.*)'"
        ) from None
    if found.groups < 1:
        raise ValueError(f"the pattern {pattern!r} has no group: write ( and ) around the number, as in 'loss: (.*)'")
    return found


def outcome(process: subprocess.Popen[str], timeout: float | None) -> tuple[str, str]:
    """Let a command go, and wait for its output; in ticks, or a Ctrl-C might be overlooked (see ``first_done``)."""
    end, go = time.monotonic() + (math.inf if timeout is None else timeout), "\n"
    while True:
        left = end - time.monotonic()
        try:
            return process.communicate(go, timeout=min(max(left, 0.0), TICK))
        except subprocess.TimeoutExpired:
            if left <= TICK:
                raise
        go = ""


def end(processes: list[subprocess.Popen[str]]) -> None:
    """Ask the commands and everything they started to end; kill those still running after a moment."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        for process in processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, how)
        for process in processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(GRACE)


def last_words(errors: str) -> str:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return f": {shortened(lines[-1])}" if lines else ""


def shortened(text: str, width: int = 200) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
