"""Other questions from the command line: --goal and --limit, and commands that print several numbers."""

import json

import pytest
from typer.testing import CliRunner

from varde.cli import app

NOISY = "echo {option}.$(( {seed} % 10 ))"
SEVERAL = "echo gain={option}.$(( {seed} % 10 )); echo load=$(( {option} * 2 )).$(( {seed} % 10 ))"
AS_JSON = 'echo "{\\"gain\\": {option}.$(( {seed} % 10 )), \\"load\\": $(( {option} * 2 ))}"'


def varde(*arguments, **more):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **more)


@pytest.mark.parametrize(
    ("goal", "begins", "chosen"),
    [
        (["--goal", "top:2"], "Take 30 and 20: after 24 evaluations", ["30", "20"]),
        (["--goal", "top:2", "--min"], "Take 10 and 20", ["10", "20"]),
        (["--goal", "top:2:min"], "Take 10 and 20", ["10", "20"]),
        (["--goal", "quantile:0.5:min"], "Take 10: after 24 evaluations its p50 is better", ["10"]),
        (["--goal", "min"], "Take 10: after 24 evaluations it is ahead", ["10"]),
    ],
)
def test_goals(goal, begins, chosen):
    arguments = ["run", NOISY, "--options", "10,20,30", "--budget", 24, *goal]
    assert varde(*arguments).stdout.startswith(begins)
    assert json.loads(varde(*arguments, "--json").stdout)["chosen"] == chosen


@pytest.mark.parametrize("command", [SEVERAL, AS_JSON], ids=["lines", "JSON"])
def test_a_command_that_prints_several_numbers(command, tmp_path):
    best = ["--goal", "best:gain", "--limit", "load <= 50"]
    asked = ["run", command, "--options", "10,20,30", *best, "--store", tmp_path / "s.db"]
    found = varde(*asked, "--budget", 24)
    assert found.stdout.startswith("Take 20: ") and " load  P(limits)" in found.stdout and found.exit_code in (0, 3)
    assert varde(*asked, "--budget", 27).stdout.startswith("Take 20: after 27")


def test_numbers_that_are_missing_are_told():
    found = varde("run", NOISY, "--options", "10,20", "--budget", 24, "--goal", "best:gain", "--limit", "load <= 50")
    assert found.exit_code == 1 and "print gain, load as JSON in the last line" in found.output


def test_several_numbers_are_told_by_hand(tmp_path):
    file = tmp_path / "s.db"
    made = varde("ask", file, "--options", "x,y", "--budget", 30, "--goal", "best:gain", "--limit", "load < 3")
    assert made.exit_code == 0 and varde("tell", file, 1, "gain=2, load=1").exit_code == 0
    assert varde("tell", file, "y", '{"gain": -1e-3, "load": 2}').exit_code == 0
    refused = varde("tell", file, "y", "3")
    assert refused.exit_code == 2 and "write several numbers by name" in refused.output
    other = varde("ask", file, "--goal", "top:1")
    assert other.exit_code == 2 and "was made with goal=Best('gain', 'max', load='<= 3')" in " ".join(
        other.output.split()
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (["--goal", "top"], "write max, min, top:5"),
        (["--goal", "top:many"], "'many' is not a number"),
        (["--goal", "top:9"], "of 2 options"),
        (["--goal", "quantile:95"], "q is 95"),
        (["--goal", "top:1", "--limit", "x < 3"], "write --goal best:NAME"),
        (["--goal", "best:x", "--limit", "y = 3"], "write a name and a limit"),
        (["--goal", "best:x", "--pattern", "(.*)"], "leave --pattern out"),
        (["--goal", "max", "--min"], "write max, min"),
    ],
)
def test_goals_that_make_no_sense_are_refused_before_anything_runs(wrong, words, tmp_path):
    found = varde("run", NOISY, "--options", "1,2", "--budget", 24, "--store", tmp_path / "s.db", *wrong)
    assert found.exit_code == 2 and words in " ".join(found.output.split()) and not (tmp_path / "s.db").exists()
