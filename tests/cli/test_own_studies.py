"""Studies of one's own on the command line: what a measure does wrong is said in its author's own lines."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from varde.cli import app

from .test_reproduce import VARDE

HEAD = "import numpy as np\nfrom varde.studies import Cell, Study\n\n\n"
TAIL = "study = Study('mine', 'Mine', [Cell('[p]', '[/4]', '', (1,), measure)], 10, block=5{more})\n"


def write(folder, body, more=""):
    (folder / "mine.py").write_text(f"{HEAD}def measure(key, first, runs):\n    {body}\n\n\n{TAIL.format(more=more)}")
    return ["reproduce", "mine.py", "--out", "[/out]"]


@pytest.fixture
def reproduce(tmp_path, monkeypatch):
    """In this process, which the command must not end at once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("varde.cli.reproduce.leave", sys.exit)
    return lambda *study: CliRunner().invoke(app, [*write(tmp_path, *study), "--workers", "1"])


def in_a_shell(folder, command, **environ):
    environ = {**os.environ, **environ}
    return subprocess.run([*VARDE, *command], capture_output=True, text=True, check=False, cwd=folder, env=environ)


@pytest.mark.parametrize("flags", [(), ("--processes", "--workers", "1")])
def test_an_exception_shows_the_authors_lines_and_nothing_of_ours(tmp_path, flags):
    done = in_a_shell(tmp_path, [*write(tmp_path, "return [1.0][runs]"), *flags])
    assert done.returncode == 1 and 'mine.py", line 6, in measure' in done.stderr and "IndexError" in done.stderr
    assert "measuring.py" not in done.stderr and "running.py" not in done.stderr and "concurrent" not in done.stderr
    assert "joblib" not in done.stderr


def test_percent_refuses_what_is_neither_0_nor_1(reproduce):
    done = reproduce("return np.full((runs, 1), 55.0)", ", percent=True")
    assert done.exit_code == 1 and "measure returns 55, and the study says percent=True: return 0 or 1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_measure_that_is_not_deterministic_is_noticed(reproduce):
    done = reproduce("return np.random.random((runs, 1))")
    assert done.exit_code == 1 and "measure gives different numbers when called again: run 0 gave 0." in done.stderr


def test_a_measure_that_draws_from_its_key_alone_is_noticed(reproduce):
    done = reproduce("return np.random.default_rng(int(key.sum()) % 2**32).random((runs, 1))")
    assert done.exit_code == 1 and "measure gives run 2 other numbers when it begins at run 2 instead" in done.stderr


def test_every_kind_of_measure_is_tried(reproduce):
    more = "])\nstudy.cells.append(Cell('p', 'b', '', (1,), lambda k, f, r: np.random.random((r, 1)))"
    done = reproduce("return np.ones((runs, 1))", f", notes=[{more}")
    assert done.exit_code == 1 and "b on p, runs 0 to 4: ValueError: measure gives different" in done.stderr


def test_values_outside_the_span_are_refused_at_once(reproduce):
    done = reproduce("return np.full((runs, 1), 2.0)", ", span=(0, 1)")
    assert done.exit_code == 1 and "measure returns 2, and the study says span=(0, 1)" in done.stderr
    assert done.stderr.count("measure returns") == 1 and "Traceback" not in done.stderr


def test_brackets_and_a_terminal_without_signs(tmp_path):
    command = write(
        tmp_path,
        "return (np.arange(first, first + runs)[:, None] % 2).astype(float)",
        ", percent=True, published={('[p]', '[/4]', 1): 50.0}, published_runs=100, notes=['a [note] \u2014 long']",
    )
    done = in_a_shell(tmp_path, command, PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert "[/4]" in done.stdout and "50.00 50.00 ?" in done.stdout
    assert "Written to [/out]" in done.stdout and "a [note] \\u2014 long" in done.stdout


def test_a_findings_function_that_fails_loses_nothing(tmp_path, reproduce):
    done = reproduce("return np.ones((runs, 1))", ", findings=lambda rows: [rows[9]]")
    assert done.exit_code == 1 and "findings fails: IndexError" in done.stdout and "mine.py" in done.stderr
    assert (tmp_path / "[" / "out]" / "mine.json").exists() or (tmp_path / "[/out]" / "mine.json").exists()


STALE = """
from typing import NamedTuple

import numpy as np

import varde.studies
from varde.random import stream, uniform


class Study(NamedTuple):
    rate: float


(rate,) = Study(rate=0.2)


def coin(key, first, runs):
    return np.array([[uniform(stream(key, run)) < rate] for run in range(first, first + runs)])


cell = varde.studies.Cell("coin", "unfair", "", (1,), coin)
study = varde.studies.Study("mine", "Coins", [cell], 200, block=50)
"""


def test_an_edited_study_is_measured_again(tmp_path):
    """Whatever the edit looks like: here it is an argument of a class of the user's own that is called Study."""

    def measured(text):
        (tmp_path / "mine.py").write_text(text)
        args = ["reproduce", str(tmp_path / "mine.py"), "--workers", "1", "--json", "--out", str(tmp_path)]
        done = CliRunner().invoke(app, args)
        assert done.exit_code == 0, done.output
        [row] = json.loads((tmp_path / "mine.json").read_text())["rows"]
        return json.loads(done.stdout)["reused"], row["value"]

    reused, before = measured(STALE)
    assert reused == 0 and before == pytest.approx(0.2, abs=0.1)
    assert measured(STALE) == (4, before)
    reused, after = measured(STALE.replace("rate=0.2", "rate=0.9"))
    assert reused == 0 and after == pytest.approx(0.9, abs=0.1)
    assert measured(STALE) == (4, before), "an edit that is undone costs nothing"
