"""The regret: what it is the mean of, and its gradient."""

import math

import numpy as np
import pytest

from varde.beliefs.belief import Belief
from varde.decisions import LogSumExp, Regret, evaluate, expected_regret, weigh
from varde.decisions.decision import weigh_arrays


def belief(estimates, errors):
    estimates = np.array(estimates, float)
    return Belief(np.full(estimates.size, 5.0), estimates, estimates, np.ones(estimates.size), np.array(errors, float))


def weighed(parts):
    """w^2, by the loop."""
    square = np.empty(parts.counts.size)
    weigh(Regret(), parts, square)
    return square


@pytest.mark.parametrize(("gap", "variance"), [(0.0, 1.0), (0.7, 2.0), (3.0, 0.5), (-1.0, 1.0)])
def test_it_is_the_mean_of_what_a_wrong_choice_costs_if_the_error_is_logistic(gap, variance):
    shares = (np.arange(400_000) + 0.5) / 400_000
    drawn = math.sqrt(3.0 * variance) / math.pi * np.log(shares / (1.0 - shares)) - gap
    assert drawn.var() == pytest.approx(variance, rel=1e-3), "the standard error of the gap"
    assert np.maximum(drawn, 0.0).mean() == pytest.approx(expected_regret(gap, variance), abs=1e-5)


def test_it_is_the_soft_maximum_of_two_less_what_the_leader_is_worth():
    temperature = math.sqrt(3.0 * 0.3) / math.pi
    assert evaluate(LogSumExp(temperature), [0.4, 0.1]) - 0.4 == pytest.approx(expected_regret(0.3, 0.3))


def test_the_weights_are_the_squares_of_its_gradient():
    """The variance of all regrets by the variance of every mean, from differences of the regrets."""
    means, errors, step = np.array([1.0, 0.8, 0.3, 0.9, -1.0]), np.array([0.1, 0.2, 0.05, 0.3, 0.1]), 1e-5

    def regrets(shifted):
        return expected_regret(shifted[0] - shifted[1:], errors[0] + errors[1:])

    slopes = np.array([(regrets(means + e) - regrets(means - e)) / (2 * step) for e in step * np.eye(5)])
    expected = (slopes**2).sum(axis=1)
    found = weighed(belief(means, errors))
    assert found / found[0] == pytest.approx(expected / expected[0], rel=1e-6)


CASES = {
    "clear": ([0.0, -40.0, -41.0], [0.5] * 3),
    "clearer": ([0.0, -1e150, -1.1e150], [0.5] * 3),
    "constant and apart": ([1.0, 0.5, 0.0], [0.0] * 3),
    "two constant": ([3.0, 3.0, 1.0], [0.0, 0.0, 1.0]),
    "very large": ([1e100, 0.0, -1e100], [1e-300] * 3),
    "level": ([2.0] * 3, [1.0] * 3),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_nothing_underflows_and_loops_are_arrays(case):
    loop, arrays = weighed(belief(*case)), weigh_arrays(Regret(), belief(*case))
    assert np.isfinite(loop).all() and loop[0] == pytest.approx(loop[1:].sum()) and loop[0] > 0.0
    assert arrays == pytest.approx(loop, rel=1e-12)
    assert loop[1] >= loop[2]


def test_far_away_a_standard_error_counts_as_twice_the_steepness():
    square = weighed(belief(*CASES["clear"]))
    assert square[2] / square[1] == pytest.approx(math.exp(-2.0 * math.pi / math.sqrt(3.0)))


def test_values_known_exactly_are_compared_as_they_are():
    assert weighed(belief([1.0, 1.0, 0.999], [0.0] * 3)).tolist() == [0.25, 0.25, 0.0]


def test_one_part_has_nobody_to_be_ahead_of():
    assert weighed(belief([3.0], [1.0])).tolist() == [1.0] == weigh_arrays(Regret(), belief([3.0], [1.0])).tolist()
