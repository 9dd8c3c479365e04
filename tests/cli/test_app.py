"""The command line as a whole."""

import subprocess
import sys

import varde


def said(*args):
    command = [sys.executable, "-m", "varde", *args]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_the_help_has_two_groups():
    text = said("--help")
    mine, studies = text.index("Your options"), text.index("The paper and studies")
    for command in ("run", "resume", "ask", "tell"):
        assert mine < text.index(f" {command} ") < studies
    assert all(text.index(f" {command} ") > studies for command in ("list", "reproduce", "compare"))


def test_the_version():
    assert said("--version") == f"varde {varde.__version__}\n"
