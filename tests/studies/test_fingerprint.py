"""Fingerprints: everything the numbers depend on, and nothing else."""

import functools
import threading
from dataclasses import dataclass, replace

import numpy as np
import pytest

import varde
from tests.long import times
from varde import _files
from varde.paper import STUDIES
from varde.studies import Cell
from varde.studies.fingerprint import block_fingerprint, cell_fingerprint, identity


def measure(thing, key, first, runs):
    return np.zeros((runs, 1))


def cell(thing=None, **changes):
    return replace(Cell("problem", "algorithm", "setting", (10,), functools.partial(measure, thing)), **changes)


@dataclass
class Setting:
    share: float
    steps: tuple = (1, 2)


def maker(share):
    return lambda key, first, runs: np.full((runs, 1), share)


THINGS = [
    None,
    True,
    1,
    1.0,
    1.0 + 2**-52,
    -0.0,
    0.0,
    "1",
    b"1",
    (1,),
    [1],
    (1, 2),
    ((1,), 2),
    {"a": 1},
    {"a": 2},
    {1, 2},
    range(3),
    np.float32(1),
    np.arange(3),
    np.arange(3.0),
    np.arange(3.0) + 1e-16,
    np.arange(6).reshape(2, 3),
    np.arange(6).reshape(3, 2),
    np.array([None, 1], object),
    np.array([None, 2], object),
    varde.VarDE(noise=varde.beliefs.Floor(0.5)),
    varde.VarDE(varde.decisions.LogSumExp(0.1)),
    varde.VarDE(varde.decisions.LogSumExp(0.1 + 1e-16)),
    varde.bandits.Bernoulli(np.array([0.1, 0.2])),
    varde.bandits.Bernoulli(np.array([0.1, 0.3])),
    varde.bandits.Gaussian([0.1], [0.1]),
    Setting(0.1),
    Setting(0.2),
    Setting(0.1, (1,)),
    maker(0.1),
    maker(0.2),
    measure,
    np.maximum,
    np.minimum,
    max,
    min,
    float,
    int,
    functools.partial(measure, 1),
    functools.partial(measure, thing=1),
    Setting(0.1).__eq__,
]


def test_different_things_have_different_fingerprints():
    found = [cell_fingerprint("study", cell(thing), 0) for thing in THINGS]
    assert len(set(found)) == len(THINGS)
    assert found == [cell_fingerprint("study", cell(thing), 0) for thing in THINGS]


def test_the_same_thing_made_twice_has_the_same():
    for make in (lambda: maker(0.1), lambda: Setting(0.1), lambda: np.arange(4)[::2]):
        assert identity(make()) == identity(make())
    one = np.arange(3)
    assert identity((one, one)) == identity((one, one.copy()))


def test_all_parts_of_a_block_count():
    base = cell_fingerprint("study", cell(), 0)
    changed = [
        cell_fingerprint("other", cell(), 0),
        cell_fingerprint("study", cell(), 1),
        cell_fingerprint("study", cell(), 0, "text of a file"),
        *(
            cell_fingerprint("study", cell(**change), 0)
            for change in (
                {"problem": "p"},
                {"algorithm": "a"},
                {"setting": "s"},
                {"steps": (11,)},
                {"quantities": ("q",)},
            )
        ),
    ]
    blocks = [block_fingerprint(base, 0, 10), block_fingerprint(base, 0, 11), block_fingerprint(base, 1, 10)]
    assert len({base, *changed, *blocks}) == 1 + len(changed) + len(blocks)


def test_a_function_may_refer_to_itself():
    def again(n):
        return again(n - 1)

    assert identity(again) == identity(again)


@pytest.mark.parametrize("thing", [(n for n in range(3)), threading.Lock()], ids=["generator", "lock"])
def test_what_changes_unseen_is_refused(thing):
    with pytest.raises(TypeError, match=r"no way to tell whether what it depends on has changed .*: write numbers"):
        cell_fingerprint("study", cell(thing), 0)


@pytest.mark.parametrize("name", times(list(STUDIES)[1::4], STUDIES))
def test_the_studies_of_the_paper_have_one_for_every_cell(name):
    one, two = STUDIES[name](), STUDIES[name]()
    found = [cell_fingerprint(name, cell, 0) for cell in one.cells]
    assert len(set(found)) == len(one.cells)
    assert found == [cell_fingerprint(name, cell, 0) for cell in two.cells]


def test_any_edit_of_the_package_counts(tmp_path, monkeypatch):
    """The text itself: of a file, its name, a comment."""
    monkeypatch.setattr(_files, "ROOT", tmp_path)
    (tmp_path / "inner").mkdir()
    found = []
    for name, text in (("rule.py", "x = 1\n"), ("rule.py", "x = 1  # one\n"), ("inner/rule.py", ""), ("b.py", "")):
        (tmp_path / name).write_text(text)
        found.append(_files.package_digest.__wrapped__())
    assert len(set(found)) == 4 and _files.package_digest.__wrapped__() == found[-1]
