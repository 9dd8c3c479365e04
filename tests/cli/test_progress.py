"""The display of progress: what it says, and where it is silent."""

import os
import re
import subprocess
import sys

import pytest

from tests.studies.coins import write_coins
from varde.show.screen import Progress

VARDE = [sys.executable, "-c", "from varde.cli import main; main()"]


def on_a_terminal(*args):
    """What is seen on stderr when it is a terminal: (exit code, stdout, text without colours)."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen([*VARDE, *map(str, args)], stdout=subprocess.PIPE, stderr=theirs, env=env)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # closed at the other end
            part = b""
        if not part:
            break
        seen += part
    os.close(ours)
    out, _ = process.communicate()
    return process.returncode, out.decode(), re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", seen.decode())


def test_on_a_terminal(tmp_path):
    one = write_coins(tmp_path / "one.py", "one", pause=0.03)
    two = write_coins(tmp_path / "two.py", "two", pause=0.03)
    args = ["reproduce", one, two, "--workers", 1, "--out", tmp_path / "results"]
    code, out, seen = on_a_terminal(*args)
    assert code == 0 and "Coins" in out and "Written to" in out
    assert re.search(r"two .* \d+/80 .*\d:\d\d", seen) and re.search(r"total .* \d+/160 .*\d:\d\d", seen)
    assert "from before" not in seen
    code, out, seen = on_a_terminal(*args, "--runs", 160)
    assert code == 0 and "80 from before" in seen


def test_silent_elsewhere_and_where_that_is_asked_for(tmp_path):
    study = write_coins(tmp_path / "one.py", pause=0.03)
    args = ["reproduce", study, "--out", tmp_path / "results", "--workers", "1"]
    ended = subprocess.run([*VARDE, *map(str, args)], capture_output=True, text=True, check=True)
    assert ended.stderr == "" and "Coins" in ended.stdout
    assert on_a_terminal(*args, "--seed", 1, "--quiet") == (0, "", "")


def test_names_in_brackets_are_no_markup(capsys):
    with Progress(soon=True, always=True) as display:
        display.tick(lambda: "3 runs, echo '[/b]' leads")
    assert "echo '[/b]' leads" in capsys.readouterr().err
