"""``varde report`` as a user meets it."""

import pytest
from typer.testing import CliRunner

from varde.cli import app

from ..studies.results import put_docs


def varde(*args):
    """In this process: what the entry point does is tested with ``varde reproduce``."""
    return CliRunner().invoke(app, list(map(str, args)))


def test_report_writes_three_files(tmp_path):
    put_docs(tmp_path, "table-1")
    done = varde("report", tmp_path)
    assert done.exit_code == 0, done.stderr
    assert f"Written to {tmp_path}: report.html, report.csv\n" in done.stdout  # however long the path is
    done = varde("report", tmp_path, "--out", tmp_path / "new" / "place")
    assert done.exit_code == 0
    assert (tmp_path / "new" / "place" / "report.html").read_bytes() == (tmp_path / "report.html").read_bytes()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["report", "."], "there are no results in .: write varde reproduce table-1 --out . first"),
        (["report", "nowhere.db"], "nowhere.db does not exist: write the file of a selection, or the folder"),
        (["report"], "results does not exist"),
    ],
)
def test_bad_input_exits_with_two(tmp_path, args, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = varde(*args)
    assert done.exit_code == 2 and words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_results_file_is_not_taken_for_a_selection(tmp_path):
    (tmp_path / "table-1.json").write_text("{}")
    done = varde("report", tmp_path / "table-1.json")
    assert done.exit_code == 2 and f"is a file of results: write the folder it is in, {tmp_path}" in done.stderr
