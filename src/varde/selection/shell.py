"""An option evaluated by a shell command that prints a number, or by how long the command takes.

``{option}``, ``{seed}``, ``{item}`` and the columns of their files stand for their values as quoted words; the values
are in the environment as well, for places where a quoted word does not fit: inside quotes, comments and
here-documents, in arithmetic, and in code for another program.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import selectors
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .._pool import TICK
from .._watch import watch
from ..check import decimal, shown
from .checks import shorten
from .failures import EvaluationError
from .goals.text import read_numbers

GRACE, MOMENT = 2.0, 0.05  # seconds between SIGTERM and SIGKILL, for a command and for what it leaves behind
MOST_KEPT = 2**20  # bytes of output, its end: a command may print without end
CHUNK = 2**16
NO_RESULT = ("nan", "inf", "infinity")  # what a program prints whose computation failed
SHELL = "/bin/sh"
NO_COMMAND = (126, 127)  # codes of a shell that found nothing to run
# Waits until the watcher knows the process; then it has no input.
BEGIN = 'read -r go && exec "$0" -c "$1" </dev/null'

CLOCKS = ("wall", "cpu")


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
    seconds is killed.  Whatever a command started ends with it, and every command with this process, however it ends.
    The values are in the environment, as ``VARDE_OPTION``, ``VARDE_SEED`` and so on.  ``items`` are the columns of an
    item of a fixed test set, if there is one.

    With ``clock`` the result is how many seconds the command took, "wall" or "cpu", instead of what it printed; "cpu"
    counts the processes it waited for, too.
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
        clock: str | None = None,
    ):
        if os.name != "posix":
            raise ValueError("commands need a POSIX shell: use varde.select with a function that runs yours")
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
        if clock is not None and clock not in CLOCKS:
            raise ValueError(f"--time is {clock!r}: write wall or cpu")
        if clock is not None and (numbers or pattern is not None):
            raise ValueError("--time takes the seconds for the result: leave --pattern and --goal best:NAME out")
        self.clock, self.variables = clock, variables(names)
        self.places = re.compile("|".join(re.escape(f"{{{name}}}") for name in names))
        used = {place[1:-1] for place in self.places.findall(template)}
        self.running: set[subprocess.Popen[bytes]] = set()
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
        output, errors, code, taken = self.run(self.line(values), self.surroundings(values))
        if code != 0:
            ended = f"ended with code {code}" if code > 0 else f"was killed by {signal.Signals(-code).name}"
            command = re.match(r"\s*{\w+}", self.template) if code in NO_COMMAND else None
            hint = f"; if options are whole commands, write sh -c {command[0].strip()}" if command else ""
            kind = WrongCommandError if code in NO_COMMAND else CommandError
            raise kind(f"the command {ended}{last_words(errors)}{hint}")
        if self.clock is not None:
            return taken
        return self.numbers(output, errors) if self.several else self.number(output, errors)

    def line(self, values: Mapping[str, Any]) -> str:
        """The command with its placeholders filled in."""
        return self.places.sub(lambda place: shlex.quote(str(values.get(place[0][1:-1], ""))), self.template)

    def surroundings(self, values: Mapping[str, Any]) -> dict[str, str]:
        """The environment of the command, with the values in it."""
        found = dict(os.environ)
        for name, variable in self.variables.items():
            if name not in values:
                raise CommandError(f"the option has no {name}")
            text = str(values[name])
            if "\0" in text:
                raise CommandError(f"{name} is {shown(text)}: no command accepts a null character")
            found[variable] = text
        return found

    def run(self, line: str, surroundings: dict[str, str]) -> tuple[str, str, int, float]:
        """Output, errors, exit code, and seconds by the clock."""
        with self.lock:
            if self.stopped:
                raise CommandError("stopped before it began")
            try:
                process = subprocess.Popen(
                    [SHELL, "-c", BEGIN, SHELL, line],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=surroundings,
                    start_new_session=True,  # so that whatever it starts can be ended with it
                )
            except (OSError, ValueError) as error:  # too long for this system, or no text
                raise CommandError(f"the command cannot be run with these values: {error}") from None
            self.running.add(process)
            watch.over(process.pid)
        try:
            with process:
                try:
                    began = time.perf_counter()
                    output, errors = output_of(process, self.timeout)
                    taken = time.perf_counter() - began if self.clock != "cpu" else cpu_seconds(process)
                finally:
                    end([process])  # and what it left behind
        except TimeoutError:
            raise CommandError(f"the command took longer than {self.timeout:g} s") from None
        finally:
            watch.done(process.pid)
            self.running.discard(process)
        return output, errors, process.returncode, taken

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
        value = decimal(text)
        if value is None:
            how = "; it must be a decimal number, such as -3.5 or 1e-3"
            if self.pattern is None:
                how = "; print a decimal number alone in it, such as -3.5 or 1e-3, or write --pattern '...(...)'"
            kind = CommandError if text.lower().strip("+-") in NO_RESULT else WrongCommandError
            raise kind(f"no number: {where} gives {shown(text, 200)}{how}{last_words(errors)}")
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


def output_of(process: subprocess.Popen[bytes], timeout: float | None) -> tuple[str, str]:
    """Let a command go, and wait until it ends, or nobody holds its output any more; only the end of it is kept.

    In ticks, or a Ctrl-C might be overlooked (see ``first_done``).
    """
    until = time.monotonic() + (math.inf if timeout is None else timeout)
    assert process.stdin and process.stdout and process.stderr
    ends = {process.stdout: bytearray(), process.stderr: bytearray()}
    with contextlib.suppress(OSError):  # it is gone already
        process.stdin.write(b"\n")
        process.stdin.close()
    nap = 0.001
    with selectors.DefaultSelector() as pipes:
        for pipe in ends:
            pipes.register(pipe, selectors.EVENT_READ)
        while True:
            over = has_ended(process)
            ready = pipes.select(0.0 if over else min(max(until - time.monotonic(), 0.0), TICK))
            for key, _ in ready:
                found, kept = os.read(key.fd, CHUNK), ends[key.fileobj]  # type: ignore[index]
                kept += found
                del kept[:-MOST_KEPT]
                if not found:
                    pipes.unregister(key.fileobj)
            if over and not ready:
                break
            if not over and time.monotonic() >= until:
                raise TimeoutError
            if not pipes.get_map() and not over:  # it is about to end, or goes on without its output
                time.sleep(nap)
                nap = min(2.0 * nap, TICK)
    output, errors = (end.decode(errors="replace") for end in ends.values())
    return output, errors


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Its number is not free for others until ``wait``, so that its group can be ended."""
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # another thread has ended it
        return True


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """The processor time of a command that has ended, and of what it waited for."""
    try:
        _, status, used = os.wait4(process.pid, 0)
    except ChildProcessError:
        raise CommandError("the command was ended before its time was read") from None
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


def end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Ask the commands and everything they started to end; kill what still runs after a moment.

    What a command leaves behind when it ends has less time: nobody waits for it.
    """
    groups = [process for process in processes if signal_group(process, signal.SIGTERM)]
    until = time.monotonic() + GRACE
    while any(process.poll() is None for process in processes) and time.monotonic() < until:
        time.sleep(0.005)
    if any(signal_group(process, 0) for process in groups):
        time.sleep(MOMENT)
    for process in groups:
        signal_group(process, signal.SIGKILL)


def signal_group(process: subprocess.Popen[bytes], number: int) -> bool:
    """Returns whether there was anybody."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def last_words(errors: str) -> str:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return f": {shorten(lines[-1], 200)}" if lines else ""


# -- placeholders ------------------------------------------------------------------------------------


def variables(names: Sequence[str]) -> dict[str, str]:
    """The environment variable of each name: VARDE_SIZE for size, made unique."""
    found: dict[str, str] = {}
    for number, name in enumerate(names):
        variable = f"VARDE_{name.upper()}"
        if [other.upper() for other in names].count(name.upper()) > 1:
            variable = f"VARDE_{name}"
        found[name] = variable if re.fullmatch(r"\w+", variable, re.ASCII) else f"VARDE_COLUMN_{number + 1}"
    return found
