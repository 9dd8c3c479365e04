"""Options that are clearly worse have no say."""

import math

import numpy as np
import pytest

from varde.certainty import Sample
from varde.certainty.relevance import relevance
from varde.certainty.samples import own_variance


def say(means, counts=40.0, variances=1.0):
    size = len(means)
    counts = np.broadcast_to(np.asarray(counts, float), size)
    free = np.maximum(counts - 1.0, 0.0)
    sample = Sample(counts, np.array(means, float), np.broadcast_to(variances, size) * free)
    return relevance(sample, *own_variance(sample))


def test_it_falls_from_two_to_three_and_a_quarter_standard_scores():
    error = np.sqrt(2.0 / 1e6)
    found = say(-error * np.array([0.0, 1.99, 2.5, 3.2, 3.26]), 1e6)
    assert found == pytest.approx([1.0, 1.0, 0.6, 0.04, 0.0], abs=1e-3)


def test_few_results_say_less():
    assert say([0.0, -3.0], 3.0)[1] > say([0.0, -3.0], 30.0)[1] == 0.0


def test_two_results_far_away_are_believed():
    """A score of 10 with three degrees of freedom, though Welch has two for two and two results."""
    z = math.sqrt(3.0 * math.log1p(100.0 / 3.0)) * 25.0 / 27.0
    assert say([0.0, -10.0], 2.0)[1] == pytest.approx((3.25 - z) / 1.25) and z > 2.8


def test_silence_is_no_proof_of_calm():
    assert say([0.0, -0.1], 10.0, [1.0, 0.0]).tolist() == [1.0, 1.0]
    assert say([0.0, -0.1], 10.0, [0.0, 1.0]).tolist() == [1.0, 1.0]


def test_single_results_and_those_never_tried():
    assert say([0.0, -100.0, 50.0], [40.0, 1.0, 0.0]).tolist() == [1.0, 1.0, 0.0]
    assert say([0.0, -100.0], [1.0, 40.0]).tolist() == [1.0, 1.0]
