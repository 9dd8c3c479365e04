"""Intervals: against scipy, and how often they hold the truth."""

import math

import numpy as np
import pytest

from varde.experiments.intervals import half_width, interval, student
from varde.experiments.study import Outcome


def row(value, stderr, runs):
    return Outcome("p", "a", "", 1, runs, value, stderr, None, None)


def test_students_quantile():
    stats = pytest.importorskip("scipy.stats")
    for free in (*range(1, 30), 100, 10_000):
        assert student(free) == pytest.approx(stats.t.ppf(0.975, free), abs=2e-3)


def test_a_single_run_has_no_interval():
    assert half_width(row(1.0, 0.0, 1)) == math.inf
    assert interval(row(1.0, 0.0, 1), percent=False) is None
    assert interval(row(math.nan, 1.0, 9), percent=False) is None
    assert interval(row(1.0, 0.1, 2), percent=False) == pytest.approx((1.0 - 1.27062, 1.0 + 1.27062))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 1.0])
def test_intervals_of_shares_stay_within_0_and_100_and_hold_the_truth(share):
    rng = np.random.default_rng(0)
    found = []
    for errors in rng.binomial(200, share, 2000):
        low, high = interval(row(100.0 * errors / 200, 1.0, 200), percent=True)
        assert 0.0 <= low <= 100.0 * errors / 200 + 1e-9 and high <= 100.0
        found.append(low <= 100.0 * share <= high)
    assert np.mean(found) > 0.93
