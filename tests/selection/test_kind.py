"""What the results are taken for, and who may say so."""

import json

import numpy as np
import pytest

import varde
from varde.selection import Selection
from varde.selection.progress import Display


def told(selector, *results):
    for name, values in zip(selector.options, results, strict=True):
        for value in values:
            selector.tell(name, value)
    return selector.recommend()


def test_successes_and_failures_are_counts():
    found = told(varde.Selector(["a", "b"]), [1, 0, 1, 1], [0, 0, 0, 1])
    assert found.kind == "two values" and found.to_dict()["kind"] == "two values"
    assert all(0.0 <= row.low < row.high <= 1.0 for row in found.rows)
    assert told(varde.Selector(["a", "b"]), [1.5, 0.2, 1.1, 1], [0.3, 0, 0, 1]).kind == "numbers"
    assert told(varde.Selector(["a", "b"]), [0, 0, 2.5, 0], [0, 0, 0, 1]).kind == "mostly one value"


@pytest.mark.parametrize("goal", ["max", "min"])
@pytest.mark.parametrize("known", [{"bounds": (0, 1)}, {"kind": "two values"}], ids=str)
def test_no_success_of_twenty(known, goal):
    found = told(varde.Selector(["a", "b"], goal=goal, **known), [0] * 20, [0] * 20)
    assert found.rows[0].low == 0.0 and found.rows[0].high == pytest.approx(0.168, abs=5e-4)
    assert found.kind == "two values" and "0.000 … 0.168" in str(found)
    assert found.p_right == 0.5 and found.expected_regret > 0.0


def test_no_success_of_twenty_and_nothing_known():
    found = told(varde.Selector(["a", "b"]), [0] * 20, [0] * 20)
    assert found.p_right == 0.5 and "nothing shows how noisy the results are" in found.sentence
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["expected_regret"] is None


def test_all_successes_are_known_too():
    found = told(varde.Selector(["a", "b"], kind="two values"), [1] * 20, [0, 1] * 10)
    assert found.rows[0].high == 1.0 and found.rows[0].low == pytest.approx(0.832, abs=5e-4)


def test_the_kind_can_be_said():
    values = [np.array([0.0, 1.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 0.0])]
    counted, numbers = (Selection.of("ab", "ab", values, kind=kind) for kind in (None, "numbers"))
    assert counted.kind == "two values" and numbers.kind == "numbers" and numbers.rows[0].high > 1.0


@pytest.mark.parametrize("kind", ["binary", "", 2, True, ["numbers"]])
def test_a_kind_that_is_none_is_refused(kind):
    with pytest.raises(ValueError, match=r"kind is .*: write 'numbers', 'two values' or 'mostly one value'"):
        varde.Selector(["a", "b"], kind=kind)


@pytest.mark.parametrize(
    "bounds", [(1, 0), (0, 0), (0,), 1, "01", (0, "x"), (0, float("nan")), (0, 1, 2), {0: 1, 1: 2}]
)
def test_bounds_that_are_none_are_refused(bounds):
    with pytest.raises(
        (ValueError, TypeError), match=r"bounds is .*: write the lowest and the highest possible result"
    ):
        varde.select(len, ["a", "b"], 10, bounds=bounds)


def test_a_result_outside_the_bounds_is_refused_and_nothing_is_lost():
    selector = varde.Selector(["a", "b"], bounds=(0, 1))
    selector.tell("a", 1)
    for outside in (1.5, 2, -0.1):
        with pytest.raises(ValueError, match=r"the result of a is .*, outside bounds=\(0.0, 1.0\): write wider bounds"):
            selector.tell("a", outside)
    assert selector.spent == 1


def test_the_kind_and_the_bounds_are_kept_in_the_file(tmp_path):
    path = tmp_path / "s.db"
    with varde.Selector(["a", "b"], store=path, kind="two values", bounds=(0, 1)) as selector:
        told(selector, [0] * 20, [0] * 20)
    with varde.Selector.open(path) as selector:
        assert selector.recommend().kind == "two values" and selector.recommend().rows[0].high < 0.2
    with varde.Selector.open(path, kind="numbers", bounds=(-1, 3)) as selector:
        assert selector.recommend().kind == "numbers" and selector.recommend().rows[0].high == 3.0
    with varde.Selector(["a", "b"], store=path) as selector:
        assert selector.recommend().kind == "two values", "the same call goes on"


def test_a_live_table_makes_no_forecast(monkeypatch):
    def no(*_):
        raise AssertionError("a forecast that nobody reads")

    monkeypatch.setattr("varde.selection.result.forecast", no)
    selector = varde.Selector(["a", "b"])
    found = told(selector, [0.1, 0.3, 0.2], [1.0, 1.5, 1.2])
    assert Display(selector, rows=5).content() is not None and repr(found)
    with pytest.raises(AssertionError, match="nobody reads"):
        str(found)
