"""What may be said about the results beforehand: their bounds."""

import json

import pytest

import varde
from tests.noted import noted


def told(selector, *results):
    for name, values in zip(selector.options, results, strict=True):
        for value in values:
            selector.tell(name, value)
    return selector.recommend()


@pytest.mark.parametrize("goal", ["max", "min"])
def test_no_success_of_twenty(goal):
    found = told(varde.Selector(["a", "b"], goal=goal, calls=varde.Calls(bounds=(0, 1))), [0] * 20, [0] * 20)
    assert found.rows[0].low == 0.0 and found.rows[0].high == pytest.approx(0.168, abs=5e-4)
    assert found.p_right == 0.5 and found.expected_regret > 0.0 and "0.000 … 0.168" in str(found)


def test_no_success_of_twenty_and_nothing_known():
    found = told(varde.Selector(["a", "b"]), [0] * 20, [0] * 20)
    assert found.p_right == 0.5 and "nothing shows how noisy the results are" in noted(found)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["expected_regret"] is None


@pytest.mark.parametrize(
    "bounds", [(1, 0), (0, 0), (0,), 1, "01", (0, "x"), (0, float("nan")), (0, 1, 2), {0: 1, 1: 2}]
)
def test_bounds_that_are_none_are_refused(bounds):
    with pytest.raises(
        (ValueError, TypeError), match=r"bounds is .*: write the lowest and the highest possible result"
    ):
        varde.select(len, varde.Selector(["a", "b"], 10, calls=varde.Calls(bounds=bounds)))


def test_a_result_outside_the_bounds_is_refused_and_nothing_is_lost():
    selector = varde.Selector(["a", "b"], calls=varde.Calls(bounds=(0, 1)))
    selector.tell("a", 1)
    for outside in (1.5, 2, -0.1):
        with pytest.raises(ValueError, match=r"the result of a is .*, outside bounds=\(0.0, 1.0\): write wider bounds"):
            selector.tell("a", outside)
    assert selector.spent == 1


def test_the_bounds_are_kept_in_the_file(tmp_path):
    path = tmp_path / "s.db"
    with varde.Selector(["a", "b"], store=path, calls=varde.Calls(bounds=(0, 1))) as selector:
        told(selector, [0] * 20, [0] * 20)
    with varde.Selector.open(path) as selector:
        assert selector.recommend().rows[0].high < 0.2
    with varde.Selector.open(path, calls=varde.Calls(bounds=(-1, 3))) as selector:
        assert selector.recommend().rows[0].high > 0.5
    with varde.Selector(["a", "b"], store=path) as selector:
        assert selector.recommend().rows[0].high < 0.2, "the same call goes on"
