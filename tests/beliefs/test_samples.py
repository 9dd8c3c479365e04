"""What was seen of every option."""

import numpy as np
import pytest

from varde.beliefs.samples import Block, Sample, from_values


def test_moments_of_raw_results():
    found = from_values([np.array([1.0, 2.0, 4.0]), np.array([]), np.array([5.0])])
    assert found.counts.tolist() == [3, 0, 1] and found.means[[0, 2]] == pytest.approx([7 / 3, 5.0])
    away = np.array([1.0, 2.0, 4.0]) - 7 / 3
    for power, column in ((2, found.squares), (3, found.cubes)):
        assert column == pytest.approx([(away**power).sum(), 0.0, 0.0])
    assert found.leader == 2


def test_a_large_shift_costs_no_digits():
    values = [np.array([1.0, 2.0, 4.0]), np.array([3.0, 3.5])]
    plain, shifted = from_values(values), from_values([x + 2.0**40 for x in values])
    assert shifted.squares.tolist() == pytest.approx(plain.squares.tolist())
    assert (shifted.means - 2.0**40).tolist() == pytest.approx(plain.means.tolist(), abs=1e-3)


def test_one_far_option_costs_the_others_no_digits():
    values = [np.array([0.1, 0.2, 0.4]), np.array([0.3, 0.7]), np.array([1e120, 1e120 * (1 + 1e-9)])]
    assert from_values(values).squares[:2].tolist() == from_values(values[:2]).squares.tolist()


def test_rounding_does_not_look_like_noise():
    assert from_values([np.full(7, 0.1), np.full(3, 0.7)]).squares.tolist() == [0.0, 0.0]


def test_equal_rates_are_exactly_equal():
    successes = [np.repeat([1.0, 0.0], [1, 2]), np.repeat([0.0, 1.0], [20, 10])]
    assert from_values(successes).means[0] == from_values(successes).means[1]


def test_results_told_together_have_the_moments_of_single_ones():
    values = [np.array([1.0, 1.0, 0.0, 4.0]), np.array([2.0, 3.0])]
    told = from_values([values[0][2:], values[1][:0]], blocks=[[Block(1.0, 2)], [Block(2.5, 2, 0.5)]])
    for found, single in zip(told[:4], from_values(values)[:4], strict=True):
        assert found == pytest.approx(single)
    assert told.highs.tolist() == [4.0, -np.inf], "a summary does not say how far its results reach"


def test_of_dependent_results_only_some_count():
    sample = from_values([np.array([1.0, 1.0, 2.0, 2.0, 5.0, 5.0]), np.array([0.0, 1.0])])
    half = sample.thinned(np.array([2.0, 1.0]))
    once = from_values([np.array([1.0, 2.0, 5.0]), np.array([0.0, 1.0])])
    for found, single in zip(half[:4], once[:4], strict=True):
        assert found == pytest.approx(single)


def test_what_is_left_of_an_error():
    sample = Sample(np.array([10.0, 10.0, 0.0]), np.zeros(3), np.ones(3))
    assert sample.effective.tolist() == [10.0, 10.0, 1.0]
    half = sample._replace(left=np.array([0.5, 0.0, 1.0])).effective
    assert half[0] == 20.0 and half[1] >= 1e12 and half[2] == 1.0
