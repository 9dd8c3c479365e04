"""The command line as a user meets it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from varde.cli import app
from varde.paper.table_1 import POINTS

from ..studies.results import numbers_in

VARDE = [sys.executable, "-c", "from varde.cli import main; main()"]


def varde(*args, cwd=None):
    return subprocess.run([*VARDE, *map(str, args)], capture_output=True, text=True, check=False, cwd=cwd)


def test_list_names_every_study():
    done = varde("list")
    assert done.returncode == 0
    for name in (
        "table-1",
        "decision-functions",
        "ablation",
        "sensitivity",
        "approximation",
        "bai",
        "all",
    ):
        assert name in done.stdout


@pytest.fixture(scope="module")
def table_1(tmp_path_factory):
    """Table 1 with 50 runs: what was said, and the file."""
    folder = tmp_path_factory.mktemp("table-1")
    done = varde("reproduce", "table-1", "--runs", 50, "--out", folder)
    assert done.returncode == 0, done.stderr
    return done, folder / "table-1.json"


def test_reproduce_writes_and_prints(table_1, tmp_path):
    done, file = table_1
    assert "VarDE 0.05" in done.stdout and "12.87" in done.stdout and "warm start" in done.stdout
    data = json.loads(file.read_text())
    assert len(data["rows"]) == 56 * POINTS and data["rows"][0]["runs"] == 50
    assert sum(row["published"] is not None for row in data["rows"]) == 56
    assert file.with_suffix(".png").stat().st_size > 20_000
    again = varde("reproduce", "table-1", "--runs", 50, "--workers", 1, "--out", tmp_path)
    assert again.returncode == 0
    assert numbers_in(tmp_path / "table-1.json") == numbers_in(file)


def test_auto_joins_table_1_and_changes_no_other_row(table_1, tmp_path):
    done = varde("reproduce", "table-1", "--with-auto", "--runs", 50, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "VarDE auto is not of the paper" in " ".join(done.stdout.split())
    rows = json.loads((tmp_path / "table-1.json").read_text())["rows"]
    assert [row["algorithm"] for row in rows[-4 * POINTS :]] == 4 * POINTS * ["VarDE auto"]
    assert json.loads(table_1[1].read_text())["rows"] == rows[: -4 * POINTS]


def test_fair_says_what_changes(tmp_path):
    done = varde("reproduce", "table-1", "--fair", "--runs", 200, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "table-1-fair.json").exists()
    assert "TTTS" in done.stdout and "no change of Table 1 by fair terms" in done.stdout  # of so few runs


def test_figures(tmp_path):
    name = "decision-functions"
    done = varde("reproduce", name, "--runs", 20, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    made = {f"{name}.{ending}" for ending in ("json", "png", "svg")} | {f"report.{e}" for e in ("html", "md", "csv")}
    assert {p.name for p in tmp_path.iterdir()} == {"blocks.db", *made}
    assert " s of computing" in (tmp_path / "report.md").read_text() and "report.html" in done.stdout
    assert (tmp_path / f"{name}.png").stat().st_size > 20_000


def test_tree_search_with_and_without_transpositions(tmp_path):
    for flag, problem in (("--graph", "FrozenLake, graph"), ("--tree", "FrozenLake")):
        done = varde("reproduce", "frozen-lake", flag, "--runs", 1, "--out", tmp_path / flag)
        assert done.returncode == 0, done.stderr
        rows = json.loads((tmp_path / flag / "frozen-lake.json").read_text())["rows"]
        assert {row["problem"] for row in rows} == {problem}
        assert "highest value throughout" in done.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["reproduce", "tabel-1"], "did you mean table-1?"),
        (["reproduce", "xyz"], "write one of stylized, table-1"),
        (["reproduce", "table-1", "--runs", "0"], "--runs is 0: write 1 or more"),
        (["reproduce", "table-1", "--workers", "-2"], "--workers is -2: write 1 or more"),
        (["reproduce", "table-1", "--processes", "--cluster", "local"], "exclude each other"),
        (["reproduce", "table-1", "--workers", "2", "--cluster", "tcp://x:1"], "has workers of its own"),
        (["reproduce", "table-1", "--runs", "10", "--quick"], "write one of the two"),
        (["reproduce", "mine.py"], "cannot read"),
        (["reproduce", "table-1", "--out", "/proc/nowhere"], "cannot write to /proc/nowhere"),
        (["reproduce", "ablation", "--fair"], "--fair is about Table 1"),
        (["reproduce", "ablation", "--with-auto"], "--with-auto is about Table 1"),
        (["reproduce", "table-1", "--runs", "many"], "--runs"),
        (["reproduce", "table-1", "--graph"], "--graph and --tree are about tree search, not table-1"),
        (["reproduce"], "Missing argument"),
    ],
)
def test_bad_input_exits_with_two(tmp_path, args, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 2 and words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_bad_input_exits_with_two_in_a_shell_as_well(tmp_path):
    done = varde("reproduce", "tabel-1", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "") and "did you mean table-1?" in done.stderr


def test_interruption_keeps_what_was_finished(tmp_path):
    process = subprocess.Popen(
        [*VARDE, "reproduce", "ablation", "table-1", "--runs", "12000", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    first = Path(tmp_path / "ablation.json")
    for _ in range(1200):
        if first.exists():
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130 and "studies finished: ablation" in said and "same command again" in said
    assert json.loads(first.read_text())["study"] == "ablation"
    assert {p.name for p in tmp_path.iterdir()} == {"ablation.json", "blocks.db"}


def test_quick_and_then_more(tmp_path):
    """Machine-readable: one line for each study, and nothing else."""
    lines = []
    for how in (["--quick"], ["--runs", 2500]):
        done = varde("reproduce", "ablation", *how, "--json", "--out", tmp_path)
        assert done.returncode == 0, done.stderr
        lines.append(json.loads(done.stdout))
    assert [line["runs"] for line in lines] == [2000, 2500] and lines[0]["written"] == ["ablation.json"]
    assert lines[0]["reused"] == 0 and lines[0]["blocks"] == lines[1]["reused"] == 16 and lines[1]["blocks"] == 20
    assert sum(lines[1]["verdicts"].values()) == 12 and "VarDE is better" in lines[1]["findings"][0]
    data = json.loads((tmp_path / "ablation.json").read_text())
    assert list(data) == ["study", "seed", "version", "about", "rows", "made"]
