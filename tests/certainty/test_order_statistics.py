"""Quantiles by order: binomial probabilities, coverage, and what is believed beyond the last result."""

import math

import numpy as np
import pytest
from scipy import stats

from varde.certainty.order_statistics import Orders, deviate_of, estimate, interval, place_of, upper_tail


@pytest.mark.parametrize("count", [3, 10, 100])
@pytest.mark.parametrize("q", [0.05, 0.5, 0.9, 0.99])
def test_the_chance_to_be_below_a_result_is_binomial(count, q):
    ranks = np.arange(1.0, count + 1.0)
    assert stats.norm.cdf(deviate_of(count, q, ranks)) == pytest.approx(stats.binom.cdf(ranks - 1, count, q), abs=0.012)


@pytest.mark.parametrize("q", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("count", [1, 4, 30, 300])
def test_beliefs_can_be_turned_round(count, q):
    values = [np.random.default_rng(count).exponential(size=count), np.zeros(0), np.arange(9.0)]
    beliefs, deviates = Orders(values, q), np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    x = beliefs.quantile(deviates)
    assert (np.diff(x, axis=0) >= 0.0).all()
    for i in range(3):
        again = beliefs.take(np.array([i])).log_below(x[:, i])[:, 0]
        assert np.exp(again) == pytest.approx(stats.norm.cdf(deviates), abs=0.012)


def test_an_estimate_is_as_often_too_high_as_too_low():
    rng, true = np.random.default_rng(5), -math.log(0.1)
    found = np.array([estimate(sorted(rng.exponential(size=20).tolist()), 0.9) for _ in range(1500)])
    assert np.mean(found[:, 0] < true) == pytest.approx(0.5, abs=0.05)
    assert np.median(found[:, 1]) == pytest.approx(found[:, 0].std(), rel=0.25), "and its error is what it says"


@pytest.mark.parametrize(("q", "count"), [(0.5, 15), (0.9, 60), (0.95, 120)])
def test_intervals_hold_whatever_the_distribution(q, count):
    rng = np.random.default_rng(3)
    for draw, true in ((rng.exponential, -math.log(1.0 - q)), (rng.normal, stats.norm.ppf(q))):
        ends = [interval(np.sort(draw(size=count)), q) for _ in range(800)]
        assert np.mean([low <= true <= high for low, high in ends]) >= 0.94


def test_what_was_not_seen_has_no_interval():
    low, high = interval(np.arange(20.0), 0.95)
    assert low == 16.0 and high == math.inf
    assert interval(np.array([1.0]), 0.5) == (-math.inf, math.inf)


def test_beyond_the_last_result_the_tail_goes_on():
    """1 - q^N of the chances lie below the highest result, whatever it is; then Lomax, as long as the upper half is."""
    values = np.sort(np.random.default_rng(2).exponential(size=10))
    beliefs = Orders([values], 0.95)
    assert np.exp(beliefs.log_below(values[-1:]))[0, 0] == pytest.approx(1.0 - 0.95**10, abs=0.006)
    beyond = values[-1] + 5.0 * math.expm1(1.0 / 5.0) * upper_tail(values.tolist())
    assert np.exp(beliefs.log_below(np.array([beyond])))[0, 0] == pytest.approx(1.0 - (1.0 - 0.05 * math.e) ** 10)
    place = place_of(10, 0.95, 1.0)
    assert place.rank == 10 and place.beyond > 0.5 and place_of(10, 0.05, -1.0).beyond == -place.beyond


def test_where_nothing_moved_the_lead_is_all_that_is_known():
    from varde.certainty import largest

    once, often = (Orders([np.full(n, 1.0), np.full(n, 2.0)], 0.5) for n in (1, 40))
    assert largest(once, 1)[0][1] < 0.9 and largest(often, 1)[0][1] > 0.99
