"""Recorded results with fixed seeds: the acceptance figures of the default, and what the paper's agents reach."""

import pytest

from varde.environments import forked_river_swim, river_swim
from varde.learning import PAPER, PSRL, EpsilonQ, measure
from varde.paper.best_policy import FORKED_BUDGETS, RIVER_BUDGETS
from varde.rule import VarDE


@pytest.mark.parametrize("length", RIVER_BUDGETS)
def test_varde_on_rivers(length):
    assert measure(VarDE(), river_swim(length), RIVER_BUDGETS[length], runs=10).value[-1] >= 0.99


@pytest.mark.parametrize("length", FORKED_BUDGETS)
def test_varde_on_forked_rivers(length):
    """L = 5 is short of data: one run in six ends below .99, so that ten would be a matter of luck."""
    budget, runs = FORKED_BUDGETS[length], 200 if length == 5 else 10
    assert measure(VarDE(), forked_river_swim(length), budget, runs=runs).value[-1] >= 0.99


@pytest.mark.parametrize("length", [30, 50])
def test_varde_at_a_tenth_of_the_budget(length):
    budget = RIVER_BUDGETS[length] // 10
    assert measure(VarDE(), river_swim(length), budget, runs=40).value[-1] >= 0.97


def test_varde_q_on_the_long_river():
    """Its table ends at all-right, worth .8835; the model of the same data is better."""
    world = river_swim(50)
    assert measure(PAPER, world, 80_000, runs=10).value[-1] == pytest.approx(0.8835, abs=0.01)
    assert measure(PAPER, world, 80_000, runs=10, report="model").value[-1] > 0.97


def test_varde_q_on_short_rivers():
    for length in (5, 10, 20):
        assert measure(PAPER, river_swim(length), RIVER_BUDGETS[length], runs=10).value[-1] > 0.99


def test_baselines_fall_behind_on_longer_rivers():
    """Q-learning reports badly what it has seen; PSRL never comes to the far end."""
    for algorithm, own, model in ((EpsilonQ(), (0.0, 0.8), (0.95, 1.0)), (PSRL(), (0.0, 0.3), (0.0, 0.3))):
        for report, (low, high) in (("own", own), ("model", model)):
            assert low <= measure(algorithm, river_swim(20), 40_000, runs=10, report=report).value[-1] <= high
