"""Quantiles by order: binomial probabilities, coverage, and chances without assumptions."""

import math

import numpy as np
import pytest
from scipy import stats

from varde.certainty.order_statistics import compare, deviate_of, estimate, fewer, interval


@pytest.mark.parametrize("count", [3, 10, 100])
@pytest.mark.parametrize("q", [0.05, 0.5, 0.9, 0.99])
def test_the_chance_to_be_below_a_result_is_binomial(count, q):
    ranks = np.arange(1.0, count + 1.0)
    assert stats.norm.cdf(deviate_of(count, q, ranks)) == pytest.approx(stats.binom.cdf(ranks - 1, count, q), abs=0.012)


@pytest.mark.parametrize("q", [0.05, 0.5, 0.99])
def test_binomial_sums_are_exact(q):
    assert fewer(30, q) == pytest.approx(stats.binom.cdf(np.arange(-1, 31), 30, q), abs=1e-12)


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


def test_beyond_the_last_result_anything_is_possible():
    """The chance cannot be higher than that of having seen the quantile at all, however far ahead the leader is."""
    fast, slow = np.full(17, -1.0), np.full(20, -5.0)
    found = compare([fast, slow], 0.05, 0)
    assert found.right == pytest.approx(1.0 - 0.95**17) and found.upper[1] == pytest.approx(1.0 - found.right)
    assert math.isnan(found.regret)


def test_enough_results_tell_medians_apart():
    rng = np.random.default_rng(2)
    values = [np.sort(rng.normal(mean, 1.0, 60)) for mean in (0.0, 2.0, 0.5)]
    found = compare(values, 0.5, 1)
    assert found.right > 0.999 and found.upper.max() < 0.001 and 0.0 <= found.regret < 0.001
    assert found.chances.sum() + found.right == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.05, 0.13, 0.3])
def test_no_rare_slow_calls_are_overlooked(share):
    """The lowest p90 of a service with rare slow calls and one that is never fast: few are wrongly stated at 95 %."""
    rng, q, wrong = np.random.default_rng(7), 0.1, 0
    truth = [-100.0 if share > q else -1.0, -4.9]
    for _ in range(500):
        values = [np.sort(-1.0 - 99.0 * (rng.random(30) < share)), np.sort(-4.0 - rng.random(30))]
        best = int(np.argmax([estimate(x.tolist(), q)[0] for x in values]))
        wrong += compare(values, q, best).right >= 0.95 and truth[best] < max(truth)
    assert wrong <= 0.05 * 500 + 3.0 * math.sqrt(500 * 0.05 * 0.95)
