"""The command line as a user meets it."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from varde.cli import app
from varde.cli.choose import choose
from varde.paper.table_1 import POINTS

from ..studies.coins import write_coins

VARDE = [sys.executable, "-c", "from varde.cli import main; main()"]


def varde(*args, cwd=None):
    return subprocess.run([*VARDE, *map(str, args)], capture_output=True, text=True, check=False, cwd=cwd)


def test_list_names_every_study():
    done = CliRunner().invoke(app, ["list"])
    assert done.exit_code == 0
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
    assert "Figure 3" in done.stdout and "synthetic-tree" in done.stdout


def test_a_figure_is_asked_for_by_its_number():
    [(study, source)] = choose(["figure 3"])
    assert study.name == "synthetic-tree" and source is None
    assert [study.name for study, _ in choose(["Figure 2", "Table 4", "taxi"])] == [
        "sailing", "taxi", "frozen-lake", "sensitivity"
    ]  # fmt: skip


def test_table_1(tmp_path):
    args = ["reproduce", "table-1", "--runs", "2", "--workers", "1", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, args)
    assert done.exit_code == 0, done.output
    said = " ".join(done.stdout.split())
    for words in ("VarDE 0.05", "12.87", "warm start", "report.html"):
        assert words in said
    rows = json.loads((tmp_path / "table-1.json").read_text())["rows"]
    assert len(rows) == 62 * POINTS and rows[0]["runs"] == 2
    assert sum(row["published"] is not None for row in rows) == 56
    assert {p.name for p in tmp_path.iterdir()} == {"table-1.json", "blocks.db", "report.html", "report.csv"}


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
        (["reproduce", "table-1", "--runs", "many"], "--runs"),
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


def test_quick_and_then_more(tmp_path):
    """Machine-readable: one line for each study, and nothing else."""
    lines = []
    for how in (["--quick"], ["--runs", 30]):
        args = ["reproduce", write_coins(tmp_path / "coins.py"), *how, "--workers", 1, "--json", "--out", tmp_path]
        done = CliRunner().invoke(app, list(map(str, args)))
        assert done.exit_code == 0, done.output
        lines.append(json.loads(done.stdout))
    assert [line["runs"] for line in lines] == [10, 30]
    assert lines[0]["reused"] == 0 and lines[0]["blocks"] == lines[1]["reused"] == 8 and lines[1]["blocks"] == 24
    data = json.loads((tmp_path / "coins.json").read_text())
    assert list(data) == ["study", "seed", "version", "about", "rows", "made"]
