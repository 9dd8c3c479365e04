"""The noise of single results; each constant is held by a number worked out by hand."""

import math

import numpy as np
import pytest
from scipy import special

from varde.certainty import Sample, from_values
from varde.certainty.noise import noise, polygamma, tails


def sample_of(counts, variances, means=None):
    counts = np.array(counts, float)
    means = np.zeros(counts.size) if means is None else np.array(means, float)
    return Sample(counts, means, np.array(variances, float) * np.maximum(counts - 1.0, 0.0))


def test_derivatives_of_the_gamma_function():
    x = np.array([0.15, 0.5, 1.0, 7.0, 400.0])
    first, second = polygamma(x)
    assert first == pytest.approx(special.digamma(x), abs=1e-7) and second == pytest.approx(special.polygamma(1, x))


def test_equal_noise_is_shared_and_worth_five_degrees_of_freedom():
    variance, freedom = noise(sample_of([11, 11, 11], [1.0, 1.0, 1.0]), np.ones(3))
    assert variance == pytest.approx([1.0] * 3) and freedom == pytest.approx([15.0] * 3)


def test_different_noise_is_not_shared():
    variance, _ = noise(sample_of([200, 200], [1.0, 1e4]), np.ones(2))
    assert variance == pytest.approx([1.0, 1e4], rel=1e-6)


def test_hopeless_options_lend_nothing():
    variance, freedom = noise(sample_of([4, 4, 4], [1.0, 1.0, 50.0]), np.array([1.0, 1.0, 0.0]))
    assert variance[:2] == pytest.approx([1.0, 1.0]) and freedom[:2] == pytest.approx([6.0, 6.0])


def test_a_single_result_is_lent_two_degrees_of_freedom():
    variance, freedom = noise(sample_of([1, 50], [0.0, 3.0]), np.ones(2))
    assert variance[0] == pytest.approx(3.0) and freedom[0] == 2.0


def test_heavy_tails_devalue_the_own_variance():
    """d = f / (1 + k / 4): 12 degrees of freedom are worth 4 where k is 8."""
    _, freedom = noise(sample_of([13, 1], [1.0, 0.0]), np.array([1.0, 0.0]), np.array([8.0, 0.0]))
    assert freedom[0] == pytest.approx(4.0)


def test_a_quiet_option_may_not_have_had_its_spike():
    """a = exp(-6 N / k), d = f / (1 + k / 4), at most 5 lent."""
    counts, excess = [10, 1001], 60.0
    variance, _ = noise(sample_of(counts, [1e-6, 1.0]), np.ones(2), excess)
    own = 9.0 / (1.0 + excess / 4.0)
    assert math.exp(-6.0 * 10 / 60.0) * 1000.0 / (1.0 + excess / 4.0) > 5.0
    assert variance[0] == pytest.approx(5.0 / (5.0 + own), rel=1e-4)
    few, _ = noise(sample_of([10, 21], [1e-6, 1.0]), np.ones(2), excess)
    lent = math.exp(-1.0) * 20.0 / 16.0
    assert few[0] == pytest.approx(lent / (lent + own), rel=1e-4)


def test_levels_of_noise_are_compared_with_at_least_three_tenths_of_a_degree():
    """Two options with two results each whose worth, at an excess of 40, is 1/11 of a degree."""
    sample, own = sample_of([2, 2], [1.0, 1e-9]), 1.0 / 11.0
    variance, _ = noise(sample, np.ones(2), 40.0)
    level = math.log(1e-9)  # of the second below the first; the blur of both is trigamma(.15)
    alike = math.exp(-(level**2) / (4.0 * float(special.polygamma(1, 0.15))))
    assert variance[0] == pytest.approx(own / (own + alike * own), rel=1e-6)


def test_where_nothing_moved_the_lead_stands_in_for_one_result():
    variance, freedom = noise(sample_of([4, 4, 4], [0.0] * 3, [0.3, 0.5, 0.7]), np.ones(3))
    assert variance == pytest.approx([0.04 / 4.0] * 3) and freedom.tolist() == [4.0] * 3
    assert np.isinf(noise(sample_of([4, 4], [0.0] * 2), np.ones(2))[0]).all()


def test_an_option_that_hardly_matters_is_not_heard_alone():
    sample = sample_of([4, 4, 4], [0.0, 0.0, 99.0], [0.5, 0.5, -90.0])
    for said, heard in ((0.49, False), (0.5, True)):
        assert np.isfinite(noise(sample, np.array([1.0, 1.0, said]))[0][0]) == heard


def test_a_leader_that_never_moved_borrows_from_anybody():
    variance, _ = noise(sample_of([4, 40], [0.0, 2.0], [9.0, 0.0]), np.array([1.0, 0.0]))
    assert variance[0] == pytest.approx(5.0 * 2.0 / 8.0)


def test_many_sources_are_grouped(monkeypatch):
    rng = np.random.default_rng(0)
    sample = sample_of([6] * 600, rng.exponential(size=600))
    some = noise(sample, np.ones(600))[0]
    monkeypatch.setattr("varde.certainty.noise.GROUPS", 10_000)
    one_by_one = noise(sample, np.ones(600))[0]
    assert some == pytest.approx(one_by_one, rel=0.02, abs=2e-4) and (some != one_by_one).any()


def test_tails_tell_spikes_from_noise():
    rng = np.random.default_rng(0)
    normal = from_values([rng.normal(size=500) * scale for scale in (1.0, 1.0, 9.0)])
    assert tails(normal, np.ones(3)) == pytest.approx((0.0, 0.0), abs=0.5)
    spikes = from_values([(rng.random(500) < 0.05).astype(float) for _ in range(3)])
    skewness, excess = tails(spikes, np.ones(3))
    assert skewness == pytest.approx(4.0, abs=0.7) and excess > 10.0
    assert tails(spikes._replace(cubes=None), np.ones(3)) == (0.0, 0.0)
