"""Chances as they are stated."""

import math

import numpy as np
import pytest

from varde.certainty import doubt


def test_without_a_majority_nothing_changes():
    for fair in (np.full(4, 0.25), np.array([0.4, 0.35, 0.25]), np.array([1.0, 0.0])):
        assert doubt(fair, 1.0).tolist() == fair.tolist()


def test_a_chance_above_one_half_is_lowered():
    stated = doubt(np.array([0.99, 0.008, 0.002]), 2.0)
    keep, lose = (p * (1.0 + 0.08 * abs(math.log(p)) ** 3) for p in (0.99, 0.01))
    assert stated[0] == pytest.approx(keep / (keep + lose)) and stated.sum() == pytest.approx(1.0)
    assert stated[1] == pytest.approx(4.0 * stated[2])


def test_more_is_never_stated_as_less():
    stated = [doubt(np.array([p, 1.0 - p]), 1.0)[0] for p in np.linspace(0.5, 1.0, 50)]
    assert stated == sorted(stated) and stated[0] == 0.5


def test_tiny_chances_stay_tiny_but_not_nothing():
    assert doubt(np.array([1.0, 1e-40]), 1.0)[1] == pytest.approx((1.0 + 0.08 * 5.0**3) * 1e-40)


def test_an_option_may_stand_for_several():
    many, few = doubt(np.array([0.8, 0.1, 0.1]), 2.0), doubt(np.array([0.8, 0.1]), 2.0, np.array([1.0, 2.0]))
    assert few[0] == pytest.approx(many[0]) and few[1] == pytest.approx(many[1])


def test_many_rivals_that_matter_show_how_large_gaps_are():
    chances = np.array([0.9, 0.06, 0.04])
    full, two, eight = (doubt(chances, rivals)[0] for rivals in (0.0, 2.0, 8.0))
    keep, lose = (p * (1.0 + 0.08 / 4.0 * abs(math.log(p)) ** 3) for p in (0.9, 0.1))
    assert full == two < eight == pytest.approx(keep / (keep + lose))
