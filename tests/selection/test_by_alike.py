"""Options that resemble each other: select, Selector, stores, the answer, and bad input."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.beliefs.alike import Data, prior
from varde.beliefs.features import rows_of, space_of
from varde.rule import VarDE, decrements
from varde.selection.by_alike import Model

GRID = [{"s": s, "S": S} for s, S in itertools.product(range(0, 40, 5), range(10, 90, 10)) if s < S]


def profit(option, seed):
    noise = np.random.default_rng(seed).normal()
    return -((option["s"] - 15) ** 2) / 50 - (option["S"] - 50) ** 2 / 400 + noise


def drive(selector, function=profit, most=10**9):
    asked = []
    while len(asked) < most and (draw := selector.ask()) is not None:
        asked.append((draw.name, draw.seed))
        selector.tell(draw, function(draw.option, draw.seed))
    return asked


@pytest.fixture(scope="module")
def found():
    return varde.select(profit, GRID, 50, alike=True)


def test_fewer_evaluations_than_options_find_a_good_one(found):
    assert len(GRID) > 50
    assert abs(found.best["s"] - 15) <= 5 and abs(found.best["S"] - 50) <= 10


def test_the_answer_says_that_it_rests_on_neighbours(found):
    tried = sum(row.n > 0 for row in found.rows)
    assert f"Estimates use neighbours; {tried} of {len(GRID)} options were tried." in noted(found)
    assert all(np.isfinite(row.interval).all() for row in found.rows)


def test_an_option_that_was_never_tried_can_be_taken_and_the_answer_names_the_nearest():
    selector = varde.Selector(list(range(0, 101, 10)), alike=True)
    for x in (0, 10, 20, 40, 60, 80, 90, 100):
        for shift in (-0.05, 0.0, 0.05):
            selector.tell(str(x), -((x - 50) ** 2) / 500 + shift)
    answer = selector.recommend()
    assert answer.best_name == "50" and answer["50"].n == 0 and answer.p_right <= 0.5
    assert "50 was never tried itself: the nearest that was, 40, is 10 % of the range" in noted(answer)


def test_parameters_that_hardly_matter_and_log_scales_are_named():
    options = [{"rate": 10.0**-a, "idle": b} for a in range(8) for b in range(4)]
    answer = varde.select(
        lambda option, rng: -((np.log10(option["rate"]) + 4) ** 2) + 0.1 * rng.normal(), options, 60, alike=True
    )
    assert "rate on a log scale" in noted(answer) and "idle hardly matters" in noted(answer)


def test_useless_features_leave_each_option_to_its_own_results():
    rng = np.random.default_rng(3)
    truth = rng.normal(size=20)
    answer = varde.select(lambda i, rng: truth[i] + 0.5 * rng.normal(), list(range(20)), 200, alike=rng.random((20, 2)))
    assert not answer.alike.used and "judged by its own results" in noted(answer)
    strangers = varde.select(lambda i, rng: truth[i] + 0.5 * rng.normal(), list(range(20)), 200)
    assert answer.best == strangers.best and answer[answer.best_name].estimate == answer[answer.best_name].mean


# -- the rule ----------------------------------------------------------------------------------------


def test_for_strangers_the_scores_are_the_decrements_of_the_rule():
    rng = np.random.default_rng(1)
    counts, means = rng.integers(2, 9, 12).astype(float), rng.normal(size=12)
    squares = counts - 1.0
    space = space_of(rows_of([str(i) for i in range(12)], list(range(12))))
    logs = np.array([-20.0, 2.0, 2.0, 0.0])  # no length, and what is shared and own far above the noise
    model = Model(VarDE(), space, Data(counts, means, squares), np.zeros(12, int), logs, list(range(12)))
    model.means, model.covariance, model.noise = means, np.diag(1.0 / counts), np.ones(12)
    expected = decrements(VarDE(), counts, means, squares)
    scores = model.scores(np.zeros(model.means.size, int), None)
    np.testing.assert_allclose(scores / scores.max(), expected / expected.max(), rtol=1e-9)


def test_pending_draws_are_exact_in_any_order():
    rng = np.random.default_rng(2)
    space = space_of(rows_of([str(i) for i in range(9)], list(range(9))))
    data = Data(np.full(9, 2.0), rng.normal(size=9), np.ones(9))
    logs = prior(1)[0]
    results = [(3, 0.4), (5, -1.0), (3, 0.9)]

    def after(order):
        model = Model(VarDE(), space, data, np.zeros(9, int), logs, list(range(9)))
        for i, _ in results:
            model.add(i)
        for place in order:
            model.add(*results[place])
        return model

    one, other = after([0, 1, 2]), after([1, 2, 0])
    np.testing.assert_allclose(one.means, other.means, atol=1e-12)
    plain = Model(VarDE(), space, data, np.zeros(9, int), logs, list(range(9)))
    for i, value in results:
        plain.add(i)
        plain.add(i, value)
    np.testing.assert_allclose(one.means, plain.means, atol=1e-12)
    np.testing.assert_allclose(one.covariance, plain.covariance, atol=1e-12)


# -- stores, workers, costs --------------------------------------------------------------------------


def test_a_reopened_selection_goes_on_as_one_that_never_stopped(tmp_path, monkeypatch):
    whole = drive(varde.Selector(GRID, 45, alike=True))
    for every in (10**9, 20):  # without and with snapshots
        monkeypatch.setattr("varde.selection.snapshot.LEAST", every)
        path, parts = tmp_path / f"{every}.db", []
        with varde.Selector(GRID, 45, alike=True, store=path) as selector:
            parts += drive(selector, most=20)
        while len(parts) < 45:
            with varde.Selector.open(path) as selector:
                parts += drive(selector, most=7)
        assert parts == whole


def test_a_store_keeps_features_and_refuses_others(tmp_path):
    options = {name: object() for name in "abcdef"}
    rows = {name: [k, k % 2] for k, name in enumerate("abcdef")}
    with varde.Selector(options, 12, alike=rows, store=tmp_path / "s.db") as selector:
        before = drive(selector, lambda option, seed: seed % 7, 5)
    with varde.Selector.open(tmp_path / "s.db", options) as selector:
        assert selector.settings.alike and len(before) == 5 and drive(selector, lambda option, seed: seed % 7)
    with pytest.raises(ValueError, match="the store has the features"):
        varde.Selector(options, 12, alike={**rows, "c": [9, 9]}, store=tmp_path / "s.db")
    with pytest.raises(ValueError, match="the store was made with alike=True"):
        varde.Selector(options, 12, store=tmp_path / "s.db")


def test_workers_batches_and_costs():
    assert varde.select(profit, GRID, 50, alike=True, workers=3).best["s"] in (10, 15, 20)
    selector = varde.Selector(GRID, 60, alike=True)
    while batch := selector.ask(8):
        for draw in reversed(batch):
            selector.tell(draw, profit(draw.option, draw.seed))
    assert selector.recommend().best["s"] in (10, 15, 20)
    dear = [5.0 if option["S"] > 60 else 1.0 for option in GRID]
    answer = varde.select(profit, varde.Selector(GRID, 60, costs=dear, alike=True))
    assert answer.spent <= 60 and answer.best["S"] <= 60


def test_failures_removals_and_additions():
    selector = varde.Selector(GRID, 60, alike=True, calls=varde.Calls(retries=0))
    drive(selector, most=25)
    draw = selector.ask()
    selector.release(draw)
    selector.remove_option("s=10, S=50")
    selector.add_option({"S": 50, "s": 16})
    with pytest.raises(ValueError, match="different parameters"):
        selector.add_option({"s": 16})
    drive(selector)
    answer = selector.recommend()
    assert answer["S=50, s=16"].n and answer["s=10, S=50"].verdict == "removed"


def test_results_that_were_not_asked_for_count():
    selector = varde.Selector(GRID, alike=True)
    selector.tell_many({f"s={o['s']}, S={o['S']}": {"mean": profit(o, 1), "sem": 0.5, "n": 4} for o in GRID[::3]})
    assert selector.ask() is not None
    assert selector.leader is not None and selector.recommend().alike.used


# -- bad input ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (
            {"alike": True, "stop": 0.05},
            r"alike=True with stop=0.05: its guarantee .* write stop=.watched., or a budget",
        ),
        ({"alike": True, "crn": True}, "alike=True with crn=True"),
        ({"alike": True, "goal": varde.Top(2)}, "neighbours tell of means"),
        ({"alike": True, "items": ["x", "y"]}, "alike=True with items="),
        ({"alike": [1, 2]}, "alike= has 2 rows, for 3 options: write one for each"),
        ({"alike": [[1.0], [float("nan")], [2.0]]}, r"'b' has \[0\] = nan: write a finite number"),
        ({"alike": [7, 7, 7]}, "all options have the same features"),
        ({"alike": True}, "texts that differ in all of them: write alike="),
        ({"alike": {"p": [1, 2]}}, "alike= has 2 rows in p"),
        ({"alike": [{"p": 1}, {"q": 1}, {"p": 2}]}, r"different parameters \(p, q\): write the same keys"),
        ({"alike": [np.zeros(9), np.ones(12), np.ones(9)]}, "have 9 and 12 features"),
        ({"alike": 2}, "alike is 2: write True, False, or a row"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(given, why, tmp_path):
    with pytest.raises((ValueError, TypeError), match=why):
        varde.Selector(["a", "b", "c"], 9, store=tmp_path / "never.db", **given)
    assert not (tmp_path / "never.db").exists()


def test_objects_without_features_are_refused():
    with pytest.raises(TypeError, match="write alike="):
        varde.Selector({"a": object(), "b": object()}, 9, alike=True)


def test_equal_results_and_two_options_are_no_obstacle():
    selector = varde.Selector([1, 2], 12, alike=True)
    drive(selector, lambda option, seed: 5.0)
    assert selector.recommend().p_right <= 0.75


def test_an_answer_is_possible_after_the_first_result_and_when_few_options_are_left():
    selector = varde.Selector([(1, "a"), (2, "a"), (3, "b")], alike=True)
    selector.tell("(1, 'a')", 1.0)
    assert selector.recommend().best_name == "(1, 'a')"
    for x in (1.5, 1.2, 0.9):
        for name in ("(1, 'a')", "(2, 'a')", "(3, 'b')"):
            selector.tell(name, x)
    selector.ask()
    selector.remove_option("(3, 'b')")  # the others do not differ in the second parameter
    assert selector.recommend().best_name in ("(1, 'a')", "(2, 'a')")


def test_programs_can_read_what_matters(found):
    told = found.to_dict()["alike"]
    assert told["used"] and set(told["matters"]) == {"s", "S"} and told["log"] == []


def test_too_small_a_budget_names_the_way_out():
    with pytest.raises(ValueError, match="or alike=True if similar ones give similar results"):
        varde.Selector(GRID, 20)
