"""What changed between two sets of results."""

import json
import math

import numpy as np
import pytest

from tests.long import times
from varde.studies.compare import CHANGED, FEW, UNSEEN, Side, compare, load_side
from varde.studies.report import NoResultsError
from varde.studies.study import Outcome

from .results import DOCS


def side(rows, seed=0, shares=()):
    named = {("s", row.problem, row.algorithm, row.step): row for row in rows}
    return Side(named, {"s": seed}, {"s": "1"}, frozenset(shares))


def row(value, stderr=1.0, runs=100, name="a", setting=""):
    return Outcome("p", name, setting, 1, runs, value, stderr, None, None)


def only(a, b, seed=0):
    [change] = (found := compare(side([a]), side([b], seed))).rows
    return found, change


def test_the_same_file_is_identical():
    one = load_side(DOCS / "table-1.json")
    found = compare(one, one)
    assert (found.identical, found.rows, found.changed) == (len(one.rows), [], False)


def test_means_and_errors_alone_are_compared_by_welch():
    found, change = only(row(10.0), row(12.0), seed=1)
    assert change.word == UNSEEN and not found.changed
    found, change = only(row(10.0), row(18.0), seed=1)
    assert change.word == CHANGED and change.p < 1e-5 and found.changed
    assert only(row(10.0, runs=9), row(18.0, runs=9), seed=1)[1].word == FEW
    assert only(row(math.nan), row(18.0), seed=1)[1].word == FEW
    rare = compare(side([row(2.0)], 0, ["s"]), side([row(9.0)], 1, ["s"]))
    assert rare.rows[0].word == FEW  # two errors in a hundred: no normal distribution


def test_the_same_seed_and_runs_leave_nothing_to_chance():
    found, change = only(row(10.0), row(10.001))
    assert change.word == CHANGED and found.changed
    _, change = only(row(10.0, setting="x"), row(10.001, setting="y"))
    assert change.word == UNSEEN  # another setting draws other numbers
    assert not compare(side([row(10.0)]), side([row(10.001)]), tolerance=0.001).changed


def test_the_change_said_to_be_visible_is_seen_in_four_cases_of_five():
    rng, seen = np.random.default_rng(2), 0
    visible = only(row(0.0), row(1.0), seed=1)[1].visible
    for noise in rng.normal(scale=math.sqrt(2.0), size=300):
        seen += only(row(0.0), row(visible + noise), seed=1)[1].word == CHANGED
    assert 219 <= seen <= 261  # 240, and three standard errors


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
