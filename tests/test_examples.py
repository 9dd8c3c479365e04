"""Every example runs, is short, and is in the table of examples."""

import runpy
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "examples"
EXAMPLES = sorted(FOLDER.glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints_an_answer(example, monkeypatch, capsys):
    if example.stem == "openspiel_game":
        pytest.importorskip("pyspiel")
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    assert capsys.readouterr().out


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_is_about(example):
    text = example.read_text()
    assert len(text.splitlines()) < 60 and text.startswith('"""')


def test_the_table_of_examples_has_them_all():
    table = (FOLDER / "README.md").read_text()
    assert not [
        path.name for path in FOLDER.iterdir() if f"({path.name})" not in table and path.suffix in (".py", ".ipynb")
    ]


def test_the_simulator_of_the_command_line_prints_one_cost(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["inventory.py", "--s", "20", "--S", "60", "--seed", "3"])
    runpy.run_path(str(FOLDER / "inventory.py"), run_name="__main__")
    assert 5.0 < float(capsys.readouterr().out) < 50.0
