"""varde time, as a new user meets it."""

import json
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

from varde.cli import app

VARDE = [sys.executable, "-c", "from varde.cli import main; main()"]


def varde(*arguments):
    return CliRunner().invoke(app, ["time", *map(str, arguments)])


def test_the_faster_of_two_commands_is_found():
    found = varde("sleep 0.02", "sleep 0.06")
    assert found.exit_code == 0, found.output
    assert found.stdout.startswith("sleep 0.02 is ") and "times as fast as sleep 0.06" in found.stdout


def test_a_cold_first_run_does_not_make_the_slower_command_win(tmp_path):
    cold = f"test -e {tmp_path}/warm || sleep 0.4; touch {tmp_path}/warm; sleep 0.02"
    found = varde(cold, "sleep 0.05", "-w", 0, "--json")
    told = json.loads(found.stdout)
    assert told["decision"]["fastest"] == cold
    assert any("first run took" in notice for notice in told["decision"]["notices"])


def test_a_fixed_number_of_runs_without_a_shell():
    told = json.loads(varde("true", "sleep 0.01", "-r", 12, "-N", "--json").stdout)
    assert [sum(result["counted"]) for result in told["results"]] == [12, 12]


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (["exit 3", "true"], 1, "ended with code 3"),
        (["true", "true"], 2, "comes twice"),
        (["true", "false", "--sure", "7"], 2, "--sure is 7"),
        (["true", "false", "-p", "exit 2"], 1, "--prepare ended with code 2"),
        (["nosuch", "true", "-N"], 1, "there is no program 'nosuch'"),
    ],
)
def test_what_cannot_be_timed_is_said(arguments, code, why):
    found = varde(*arguments)
    assert (found.exit_code, why in found.stderr) == (code, True), found.output


def test_ctrl_c_says_what_is_known_and_ends_the_command(tmp_path):
    log = tmp_path / "runs"
    commands = [f"echo x >>{log}; sleep 0.02{n}" for n in (1, 2)]
    work = subprocess.Popen([*VARDE, "time", *commands, "-r", "10000"], stdout=subprocess.PIPE, text=True)
    while not log.exists() or log.read_text().count("x") < 12:  # some of them are warm-up runs
        time.sleep(0.02)
    work.send_signal(signal.SIGINT)
    said, _ = work.communicate(timeout=60)
    assert work.returncode == 130 and "times as fast" in said
