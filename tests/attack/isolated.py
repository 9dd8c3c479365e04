"""A snippet in an interpreter of its own: it may crash, hang or end as it likes."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import NamedTuple

import varde

PATHS = f"{Path(varde.__file__).parents[1]}{os.pathsep}{Path(__file__).parents[2]}"  # the package under test, the tests
HANG = "hang"


class Ended(NamedTuple):
    """How a process ended."""

    code: int | str  # exit code, the name of a signal, or "hang"
    out: str
    err: str


def isolated(code: str, *args: object, timeout: float = 60.0, **env: str) -> Ended:
    """Run ``code`` in a fresh interpreter; with the process, whatever it started is ended after ``timeout`` seconds."""
    command = [sys.executable, "-X", "faulthandler", "-c", textwrap.dedent(code), *map(str, args)]
    environment = {**os.environ, "PYTHONPATH": PATHS, **env}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return Ended(HANG, out, err)
    code_ = process.returncode
    return Ended(signal.Signals(-code_).name if code_ < 0 else code_, out, err)


READY = """
import json, os, sys
import numba, varde, varde.testing
for line in sys.stdin:
    code, out, err = json.loads(line)
    child = os.fork()
    if child:
        print(os.waitpid(child, 0)[1], flush=True)
        continue
    for number, path in ((0, os.devnull), (1, out), (2, err)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    exec(compile(code, "<snippet>", "exec"), {"__name__": "__main__"})
    break
"""


class Ready:
    """An interpreter that has imported the package, and is forked for each snippet: that saves a second for each."""

    def __init__(self) -> None:
        command, environment = [sys.executable, "-X", "faulthandler", "-c", READY], {**os.environ, "PYTHONPATH": PATHS}
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
        )

    def run(self, code: str, timeout: float) -> Ended:
        """As ``isolated``; after one that hangs there is no other."""
        paths = [Path(self.folder.name) / name for name in ("out", "err")]
        for path in paths:
            path.write_text("")
        assert self.process.stdin is not None and self.process.stdout is not None
        print(json.dumps([textwrap.dedent(code), *map(str, paths)]), file=self.process.stdin, flush=True)
        answered = select.select([self.process.stdout], [], [], timeout)[0]
        out, err = (path.read_text() for path in paths)
        if not answered:
            return Ended(HANG, out, err)
        status = os.waitstatus_to_exitcode(int(self.process.stdout.readline()))
        return Ended(signal.Signals(-status).name if status < 0 else status, out, err)

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()
        self.folder.cleanup()
