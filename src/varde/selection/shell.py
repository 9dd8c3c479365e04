"""An option evaluated by a shell command that prints a number.

``{option}``, ``{seed}`` and the columns of an options file are filled in, quoted for the shell.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from .select import EvaluationError

GRACE = 2.0  # seconds between asking a command to end and ending it
PLACE = re.compile(r"\{\{|\}\}|\{([A-Za-z_]\w*)\}")


class CommandError(EvaluationError):
    """A command that did not print a number, and why."""


class Command:
    """``template`` with its places filled in, run by the shell; the number is in the last line of its output.

    >>> Command("echo {option}", ["option"])("3.5", seed=1)
    3.5

    ``pattern`` finds the number elsewhere: the group of its last match.  A command that takes longer than ``timeout``
    seconds is ended, with everything it started.  The values are also in the environment, as ``VARDE_OPTION``,
    ``VARDE_SEED`` and so on, for commands whose quoting is a matter of their own.
    """

    def __init__(
        self,
        template: str,
        columns: list[str],
        *,
        pattern: str | None = None,
        timeout: float | None = None,
    ):
        if timeout is not None and not timeout > 0.0:
            raise ValueError(f"timeout is {timeout:g}: write seconds, more than 0, or leave it out")
        self.template, self.timeout, self.pattern = template, timeout, compiled(pattern)
        self.parts = list(cut(template, [*columns, "seed"]))
        self.running: set[subprocess.Popen[str]] = set()
        self.lock, self.stopped = threading.Lock(), False
        if not {name for _, name in self.parts} & set(columns):
            raise ValueError(
                f"the command {template!r} is the same for every option: write {{{columns[0]}}} where the option goes"
            )

    def line(self, values: Mapping[str, Any]) -> str:
        """The command for the shell."""
        return "".join(text + (shlex.quote(str(values[name])) if name else "") for text, name in self.parts)

    def __call__(self, option: str | Mapping[str, Any], seed: int) -> float:
        values = {**(option if isinstance(option, Mapping) else {"option": option}), "seed": seed}
        surroundings = {f"VARDE_{name.upper()}": str(value) for name, value in values.items()}
        output, errors, code = self.run(self.line(values), {**os.environ, **surroundings})
        if code != 0:
            ended = f"ended with code {code}" if code > 0 else f"was ended by {signal.Signals(-code).name}"
            raise CommandError(f"the command {ended}{last_words(errors)}")
        return self.number(output, errors)

    def run(self, line: str, surroundings: dict[str, str]) -> tuple[str, str, int]:
        with self.lock:
            if self.stopped:
                raise CommandError("stopped before it began")
            process = subprocess.Popen(
                line,
                shell=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                env=surroundings,
                start_new_session=True,  # so that whatever it starts can be ended with it
            )
            self.running.add(process)
        try:
            output, errors = process.communicate(timeout=self.timeout)
        except subprocess.TimeoutExpired:
            end([process])
            with contextlib.suppress(subprocess.TimeoutExpired):  # something that left the group holds the pipes
                process.communicate(timeout=GRACE)
            raise CommandError(f"the command took longer than {self.timeout:g} s") from None
        finally:
            self.running.discard(process)
        return output, errors, process.returncode

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
            raise CommandError(f"no number: {missing}{last_words(errors)}")
        try:
            value = float(text)
        except ValueError:
            raise CommandError(f"no number: {where} gives {shortened(text)!r}{last_words(errors)}") from None
        if not math.isfinite(value):
            raise CommandError(f"{where} gives {value}, which is not a finite number")
        return value

    def stop(self) -> None:
        """End every command at work, and begin no other."""
        with self.lock:
            self.stopped = True
            running = list(self.running)
        end(running)


def compiled(pattern: str | None) -> re.Pattern[str] | None:
    if pattern is None:
        return None
    try:
        found = re.compile(pattern, re.MULTILINE)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression ({error}): write one, such as 'loss: (.*)'") from None
    if found.groups < 1:
        raise ValueError(f"the pattern {pattern!r} has no group: write ( and ) around the number, as in 'loss: (.*)'")
    return found


def cut(template: str, names: list[str]) -> Iterator[tuple[str, str]]:
    """(text, name of the place after it), the last name being ''."""
    text, at = "", 0
    for match in PLACE.finditer(template):
        text += template[at : match.start()]
        at, name = match.end(), match.group(1)
        if name is None:
            text += match.group()[0]  # {{ and }} stand for braces
        elif name in names:
            mark = open_quote(template[: match.start()])
            if mark:
                raise ValueError(
                    f"{{{name}}} stands inside {mark} quotes in {template!r}: it is quoted already, take the quotes "
                    f"away (or use the environment variable VARDE_{name.upper()})"
                )
            yield text, name
            text = ""
        elif open_quote(template[: match.start()]) == "'":
            text += match.group()  # such as awk '{print}'
        else:
            raise ValueError(
                f"there is no {{{name}}} to fill in: write one of {', '.join(f'{{{n}}}' for n in names)}, "
                f"or {{{{{name}}}}} for {{{name}}} itself"
            )
    yield text + template[at:], ""


def open_quote(text: str) -> str:
    """The kind of quotes that the shell has open at the end of ``text``, or ''."""
    mark, escaped = "", False
    for letter in text:
        if escaped:
            escaped = False
        elif letter == "\\" and mark != "'":
            escaped = True
        elif letter == mark:
            mark = ""
        elif not mark and letter in "'\"":
            mark = letter
    return mark


def end(processes: list[subprocess.Popen[str]]) -> None:
    """Ask the commands and all they started to end; end those that have not after a moment."""
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
