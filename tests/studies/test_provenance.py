"""What a result was made with: in the last line of its file, the same again, and no reason for an alarm."""

import json
import shutil
import subprocess

import pytest
from typer.testing import CliRunner

from varde.cli import app
from varde.studies.provenance import commit_of, in_words, made_from, made_with

from .coins import write_coins

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *words):
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def varde(*words):
    return CliRunner().invoke(app, list(map(str, words)))


@needs_git
def test_a_commit_is_named_and_whether_the_files_differ_from_it(tmp_path):
    (tmp_path / "a.py").write_text("x = 1\n")
    assert commit_of(tmp_path, ("a.py",), ("a.py",)) == ""
    commit_of.cache_clear()
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "results.json").write_text("{}")  # none of the study's files
    found = commit_of(tmp_path, ("a.py",), ("a.py",))
    assert len(found) == 12 and commit_of(tmp_path, ("b.py",), ("b.py",)) == ""
    commit_of.cache_clear()
    (tmp_path / "a.py").write_text("x = 2\n")
    assert commit_of(tmp_path, ("a.py",), ("a.py",)) == f"{found} with changes"
    commit_of.cache_clear()


def test_two_runs_give_the_same_file_and_the_report_names_the_machine(tmp_path):
    study = write_coins(tmp_path / "coins.py", cells=2, runs=20)
    for folder in ("a", "b"):
        assert varde("reproduce", study, "--quiet", "--workers", 1, "--out", tmp_path / folder).exit_code == 0
    file = tmp_path / "b" / "coins.json"
    assert (tmp_path / "a" / "coins.json").read_bytes() == file.read_bytes()
    *numbers, last = file.read_text().splitlines()
    made = json.loads("{" + last)["made"]
    assert made == made_with() | {name: made[name] for name in ("study commit",) if name in made}
    assert {"Python", "numpy", "numba", "system", "processor", "cores"} <= made.keys()
    made |= {"Python": "9.9.9", "processor": "abacus"}
    file.write_text("\n".join([*numbers, json.dumps({"made": made})[1:]]))
    assert varde("report", tmp_path / "b").exit_code == 0
    assert "abacus" in (tmp_path / "b" / "report.html").read_text()


@pytest.mark.parametrize("given", [None, 3, [], {"Python": 3}, {"else": "x"}])
def test_whatever_else_a_file_says_is_left_out(given):
    assert made_from(given) == {}


def test_in_words():
    made = {"commit": "1a2b", "Python": "3.12", "cores": "2"}
    assert in_words("1.0", made) == "varde 1.0 (commit 1a2b), Python 3.12, 2 cores"
    assert in_words("1.0", {}) == "varde 1.0"
