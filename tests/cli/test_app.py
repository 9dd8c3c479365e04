"""The command line as a whole."""

import os
import subprocess
import sys

from typer.testing import CliRunner

import varde
from varde.cli import app


def help_of(*command):
    return CliRunner().invoke(app, [*command, "--help"]).stdout


def said(*args, **environment):
    command = [sys.executable, "-m", "varde", *args]
    environment = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=120).stdout


def test_the_help_has_two_groups():
    text = help_of()
    mine, studies = text.index("Your options"), text.index("The paper and studies")
    for command in ("run", "judge", "ask", "tell"):
        assert mine < text.index(f" {command} ") < studies
    assert all(text.index(f" {command} ") > studies for command in ("list", "reproduce"))


def test_the_version():
    assert said("--version") == f"varde {varde.__version__}\n"


def test_a_shell_completes_commands_and_studies():
    asked = {"_VARDE_COMPLETE": "complete_bash", "COMP_CWORD": "1", "COMP_WORDS": "varde re"}
    assert sorted(said(**asked).split()) == ["report", "reproduce"]
    asked |= {"COMP_CWORD": "2", "COMP_WORDS": "varde reproduce ta"}
    assert {"table-1", "taxi"} <= set(studies := said(**asked).split()) and all(x.startswith("ta") for x in studies)


def test_help_says_what_is_done_without_an_option():
    text = help_of("run")
    assert "the last line" in text and "[default: (0)]" in text


def test_help_shows_types_that_users_know():
    """Python's own names for them say nothing: <Any> for a file or the address of a database."""
    for command in ("report", "run", "tell"):
        text = help_of(command)
        assert "Any" not in text and "FILE" in text, command
    assert "[[" not in help_of("list")
