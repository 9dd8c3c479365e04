"""What changed between two sets of results."""

import json
import math

import numpy as np
import pytest

from varde.experiments.compare import Side, compare, load_side
from varde.experiments.report import NoResultsError
from varde.experiments.study import Outcome

from .results import DOCS


def side(rows, seed=0):
    return Side({("s", row.problem, row.algorithm, row.step): row for row in rows}, {"s": seed}, {"s": "1"})


def row(value, stderr=1.0, runs=100, name="a", setting=""):
    return Outcome("p", name, setting, 1, runs, value, stderr, None, None)


def only(a, b, seed=0):
    [change] = (found := compare(side([a]), side([b], seed))).changes
    return found, change


def test_the_same_folder_is_identical():
    one = load_side(DOCS / "table-1.json")
    found = compare(one, one)
    assert (found.identical, found.changes, found.changed) == (56, [], False)


def test_independent_numbers_differ_by_both_errors():
    found, change = only(row(10.0), row(12.0), seed=1)
    assert change.z == pytest.approx(2.0 / math.sqrt(2.0)) and not change.certain and not found.changed
    found, change = only(row(10.0), row(18.0), seed=1)
    assert found.beyond_chance(change) and found.changed


def test_the_same_seed_and_runs_leave_nothing_to_chance():
    found, change = only(row(10.0), row(10.001))
    assert change.certain and found.changed
    _, change = only(row(10.0, setting="x"), row(10.001, setting="y"))
    assert not change.certain  # another setting draws other numbers


def test_more_runs_of_the_same_seed_contain_the_fewer():
    rng = np.random.default_rng(0)
    zs = []
    for values in rng.normal(size=(2000, 400)):
        few = values[:100]
        a = row(few.mean(), few.std(ddof=1) / 10.0, 100)
        b = row(values.mean(), values.std(ddof=1) / 20.0, 400)
        zs.append(only(a, b)[1].z)
    assert np.std(zs) == pytest.approx(1.0, abs=0.06)
    assert only(row(0.13), row(0.13 + 1e-17, 0.0, 400))[1].z == 0.0  # rounding is no change


def test_many_numbers_by_chance_alone_are_no_change():
    rng = np.random.default_rng(1)
    told, beyond = [], []
    for _ in range(400):
        pair = [side([row(x, 1.0, 1000, str(i)) for i, x in enumerate(rng.normal(size=50))], seed) for seed in (0, 1)]
        found = compare(*pair)
        told.append(found.changed)
        beyond.append(found.beyond_two)
        assert found.expected == pytest.approx(50 * 0.0455, abs=0.01)
    assert np.mean(told) < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 400)
    assert np.mean(beyond) == pytest.approx(50 * 0.0455, rel=0.2)


def test_what_was_added_removed_and_set_otherwise():
    a, b = side([row(1.0), row(1.0, name="old")]), side([row(1.0, setting="new"), row(2.0, name="fresh")])
    found = compare(a, b)
    assert [key[2] for key in found.added] == ["fresh"] and [key[2] for key in found.removed] == ["old"]
    assert found.settings == [("s", "p", "a", "", "new")] and found.identical == 1 and found.changed


def test_furthest_first_and_what_cannot_be_told_last():
    values = {"near": 0.5, "far": -9.0, "none": math.nan, "single": 1.0}
    b = [row(v, runs=1 if name == "single" else 100, name=name) for name, v in values.items()]
    a = [other._replace(value=0.0) for other in b]
    found = compare(side(a), side(b, 1))
    assert [change.key[2] for change in found.changes] == ["far", "near", "none", "single"]
    assert len(found.by_chance) == 2


def test_sides_are_folders_or_files(tmp_path):
    (tmp_path / "table-1.json").write_text((DOCS / "table-1.json").read_text())
    (tmp_path / "other.json").write_text("{}")
    assert len(load_side(tmp_path).rows) == 56
    for wrong in (tmp_path / "nowhere", tmp_path / "other.json"):
        with pytest.raises(NoResultsError):
            load_side(wrong)
    assert json.loads((tmp_path / "table-1.json").read_text())["seed"] == load_side(tmp_path).seeds["table-1"]
