"""Numbers that broke things: each ends in words, or in the right result."""

import math

import numpy as np
import pytest

import varde
from tests.attack.fuzz import engine_of
from tests.attack.isolated import isolated
from varde.bandits import Bernoulli, Gaussian
from varde.certainty.stopping import Results
from varde.decisions import evaluate, gradient
from varde.environments import river_swim, sailing
from varde.selection import checks
from varde.selection.evidence import Evidence
from varde.worlds.discovered import Discovered


@pytest.mark.parametrize("budget", [math.nan, math.inf, -math.inf, 2**63, 10**400, 100.5, "100", None, True, [100]])
def test_a_budget_is_a_whole_number(budget):
    for call in (
        lambda: varde.bandits.measure(varde.VarDE(), Bernoulli([0.5, 0.4]), budget),
        lambda: varde.planning.measure(varde.VarDE(), river_swim(4), budget, horizon=5),
        lambda: varde.learning.measure(varde.VarDE(), river_swim(4), budget),
        lambda: varde.learn(river_swim(4), budget),
        lambda: varde.plan(river_swim(4), 0, budget, horizon=5),
    ):
        with pytest.raises((TypeError, ValueError), match=r"budget is .*: write"):
            call()


def test_a_budget_as_a_whole_float_is_kept():
    measured = varde.bandits.measure(varde.VarDE(), Bernoulli([0.5, 0.4]), 2e2, runs=2, engine="python")
    assert measured.at.tolist() == [200]


@pytest.mark.parametrize("wind", [-math.inf, math.nan, 1e300, 8, 0.5])
def test_a_wind_blows_somewhere(wind):
    with pytest.raises(ValueError, match=r"wind is .*: write the direction"):
        sailing(5, wind)


@pytest.mark.parametrize("seed", [-1, 1.5, math.nan, 10**400, "x", None])
def test_a_seed_is_a_whole_number(seed):
    for call in (
        lambda: varde.Selector(["a", "b"], 10, seed=seed),
        lambda: varde.plan(river_swim(4), 0, 10, horizon=5, seed=seed),
        lambda: varde.learn(river_swim(4), 10, seed=seed),
    ):
        with pytest.raises((TypeError, ValueError), match=r"seed is .*: write a whole number"):
            call()


def test_costs_by_name_are_looked_up_once_each():
    class Names(list):
        def __contains__(self, name):
            raise AssertionError("a search of the whole list for every name")

    names = Names(map(str, range(50)))
    assert checks.price_list(dict.fromkeys(names, 2.0), names) == [2.0] * 50


# -- results of any size -------------------------------------------------------------------------

DATA = [np.array([1.0, 1.2, 0.9, 1.1]), np.array([1.5, 1.4, 1.7, 1.6]), np.array([1.4, 1.2, 1.5, 1.3])]


@pytest.mark.parametrize("scale", [1e-305, 1e-200, 1e-150, 1e-100, 1e100, 1e149])
def test_chances_do_not_depend_on_the_unit(scale):
    names = ["a", "b", "c"]
    plain = varde.Selection.of(Evidence(names, names, DATA))
    scaled = varde.Selection.of(Evidence(names, names, [scale * values for values in DATA]))
    assert [row.p_best for row in scaled.rows] == pytest.approx([row.p_best for row in plain.rows])
    assert scaled.expected_regret / scale == pytest.approx(plain.expected_regret)
    assert scaled.rows[1].low / scale == pytest.approx(plain.rows[1].low)


def test_a_promise_is_not_made_about_results_whose_squares_vanish():
    values = [1e-200 * np.random.default_rng(i).normal(i, 1.0, 10) for i in range(5)]
    assert not varde.Stop().satisfied(Results.of(values))


def test_a_move_among_values_whose_squares_vanish_is_not_called_sure():
    with engine_of("python"):
        move = varde.plan(lambda state, action, rng: (0, 1e-200 * rng.normal()), 0, 40, horizon=2, actions=[0, 1])
    assert not move.chances and math.isnan(move.certificate.p_right)


@pytest.mark.parametrize("values", [[1e308, -1e308], [1e308, 1e308], [math.nan, 1.0], [math.inf, 0.0]])
@pytest.mark.parametrize(
    "decision",
    [varde.decisions.Nesterov(), varde.decisions.PowerMean(), varde.decisions.EntMax(), varde.decisions.LogSumExp()],
    ids=str,
)
def test_a_decision_about_what_cannot_be_squared_is_refused(decision, values):
    for function in (evaluate, gradient):
        with pytest.raises(ValueError, match=r"values\[0\] is .*: write finite numbers"):
            function(decision, values)


@pytest.mark.parametrize("delta", [1e-300, 5e-324, 1e-160])
def test_a_temperature_that_vanishes_is_refused(delta):
    with pytest.raises(ValueError, match=r"delta is .*: write a positive number"):
        evaluate(varde.decisions.PairwiseSoftplus(delta), [1.0, 1.0])


def test_the_smallest_temperature_gives_finite_weights():
    for decision in (
        varde.decisions.PairwiseSoftplus(1e-150),
        varde.decisions.Nesterov(1e-150),
        varde.decisions.LogSumExp(1e-150),
    ):
        assert np.isfinite(gradient(decision, [1.0, 1.0, -1e150, 0.0])).all()


def test_rewards_whose_squares_overflow_are_refused():
    with pytest.raises(ValueError, match=r"state 'a', action 'x': the reward is 1e\+308: write .*, at most 1e\+150"):
        varde.tabulate({"a": {"x": [(1.0, "a", 1e308)]}})
    known = Discovered(["x", "y"])
    with pytest.raises(varde.SimulationError, match=r"the reward is 1e\+308: return a finite number"):
        known.steps(lambda state, action, rng: (state, 1e308), None)(known.meet("a"), 0)
    with pytest.raises(ValueError, match=r"means.* is 1e.308: write finite numbers"):
        varde.bandits.measure(varde.VarDE(), Gaussian([1e308, 0.0], [1.0, 1.0]), 100)


def test_rewards_and_results_may_be_true_or_false():
    known = Discovered(["x", "y"])
    assert known.steps(lambda state, action, rng: (state, np.True_), None)(known.meet("a"), 0)[1] == 1.0
    assert varde.tabulate({"a": {"x": [(1, "a", True)]}}).model.outcomes["reward"].tolist() == [1.0]
    found = varde.select(lambda option: option > 1, [1, 2], 10)
    assert found.best == 2 and found.rows[1].mean == 1.0


def test_any_array_of_numbers_will_do():
    means = np.array([0.1, 0.9, 0.5])
    for given in (means[::-1], means.astype(">f8"), means.astype(np.float32), means.astype(object), tuple(means)):
        found = varde.bandits.measure(varde.VarDE(), Bernoulli(given), 60, runs=2, engine="python")
        assert found.best == pytest.approx(0.9)


# -- in a process of its own ---------------------------------------------------------------------


def test_a_snippet_that_hangs_or_crashes_is_told():
    assert isolated("while True: pass", timeout=1.0).code == "hang"
    assert isolated("import ctypes; ctypes.string_at(0)").code == "SIGSEGV"
    assert isolated("print('x'); raise SystemExit(3)")[:2] == (3, "x\n")


def test_a_move_is_made_even_where_there_is_no_time():
    with engine_of("python"):
        move = varde.plan(river_swim(4), 0, 100, horizon=3, seconds=1e-300)
    assert move.certificate.spent == 1 and move.stopped == "seconds"
