"""Chances as they are stated."""

import math

import numpy as np
import pytest

from varde.certainty import doubt


def test_without_a_majority_nothing_changes():
    for fair in (np.full(4, 0.25), np.array([0.4, 0.35, 0.25]), np.array([1.0, 0.0])):
        assert doubt(fair).tolist() == fair.tolist()


def test_a_chance_above_one_half_is_lowered():
    stated = doubt(np.array([0.99, 0.008, 0.002]))
    keep, lose = (p * (1.0 - math.log(p)) for p in (0.99, 0.01))
    assert stated[0] == pytest.approx(keep / (keep + lose)) and stated.sum() == pytest.approx(1.0)
    assert stated[1] == pytest.approx(4.0 * stated[2])


def test_more_is_never_stated_as_less():
    stated = [doubt(np.array([p, 1.0 - p]))[0] for p in np.linspace(0.5, 1.0, 50)]
    assert stated == sorted(stated) and stated[0] == 0.5


def test_tiny_chances_stay_tiny_but_not_nothing():
    assert 0.0 < doubt(np.array([1.0, 1e-40]))[1] < 1e-37


def test_an_option_may_stand_for_several():
    many, few = doubt(np.array([0.8, 0.1, 0.1])), doubt(np.array([0.8, 0.1]), np.array([1.0, 2.0]))
    assert few[0] == pytest.approx(many[0]) and few[1] == pytest.approx(many[1])
