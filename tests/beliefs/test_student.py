"""Student and the normal distribution, against scipy."""

import math

import numpy as np
import pytest
from scipy import stats

from varde.beliefs.student import DEVIATE, beyond, log_phi, normal_score, student_score


def test_the_normal_distribution():
    z = np.linspace(-36.0, 8.0, 500)
    assert log_phi(z) == pytest.approx(stats.norm.logcdf(z), abs=4e-6)
    assert stats.norm.ppf(0.975) == DEVIATE


@pytest.mark.parametrize("freedom", [4.0, 7.0, 30.0])
def test_students_through_normals(freedom):
    t, f = np.linspace(-8.0, 8.0, 33), np.array(freedom)
    assert np.exp(log_phi(normal_score(t, f))) == pytest.approx(stats.t.cdf(t, freedom), abs=6e-4)
    assert student_score(normal_score(t, f), f) == pytest.approx(t)


def test_infinite_freedom_is_normal():
    z = np.linspace(-3.0, 3.0, 7)
    assert (normal_score(z, np.full(7, np.inf)) == z).all() and (student_score(z, np.full(7, np.inf)) == z).all()


def test_tails():
    for free in (2, 3, 9, 99):
        for t in (0.5, 2.0, -4.0, 8.0):
            assert beyond(t, free) == pytest.approx(2.0 * stats.t.sf(abs(t), free), rel=0.2)
    assert beyond(math.inf, 3) == 0.0
