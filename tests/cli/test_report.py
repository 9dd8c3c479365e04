"""``varde report`` as a user meets it."""

import pytest

from ..studies.coins import write_coins
from ..studies.results import put_docs
from .test_reproduce import varde


def test_report_writes_three_files(tmp_path):
    put_docs(tmp_path, "table-1")
    done = varde("report", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "report.html, report.md, report.csv" in done.stdout
    done = varde("report", tmp_path, "--out", tmp_path / "new" / "place")
    assert done.returncode == 0
    assert (tmp_path / "new" / "place" / "report.html").read_bytes() == (tmp_path / "report.html").read_bytes()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["report", "."], "there are no results in .: write varde reproduce table-1 --out . first"),
        (["report", "nowhere.db"], "nowhere.db does not exist: write the file of a selection, or the folder"),
        (["report"], "results does not exist"),
    ],
)
def test_bad_input_exits_with_two(tmp_path, args, words):
    done = varde(*args, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_results_file_is_not_taken_for_a_selection(tmp_path):
    (tmp_path / "table-1.json").write_text("{}")
    done = varde("report", tmp_path / "table-1.json")
    assert done.returncode == 2 and f"is a file of results: write the folder it is in, {tmp_path}" in done.stderr


def test_all_problems_of_a_study_in_one_number(tmp_path):
    study = write_coins(tmp_path / "coins.py", cells=3, runs=20)
    assert varde("reproduce", study, "--quiet", "--out", tmp_path).returncode == 0
    done = varde("aggregate", "coins", tmp_path, "--against", "share 0")
    assert done.returncode == 0, done.stderr
    assert "above share 0" in done.stdout and "share 2" in done.stdout and "coins, 1 problem: " in done.stdout
    for args, words in ((["x", tmp_path], "there is coins"), (["coins", tmp_path / "no"], "there is no")):
        done = varde("aggregate", *args)
        assert done.returncode == 2 and words in done.stderr
    done = varde("prune", tmp_path)
    assert done.returncode == 0 and "0 blocks deleted, 12 left" in done.stdout


def test_prune_leaves_alone_what_is_not_a_store(tmp_path):
    (tmp_path / "blocks.db").write_text("a diary")
    done = varde("prune", tmp_path)
    assert done.returncode == 2 and "left unchanged" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["blocks.db"]
    assert (tmp_path / "blocks.db").read_text() == "a diary"
