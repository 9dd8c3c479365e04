"""Intervals of numbers."""

import numpy as np
import pytest
from scipy import stats

from varde.certainty.intervals import bent
from varde.certainty.student import DEVIATE, student_score


def test_without_skewness_they_are_students():
    lows, highs = bent(np.array([3.0]), np.array([0.5]), np.array([12.0]), 0.0, np.array([10.0]))
    assert highs[0] == pytest.approx(3.0 + 0.5 * stats.t.ppf(0.975, 12), abs=0.01) and lows[0] == pytest.approx(
        6.0 - highs[0]
    )


def test_skewness_bends_them_as_hall_does():
    """T + q (T^2 / 3 + 1 / 6) + q^2 T^3 / 27 is Student's."""
    lows, highs = bent(np.zeros(1), np.ones(1), np.array([24.0]), 2.0, np.array([25.0]))
    q, y = 0.4, student_score(np.array(DEVIATE), np.array(24.0))
    for t, target in ((-lows[0], y), (-highs[0], -y)):
        assert t + q * (t * t / 3.0 + 1.0 / 6.0) + q * q * t**3 / 27.0 == pytest.approx(target)
    assert highs[0] > -lows[0], "results skewed to the right leave more room above"


def test_the_bend_has_a_limit():
    far, at, near = (bent(np.zeros(1), np.ones(1), np.array([3.0]), g, np.array([4.0]))[1][0] for g in (50.0, 4.0, 3.9))
    assert far == at != near


def test_there_is_at_least_one_degree_of_freedom():
    few, one = (bent(np.zeros(1), np.ones(1), np.array([f]), 0.0, np.array([2.0]))[1][0] for f in (0.2, 1.0))
    assert few == one
