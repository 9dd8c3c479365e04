"""What changed between two sets of results."""

import json
import math

import numpy as np
import pytest

from tests.long import times
from varde.cli.present import Presenter
from varde.random import normal, stream
from varde.studies import Cell, Study
from varde.studies.compare import CHANGED, FEW, UNSEEN, Side, compare, gives, load_side
from varde.studies.report import NoResultsError
from varde.studies.running import complete, plan
from varde.studies.store import NAME, Blocks
from varde.studies.study import Outcome

from .results import DOCS
from .test_running import Counting


def side(rows, seed=0, shares=()):
    named = {("s", row.problem, row.algorithm, row.step): row for row in rows}
    return Side(named, {"s": seed}, {"s": "1"}, frozenset(shares))


def row(value, stderr=1.0, runs=100, name="a", setting=""):
    return Outcome("p", name, setting, 1, runs, value, stderr, None, None)


def only(a, b, seed=0):
    [change] = (found := compare(side([a]), side([b], seed))).cells
    return found, change


def draws(shift, key, first, runs):
    return np.array([[shift + normal(rng), normal(rng)] for rng in (stream(key, first + i) for i in range(runs))])


def measured(folder, runs=20, seed=0, shift=0.0, algorithms=4):
    """A folder of a study of normal draws, as varde reproduce writes it; the last algorithm is shifted."""
    folder.mkdir()
    cells = [Cell("p", f"a{i}", "", (1, 2), DRAWS[i == algorithms - 1 and shift != 0.0]) for i in range(algorithms)]
    study = Study("s", "", cells, runs, block=10)
    with Blocks(folder / NAME) as store:
        [done] = complete([plan(study, runs, seed, store)], Counting(), store=store)
        Presenter(folder, store, quiet=True).finished(done)
    return load_side(folder)


def still(key, first, runs):
    return draws(0.0, key, first, runs)


def moved(key, first, runs):
    return draws(3.0, key, first, runs)


DRAWS = {False: still, True: moved}


def test_the_same_seed_is_compared_run_by_run(tmp_path):
    a, more = measured(tmp_path / "a"), measured(tmp_path / "more", runs=40)
    assert len(a.runs) == 4
    found = compare(a, more)
    assert (found.identical, found.cells, found.changed) == (8, [], False)  # more runs contain the fewer
    found = compare(a, measured(tmp_path / "b", shift=3.0))
    [change] = found.cells
    assert change.word == CHANGED and change.key == ("s", "p", "a3", 1) and change.differ == "20 of 20 runs differ"
    assert not compare(a, measured(tmp_path / "c"), tolerance=0.5).changed


def test_other_seeds_are_one_test_and_two_runs_say_nothing(tmp_path):
    a = measured(tmp_path / "a")
    found = compare(a, measured(tmp_path / "b", seed=5))
    assert not found.changed and [change.word for change in found.cells] == [UNSEEN] * 4
    found = compare(a, measured(tmp_path / "c", seed=5, shift=3.0))
    assert [change.word for change in found.cells] == [CHANGED] + [UNSEEN] * 3 and found.cells[0].key[2] == "a3"
    few = compare(measured(tmp_path / "d", runs=2), measured(tmp_path / "e", runs=2, seed=5))
    assert not few.changed and few.counted(FEW) == 4


def test_runs_of_another_result_are_not_taken_for_these(tmp_path):
    measured(tmp_path / "a")
    data = json.loads((tmp_path / "a" / "s.json").read_text())
    data["rows"][-1]["value"] += 1.0
    (tmp_path / "a" / "s.json").write_text(json.dumps(data))
    assert len(load_side(tmp_path / "a").runs) == 3
    (tmp_path / "a" / NAME).write_bytes(b"damaged" * 1000)
    assert load_side(tmp_path / "a").runs == {}


def test_runs_that_cancel_out_are_still_those_of_the_result():
    assert gives(np.array([1e9, -1e9, 3e-8]), 1.1e-8, False) and not gives(np.ones(3), 1.1, False)
    assert gives(np.array([1.0, 0.0]), 50.0, True)


def test_the_same_file_is_identical():
    one = load_side(DOCS / "table-1.json")
    found = compare(one, one)
    assert (found.identical, found.cells, found.changed) == (len(one.rows), [], False)


def test_means_and_errors_alone_are_compared_by_welch():
    found, change = only(row(10.0), row(12.0), seed=1)
    assert change.word == UNSEEN and not found.changed
    found, change = only(row(10.0), row(18.0), seed=1)
    assert change.word == CHANGED and change.p < 1e-5 and found.changed
    assert only(row(10.0, runs=9), row(18.0, runs=9), seed=1)[1].word == FEW
    assert only(row(math.nan), row(18.0), seed=1)[1].word == FEW
    rare = compare(side([row(2.0)], 0, ["s"]), side([row(9.0)], 1, ["s"]))
    assert rare.cells[0].word == FEW  # two errors in a hundred: no normal distribution


def test_the_same_seed_and_runs_leave_nothing_to_chance():
    found, change = only(row(10.0), row(10.001))
    assert change.word == CHANGED and found.changed
    _, change = only(row(10.0, setting="x"), row(10.001, setting="y"))
    assert change.word == UNSEEN  # another setting draws other numbers


def test_many_numbers_by_chance_alone_are_no_change():
    rng = np.random.default_rng(1)
    told = []
    for _ in range(times(100, 300)):
        pair = [side([row(x, 1.0, 1000, str(i)) for i, x in enumerate(rng.normal(size=50))], seed) for seed in (0, 1)]
        told.append(compare(*pair).changed)
    assert np.mean(told) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / len(told))


def test_what_was_added_removed_and_set_otherwise():
    a, b = side([row(1.0), row(1.0, name="old")]), side([row(1.0, setting="new"), row(2.0, name="fresh")])
    found = compare(a, b)
    assert [key[2] for key in found.added] == ["fresh"] and [key[2] for key in found.removed] == ["old"]
    assert found.settings == [("s", "p", "a", "", "new")] and found.identical == 1 and found.changed


def test_sides_are_folders_or_files(tmp_path):
    (tmp_path / "table-1.json").write_text((DOCS / "table-1.json").read_text())
    (tmp_path / "other.json").write_text("{}")
    assert len(load_side(tmp_path).rows) >= 56
    for wrong in (tmp_path / "nowhere", tmp_path / "other.json"):
        with pytest.raises(NoResultsError):
            load_side(wrong)
    assert json.loads((tmp_path / "table-1.json").read_text())["seed"] == load_side(tmp_path).seeds["table-1"]
