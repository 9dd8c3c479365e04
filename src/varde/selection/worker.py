"""Which process asked for a draw, and whether it still runs."""

from __future__ import annotations

import functools
import hashlib
import os
import sys

OUTSIDE = "outside"  # asked for on behalf of another process, as by ``varde ask``


@functools.cache
def machine() -> str:
    """An id of this machine and container, within which process ids are unique.

    Machines made from one image often share their name, and all Linux machines the number of the outermost container.
    """
    import socket  # here and not above: nobody who imports varde waits for it

    try:
        space = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        space = ""
    try:
        with open("/etc/machine-id", "rb") as file:
            number = hashlib.sha256(b"varde" + file.read()).hexdigest()[:8]  # the id itself is secret
    except OSError:
        number = ""
    return f"{socket.gethostname()}/{space}/{number}"


def this_process() -> str:
    """machine:pid:start, where start distinguishes processes with the same pid."""
    return process_name(os.getpid())


@functools.cache
def process_name(pid: int) -> str:
    return f"{machine()}:{pid}:{started(pid)}"


def started(pid: int) -> str:
    """When a running process of this machine began, in its clock ticks; "" where that cannot be known."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except (OSError, IndexError):
        return ""
    return "" if fields[0] in "ZX" else fields[19]  # a zombie


def is_gone(worker: str) -> bool:
    """Whether that process surely does not run any more."""
    where, _, rest = worker.partition(":")
    pid, _, began = rest.partition(":")
    if where != machine() or not pid.isdigit() or sys.platform == "win32":
        return False
    if began:
        return started(int(pid)) != began
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
