"""Whoever wants it to end gets that at once, with what is known; nothing stays behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from .isolated import PATHS, isolated

# Signals are ignored from the start where a script runs something in the background.
VARDE = """
import signal, sys
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    usual = signal.default_int_handler if each is signal.SIGINT else signal.SIG_DFL
    signal.signal(each, signal.SIG_IGN if each.name in sys.argv[1] else usual)
del sys.argv[1]
from varde.cli import main
main()
"""


def begin(code, *arguments):
    """Python in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": PATHS},
        start_new_session=True,
    )


def waiting(path, seconds=60.0):
    """What somebody writes to ``path``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_text().endswith("\n"):
            return path.read_text()
        time.sleep(0.02)
    raise AssertionError(f"nothing was written to {path}")


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def ends(pids, seconds=10.0):
    end = time.monotonic() + seconds
    while any(map(is_alive, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(is_alive, pids))


# -- Ctrl-C ----------------------------------------------------------------------------------------


def test_ctrl_c_ends_hours_of_work_with_what_is_known():
    """In one process, which is fit for work again each time."""
    known = {
        "bandits.measure, many runs": "interrupted",
        "learning.measure": "nothing known",
        "plan": "interrupted",
        "learn": "interrupted",
        "select": "interrupted",
    }
    ended = isolated("import tests.attack.ctrl_c", *known, timeout=300.0)  # it may compile
    assert ended.code == 0 and ended.out.splitlines() == [f"{work}: {end}" for work, end in known.items()], ended


# -- varde run -----------------------------------------------------------------------------------


def run_command(tmp_path, *further, hard=False, ignoring=""):
    """A varde run whose command hangs with a process of its own; their pids."""
    mark = tmp_path / "pids"
    stubborn = "trap '' TERM INT HUP; " if hard else ""
    slow = f"{stubborn}test -e {mark} && echo 1 || (sleep 300 & echo $$ $! >{mark}; wait; sleep 300) # {{option}}"
    process = begin(VARDE, ignoring, "run", slow, "--options", "a,b", "--budget", "60", *further)
    return process, [int(pid) for pid in waiting(mark).split()]


@pytest.mark.parametrize(("workers", "ignoring"), [("1", ""), ("2", "SIGINT")])
def test_sigterm_ends_a_run_and_its_commands(tmp_path, ignoring, workers):
    process, pids = run_command(tmp_path, "-j", workers, ignoring=ignoring)
    process.terminate()
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130 and "varde: stopped" in err, (out, err)
    assert ends(pids)


def test_what_is_ignored_stays_ignored(tmp_path):
    process, pids = run_command(tmp_path, "-j", "2", "--seconds", "4", ignoring="SIGINT SIGHUP")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGHUP)
    _, err = process.communicate(timeout=30)
    assert process.returncode in (0, 1, 3) and "stopped" not in err
    assert ends(pids)


@pytest.mark.parametrize(("how", "hard"), [(signal.SIGHUP, False), (signal.SIGKILL, False), (signal.SIGKILL, True)])
def test_however_a_run_dies_its_commands_die_with_it(tmp_path, how, hard):
    process, pids = run_command(tmp_path, "-j", "2", "--store", str(tmp_path / "s.db"), hard=hard)
    os.killpg(process.pid, how)
    process.communicate(timeout=30)
    assert ends(pids)
    assert how != signal.SIGHUP or process.returncode == 130


def test_a_watcher_leaves_alone_what_has_ended(tmp_path):
    from varde._watch import Watch

    watch = Watch()
    first, second = (subprocess.Popen(["sleep", "300"], start_new_session=True) for _ in range(2))
    for process in (first, second):
        watch.over(process.pid)
    watch.done(first.pid)
    watch.close()
    assert second.wait(5) == -signal.SIGTERM and is_alive(first.pid)
    first.kill()
    first.wait()
