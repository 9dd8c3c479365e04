"""Running studies from Python: what is stored, what fails, who works."""

import numpy as np
import pytest

from varde.studies import Cell, Study, run
from varde.studies.running import MeasureError, complete, plan
from varde.studies.store import Blocks
from varde.studies.study_files import load, read

from .coins import write_coins


@pytest.fixture
def coins(tmp_path):
    return load(read(write_coins(tmp_path / "coins.py")))["coins"]


@pytest.fixture
def store(tmp_path):
    with Blocks(tmp_path / "blocks.db") as store:
        yield store


def measured(store, *plans, **how):
    return [made.rows() for made in complete(plans, store=store, workers=2, **how)]


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_workers_of_any_kind_give_the_same(tmp_path, backend):
    source = read(write_coins(tmp_path / "coins.py", runs=20))
    study = load(source)["coins"]
    assert measured(None, plan(study, 20, 0, None, source), backend=backend) == [run(study)]


def test_a_failing_measure_is_named_and_the_rest_is_kept(store):
    def fails(key, first, runs):
        if first == 10:
            raise ZeroDivisionError("no")
        return np.ones((runs, 1))

    study = Study("s", "", [Cell("p", "a", "", (1,), fails)], 30, block=10)
    with pytest.raises(MeasureError, match="s: a on p, runs 10 to 19: ZeroDivisionError: no") as caught:
        measured(store, plan(study, 30, 0, store))
    assert isinstance(caught.value.__cause__, ZeroDivisionError) and len(store) >= 1


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.ones(3), r"an array of shape \(3,\): return \[runs, numbers\] = \(3, 1\)"),
        ("many", "returns 'many', which is no array of real numbers"),
        (np.full((3, 1), np.nan), "a value that is not finite"),
        (np.full((3, 1), 1j), "no array of real numbers"),
    ],
)
def test_a_measure_is_checked(values, words):
    study = Study("s", "", [Cell("p", "a", "", (1,), lambda *_: values)], 3)
    with pytest.raises(MeasureError, match=words):
        run(study)
