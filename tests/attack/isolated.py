"""A snippet in an interpreter of its own: it may crash, hang or end as it likes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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
