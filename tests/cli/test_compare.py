"""``varde compare`` as a user meets it."""

import json

import pytest
from typer.testing import CliRunner

from varde.cli import app

from ..studies.results import put_docs


def varde(*args):
    """In this process: what the entry point does is tested with ``varde reproduce``."""
    return CliRunner().invoke(app, list(map(str, args)))


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ([".", "."], "there are no results in ."),
        (["a", "b"], "there is no a"),
        (["a"], "Missing argument"),
        ([".", ".", "--top", "-1"], "Invalid value for '--top'"),
    ],
)
def test_bad_input_exits_with_two(tmp_path, args, words, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = varde("compare", *args)
    assert done.exit_code == 2 and words in done.stderr


def test_compare_tells_in_words_and_by_its_exit_code(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    a.mkdir()
    b.mkdir()
    put_docs(a, "table-1")
    put_docs(b, "table-1")
    done = varde("compare", a, b)
    assert done.exit_code == 0 and "56 numbers are identical." in done.stdout
    data = json.loads((b / "table-1.json").read_text())
    data["seed"] = 1
    for row in data["rows"]:
        row["value"] += 0.1 * row["stderr"]
    (b / "table-1.json").write_text(json.dumps(data))
    done = varde("compare", a, b)
    said = " ".join(done.stdout.split())
    assert done.exit_code == 0 and "56 numbers compared across different random numbers: none changed" in said
    assert "Changes of 1.1 to 2 would have been seen with 80 %" in said
    data["rows"][5]["value"] += 9.0
    (b / "table-1.json").write_text(json.dumps(data))
    done = varde("compare", a, b, "--top", 1)
    assert done.exit_code == 1 and "UCBE 2" in done.stdout and "changed" in done.stdout
    done = varde("compare", a, b, "--json")
    said = json.loads(done.stdout)
    assert done.exit_code == 1 and said["changed"] and said["rows"][0]["algorithm"] == "UCBE 2"
    assert said["rows"][0]["word"] == "changed" and len(said["rows"]) == 56


def test_files_left_out_are_named(tmp_path):
    a, b = tmp_path / "a", tmp_path / "b"
    for folder in (a, b):
        folder.mkdir()
        put_docs(folder, "table-1")
    (b / "other.json").write_text("[]")
    (b / "broken.json").write_text("{")
    said = " ".join(varde("compare", a, b).stdout.split())
    assert "Left out of B: broken.json: not JSON, or damaged; other.json: not a results file" in said
    assert "Left out of A" not in said
