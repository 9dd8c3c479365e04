"""Intervals: how often they hold the truth, and none where the runs do not tell."""

import math

import numpy as np
import pytest

from varde.studies.judging.intervals import interval, mean_ends, share_ends, simplex_quantile
from varde.studies.study import Outcome, Study

SHARES, MEANS = (Study("s", "", (), 1, percent=percent) for percent in (True, False))


def row(value, stderr, runs):
    return Outcome("p", "a", "", 1, runs, value, stderr, None, None)


def test_without_the_runs_a_row_tells_less():
    assert interval(MEANS, row(1.0, 0.0, 1)) is None and interval(MEANS, row(1.0, 0.0, 9)) is None
    assert interval(MEANS, row(math.nan, 1.0, 9)) is None
    assert interval(MEANS, row(1.0, 0.1, 2)) == pytest.approx((1.0 - 1.27062, 1.0 + 1.27062), abs=1e-5)
    assert interval(SHARES, row(0.0, 1.0, 20)) == pytest.approx((0.0, 16.8433), abs=1e-4)
    assert interval(Study("s", "", (), 1, span=(0.0, 1.0)), row(0.9, 0.1, 10))[1] == 1.0
    assert interval(MEANS, row(1.0, 0.1, 2)._replace(low=0.5, high=1.5)) == (0.5, 1.5)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 1.0])
def test_intervals_of_shares_hold_the_truth(share):
    ones = np.random.default_rng(0).binomial(200, share, 2000)
    low, high = share_ends(ones, 200)
    assert ((low <= ones / 200) & (ones / 200 <= high)).all()
    assert np.mean((low <= share) & (share <= high)) > 0.94


DRAWS = {
    "normal": (lambda rng, size: rng.normal(size=size), 0.0, None),
    "exponential": (lambda rng, size: rng.exponential(size=size), 1.0, None),
    "near one end": (lambda rng, size: rng.beta(10.0, 0.5, size), 10.0 / 10.5, (0.0, 1.0)),
    "mostly equal": (lambda rng, size: np.where(rng.random(size) < 0.9, 0.95, 0.2), 0.875, (0.0, 1.0)),
}


@pytest.mark.parametrize("kind", DRAWS)
@pytest.mark.parametrize("n", [2, 5, 10, 300])
def test_intervals_of_means_hold_the_truth_for_few_runs_too(kind, n):
    draw, truth, span = DRAWS[kind]
    low, high = mean_ends(draw(np.random.default_rng(n), (n, 600)), span)
    assert np.mean((low <= truth) & (truth <= high)) > (0.89 if kind == "exponential" else 0.915)
    assert span is None or (low.min() >= span[0] and high.max() <= span[1])


@pytest.mark.parametrize("n", [1, 2, 10, 99])
def test_weights_on_the_simplex_give_clopper_and_pearsons_interval_of_a_share(n):
    ones = np.arange(n + 1)
    values = (np.arange(n)[:, None] < ones).astype(float)
    low = simplex_quantile(np.vstack([values, np.zeros(n + 1)]), 0.025)
    high = simplex_quantile(np.vstack([values, np.ones(n + 1)]), 0.975)
    assert np.allclose((low, high), share_ends(ones, n), rtol=0.0, atol=2e-9)


def test_runs_that_are_all_alike_tell_nothing_unless_the_span_is_known():
    same = np.full((10, 1), 0.884)
    assert np.isnan(mean_ends(same)).all()
    low, high = mean_ends(same, (0.0, 1.0))
    assert 0.5 < low[0] < 0.75 and 0.884 < high[0] < 0.95
    assert np.isnan(mean_ends(same[:1])).all() and np.isfinite(mean_ends(same[:1], (0.0, 1.0))).all()


def test_the_zero_and_the_unit_of_values_do_not_matter():
    values = np.random.default_rng(0).exponential(size=(10, 3))
    low, high = mean_ends(values)
    for zero, unit in ((1e9, 1.0), (0.0, 1e-200), (-5.0, 1e200)):
        moved = mean_ends(zero + unit * values)
        assert np.allclose((moved[0] - zero) / unit, low, atol=1e-6)
        assert np.allclose((moved[1] - zero) / unit, high, atol=1e-6)


def test_a_value_outside_the_span_is_an_error():
    with pytest.raises(ValueError, match=r"from 0.5 to 1.5 lie outside the span: write a wider one"):
        mean_ends(np.array([[0.5], [1.5]]), (0.0, 1.0))
