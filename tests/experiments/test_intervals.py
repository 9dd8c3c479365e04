"""Intervals: against scipy, and how often they hold the truth."""

import math

import numpy as np
import pytest

from varde.experiments.figure import Figure
from varde.experiments.intervals import half_width, interval
from varde.experiments.study import Outcome, Study

SHARES, MEANS = (Study("s", "", (), 1, percent=percent) for percent in (True, False))


def row(value, stderr, runs):
    return Outcome("p", "a", "", 1, runs, value, stderr, None, None)


def test_a_single_run_has_no_interval():
    assert half_width(row(1.0, 0.0, 1)) == math.inf
    assert interval(MEANS, row(1.0, 0.0, 1)) is None
    assert interval(MEANS, row(math.nan, 1.0, 9)) is None
    assert interval(MEANS, row(1.0, 0.1, 2)) == pytest.approx((1.0 - 1.27062, 1.0 + 1.27062))


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 1.0])
def test_intervals_of_shares_stay_within_0_and_100_and_hold_the_truth(share):
    rng = np.random.default_rng(0)
    found = []
    for errors in rng.binomial(200, share, 2000):
        low, high = interval(SHARES, row(100.0 * errors / 200, 1.0, 200))
        assert 0.0 <= low <= 100.0 * errors / 200 + 1e-9 and high <= 100.0
        found.append(low <= 100.0 * share <= high)
    assert np.mean(found) > 0.93


def test_no_interval_goes_beyond_what_values_can_be():
    capped = Study("s", "", (), 1, percent=False, figure=Figure(most=1.0))
    low, high = interval(capped, row(0.9, 0.1, 10))
    assert low < 0.7 and high == 1.0
