"""Means drawn towards each other."""

import numpy as np
import pytest

from varde.certainty.together import spread_of, together


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


def test_means_far_apart_stay():
    means, errors = together(np.array([0.0, 50.0, 100.0, 150.0]), np.full(4, 1.0), np.ones(4))
    assert means == pytest.approx([0.0, 50.0, 100.0, 150.0], abs=0.1) and errors == pytest.approx([1.0] * 4, rel=0.01)


def test_an_option_moves_as_far_as_it_has_a_say():
    weight = np.array([1.0, 1.0, 1.0, 1.0, 0.5])
    means, errors = together(np.array([0.0, 0.0, 0.0, 0.0, -0.5]), np.ones(5), weight)
    full, _ = together(np.array([0.0, 0.0, 0.0, 0.0, -0.5]), np.ones(5), np.ones(5))
    assert -0.5 < means[4] < full[4] and errors[4] > errors[0]


def test_two_options_are_left_alone():
    for weight in (np.ones(2), np.array([1.0, 0.5, 0.4])):
        size = weight.size
        assert together(np.arange(size) * 0.1, np.ones(size), weight)[0].tolist() == (np.arange(size) * 0.1).tolist()
