"""Studies of one's own: what a file may hold, what is said when it does not, what another machine gets."""

import sys

import pytest
import typer

import varde
from varde.cli.choose import choose
from varde.studies import bandit_study, run
from varde.studies.study_files import OwnStudyError, Source, load, read

from .coins import write_coins


def chosen(*files):
    return choose([str(file) for file in files])


def test_a_file_is_a_study(tmp_path):
    [(study, source)] = chosen(write_coins(tmp_path / "coins.py"))
    assert study.name == "coins" and len(study.cells) == 4 and source.path == str(tmp_path / "coins.py")
    rows = run(study)
    assert [row.runs for row in rows] == 4 * [100] and rows[0].value == 0.0 < rows[3].value
    assert not list(tmp_path.rglob("*.pyc"))


@pytest.mark.parametrize(
    "ending",
    [
        "studies = [study, replace(study, name='more')]",
        "first = study\ndel study\ndef studies():\n    yield first\n    yield replace(first, name='more')",
    ],
)
def test_a_file_may_hold_several(tmp_path, ending):
    path = write_coins(tmp_path / "coins.py")
    path.write_text(f"{path.read_text()}\nfrom dataclasses import replace\n{ending}\n")
    assert [study.name for study, _ in chosen(path)] == ["coins", "more"]


OURS = "from varde.studies import Cell, Study\nfrom varde.paper import STUDIES\ncell = Cell('p', 'a', '', (1,), abs)\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1", "holds no study: write study = varde.studies.Study(...)"),
        ("study = 3", "3 is a int, not a study"),
        ("studies = []", "an empty list of studies"),
        ("def study(:", "line 1: invalid syntax"),
        ("import math\nmath.sqrt(-1)", "fails: ValueError: math domain error"),
        ("import nothing_of_this_name", "fails: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("def study():\n    return 1 / 0", "fails: ZeroDivisionError"),
        (OURS + "study = Study('a/b', '', [cell], 1)", "is called 'a/b'"),
        (OURS + "study = Study('a', '', [], 1)", "a has no cells"),
        (OURS + "study = Study('a', '', [cell], 0)", "a: runs is 0: write a whole number"),
        (OURS + "study = STUDIES['ablation']()", "calls a study 'ablation', which is one of ours"),
        (OURS + "study = Study('a', '', [cell, cell], 1)", "a has two cells for 'a' on 'p'"),
        (OURS + "studies = 2 * [Study('a', '', [cell], 1)]", "two studies called 'a'"),
        (OURS + "study = Study('a', '', ['b'], 1)", "a has 'b' as a cell"),
        (
            OURS + "study = Study('a', '', [Cell('p', 'a', '', (1,), None)], 1)",
            "a on p: measure is None: write a function measure(",
        ),
        (OURS + "study = Study('a', '', [Cell('p', 'a', '', (1,), (i for i in [1]).__next__)], 1)", "no way to tell"),
        ("\udcff", "cannot read"),
        (OURS + "study = Study('a', '', cell, 1)", "a: cells is a Cell: write a list"),
        (
            OURS + "study = Study('a', '', [Cell('p', 'a', '', (5, 1), abs)], 1)",
            "steps is (5, 1): write whole numbers in",
        ),
        (OURS + "study = Study('a', '', [Cell('p', 'a', '', 5, abs)], 1)", "steps is 5: write whole numbers in"),
        (OURS + "study = Study('a', '', [Cell(3, 'a', '', (5,), abs)], 1)", "problem of a cell is 3: write a text"),
        (
            OURS + "study = Study('a', '', [cell], 1, published={('p', 'b', 1): '1'})",
            "which is not measured: write (pro",
        ),
        (
            OURS + "study = Study('a', '', [cell], 1, published={('p', 'a', 1): '5 %'})",
            "is '5 %': write a number, or its",
        ),
        (
            OURS + "study = Study('a', '', [cell], 1, published={('p', 'a', 1): '150'}, percent=True)",
            "values are between 0 and 100 %: write it in the unit of the values, or change percent",
        ),
        (OURS + "study = Study('a', '', [cell], 1, span=(1, 0))", "span is (1, 0): write the least and the greatest"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, capsys, text, words):
    path = tmp_path / "mine.py"
    path.write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(typer.Exit) as left:
        chosen(path)
    said = capsys.readouterr().err
    assert left.value.exit_code == 2 and words in said
    assert "study_files.py" not in said and "<string>" not in said  # the way there is no concern of its author
    if "math" in text:
        assert 'mine.py", line 2' in said and "math.sqrt(-1)" in said


def test_no_file_and_a_name_used_twice(tmp_path, capsys):
    one, two = write_coins(tmp_path / "one.py"), write_coins(tmp_path / "two.py")
    for files, words in (([tmp_path / "no.py"], "No such file"), ([one, two], "both call a study 'coins'")):
        with pytest.raises(typer.Exit):
            chosen(*files)
        assert words in capsys.readouterr().err
    assert len(chosen(one, one)) == 1


NEIGHBOURS = {
    "study.py": "import shares\nfrom tools.coins import make\nstudy = make(shares.SHARE)\n",
    "shares.py": "SHARE = 0.5\n",
    "tools/__init__.py": "",
    "tools/coins.py": "from varde.studies import Cell, Study\nfrom .measure import Coin\n\n\n"
    "def make(share):\n    return Study('n', '', [Cell('p', 'a', '', (1,), Coin(share))], 10)\n",
    "tools/measure.py": "from typing import NamedTuple\nimport numpy as np\n\n\n"
    "class Coin(NamedTuple):\n    share: float\n\n"
    "    def __call__(self, key, first, runs):\n        return np.full((runs, 1), self.share)\n",
    "unrelated.py": "raise RuntimeError\n",
}


@pytest.fixture
def forget():
    """Modules of a test are not those of the next."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "study.py"


def test_neighbours_count_and_travel(tmp_path, forget):
    """What a file imports from its folder is part of it: on another machine, and in every fingerprint."""
    path = write(tmp_path / "here", NEIGHBOURS)
    source = read(path)
    assert [name for name, _ in source.files] == [name for name in NEIGHBOURS if name != "unrelated.py"]
    assert run(load(source)["n"])[0].value == 0.5
    for name in ("shares.py", "tools/measure.py"):
        changed = read(write(tmp_path / "changed", {**NEIGHBOURS, name: NEIGHBOURS[name] + "class Changed: ...\n"}))
        assert changed.digest != source.digest
        (tmp_path / "changed" / name).write_text(NEIGHBOURS[name])
    path.unlink()  # as on a machine that has never seen it
    (tmp_path / "here" / "shares.py").unlink()
    files = tuple((name, text.replace("0.5", "0.25")) for name, text in source.files)
    assert run(load(Source(source.path, files))["n"])[0].value == 0.25


def test_a_neighbour_that_is_imported_unseen_is_refused(tmp_path, forget):
    hidden = "import importlib\nshares = importlib.import_module('sha' + 'res')\nfrom tools.coins import make\n"
    path = write(tmp_path, {**NEIGHBOURS, "study.py": f"{hidden}study = make(shares.SHARE)\n"})
    with pytest.raises(OwnStudyError, match=r"imports shares in a way that cannot be seen in its text.*: write import"):
        load(read(path))


@pytest.mark.parametrize(
    ("problems", "algorithms", "words"),
    [
        ({"two": varde.bandits.Bernoulli([0.5, 0.4])}, {}, r"problems is .*: write names with a bandit and a budget"),
        ([varde.bandits.Bernoulli([0.5, 0.4])], {}, "problems is .*: write names with a bandit and a budget"),
        ({"two": (varde.bandits.Bernoulli([0.5, 0.4]), 9)}, [varde.VarDE()], "algorithms is .*: write names and"),
    ],
)
def test_a_bandit_study_without_names_or_budgets_is_refused(problems, algorithms, words):
    with pytest.raises(TypeError, match=words):
        bandit_study("mine", problems, algorithms)
