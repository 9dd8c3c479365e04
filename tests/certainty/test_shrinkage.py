"""Means drawn towards each other."""

import math

import numpy as np
import pytest

from varde.certainty.shrinkage import spread_of, strength, together


def test_the_spread_solves_its_equation():
    rng = np.random.default_rng(0)
    means, errors, weight = 2.0 * rng.normal(size=9), rng.exponential(size=9) + 0.1, rng.uniform(0.2, 1.0, 9)
    free = weight.sum() - 1.0
    spread, center = spread_of(means, errors, weight, free)
    assert spread > 0.0 and (weight / (spread + errors)) @ (means - center) ** 2 == pytest.approx(free)
    assert spread_of(0.1 * means, errors, weight, free)[0] == 0.0


def test_equal_means_stay_and_their_errors_shrink():
    """A' = 3 e / F, kept = A' / (A' + e): 3/8 and 3/11 of four."""
    means, errors = together(np.ones(4), np.full(4, 0.2), np.ones(4))
    assert means.tolist() == [1.0] * 4 and errors == pytest.approx([0.1] * 4)


def test_no_mean_moves_by_more_than_a_standard_error():
    means, errors = together(np.array([0.0] * 20 + [2.5]), np.full(21, 1.0), np.ones(21))
    assert means[20] == pytest.approx(1.5) and errors[20] == 1.0 and errors[0] < 0.3


def test_what_is_far_below_is_no_hidden_treasure():
    """Its error shrinks like the others', however far it may not move."""
    means, errors = together(np.array([0.0] * 20 + [-9.0]), np.r_[np.full(20, 0.1), 9.0], np.ones(21))
    assert means[20] == pytest.approx(-6.0) and errors[20] < 0.2


def test_what_is_lent_grows_as_the_spread_shrinks():
    """n = single / A': of equal rates A' is 3 e / F."""
    rates, tries, weight = np.full(7, 0.3), np.full(7, 10.0), np.ones(7)
    assert strength(rates, 0.21, tries, weight, 0.3) == pytest.approx([20.0] * 7)
    many = strength(np.full(30, 0.3), 0.21, np.full(30, 10.0), np.ones(30), 0.3)
    assert many == pytest.approx([10.0 * 0.7 / 0.3] * 30), "at most .7 of all"
    apart = strength(np.linspace(0.0, 1.0, 7), 0.25, tries, weight, 0.5)
    assert apart.max() < 6.0 and strength(rates[:2], 0.21, tries[:2], weight[:2], 0.3).tolist() == [0.0, 0.0]


def test_the_best_are_lent_no_more_than_moves_them_by_a_standard_error():
    rates, tries = np.r_[np.full(20, 0.3), 0.8], np.full(21, 10.0)
    single = 0.21
    lent = strength(rates, single, tries, np.ones(21), 0.3)
    moved = lent[20] / (lent[20] + 10.0) * 0.5
    assert moved == pytest.approx(math.sqrt(single / 10.0)) and lent[0] > lent[20]


def test_means_far_apart_stay():
    means, errors = together(np.array([0.0, 50.0, 100.0, 150.0]), np.full(4, 1.0), np.ones(4))
    assert means == pytest.approx([0.0, 50.0, 100.0, 150.0], abs=0.1) and errors == pytest.approx([1.0] * 4, rel=0.01)


def test_an_option_moves_as_far_as_it_has_a_say():
    weight = np.array([1.0, 1.0, 1.0, 1.0, 0.5])
    means, errors = together(np.array([0.0, 0.0, 0.0, 0.0, -0.5]), np.ones(5), weight)
    full, _ = together(np.array([0.0, 0.0, 0.0, 0.0, -0.5]), np.ones(5), np.ones(5))
    assert -0.5 < means[4] < full[4] and errors[4] > errors[0]


def test_three_options_are_drawn_together():
    assert (together(np.zeros(3), np.ones(3), np.ones(3))[1] < 0.9).all()


def test_two_options_are_left_alone():
    for weight in (np.ones(2), np.array([1.0, 0.5, 0.4])):
        size = weight.size
        assert together(np.arange(size) * 0.1, np.ones(size), weight)[0].tolist() == (np.arange(size) * 0.1).tolist()
