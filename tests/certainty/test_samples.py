"""Beliefs from samples and from estimates."""

import math

import numpy as np
import pytest

from varde.certainty import Beliefs, believe, from_estimates, gather, largest, pooled_variance


def test_moments():
    values = [np.array([1.0, 2.0, 4.0]), np.array([]), np.array([5.0])]
    found = gather(values)
    assert found.counts.tolist() == [3, 0, 1] and math.isnan(found.means[1])
    assert found.means[[0, 2]] == pytest.approx([7 / 3, 5.0]) and found.squares == pytest.approx([14 / 3, 0.0, 0.0])
    shifted = gather([x + 1e9 for x in values])
    assert shifted.squares == pytest.approx(found.squares) and pooled_variance(shifted) == pytest.approx(
        pooled_variance(found)
    )


def test_kurtosis_tells_spikes_from_noise():
    rng = np.random.default_rng(0)
    assert gather([rng.normal(size=500) * scale for scale in (1.0, 1.0, 9.0)]).kurtosis == pytest.approx(3.0, abs=0.5)
    assert gather([(rng.random(500) < 0.05).astype(float) for _ in range(3)]).kurtosis > 12.0


def test_a_quiet_option_is_believed_the_later_the_heavier_the_tails():
    """Numbers recorded once: each constant of the model moves them."""
    spikes = [np.array([0.0] * 9 + [9.0]), np.array([0.0] * 9 + [0.5]), np.array([0.0, 0.1] * 5)]
    found = believe(gather(spikes))
    assert found.scales == pytest.approx([0.78570527, 0.47746565, 0.47709601])
    plain = believe(gather(spikes)._replace(kurtosis=3.0))
    assert plain.scales == pytest.approx([0.78570527, 0.31340967, 0.31112225])
    assert found.freedom.tolist() == [14.0] * 3, "four more than there are samples"


def test_estimates_with_unequal_errors():
    """Normal estimates of actions whose noise differs: random numbers say the same."""
    estimates, errors = np.array([1.0, 0.6, -1.0]), np.array([0.01, 0.15, 1.0])
    beliefs = from_estimates(estimates, errors, np.full(3, 10_000))
    draws = np.random.default_rng(0).normal(estimates, errors, (200_000, 3)).argmax(axis=1)
    assert largest(beliefs, 0)[0] == pytest.approx(np.bincount(draws) / draws.size, abs=2e-3)


def test_what_was_never_tried_is_level_with_the_leader():
    beliefs = from_estimates(np.array([1.0, 0.5, math.nan]), np.array([0.1, 0.1, math.nan]), np.array([10, 10, 0]))
    assert beliefs.centers[2] == 1.0 and beliefs.scales[2] == pytest.approx(math.hypot(0.25, 0.1))
    assert largest(beliefs, 0)[0][2] == pytest.approx(0.5, abs=0.02)
    untried = from_estimates(np.full(4, math.nan), np.full(4, math.nan), np.zeros(4))
    assert isinstance(untried, Beliefs) and largest(untried, 0)[0] == pytest.approx([0.25] * 4)
