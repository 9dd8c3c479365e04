"""The gaps to the leader where only some parts are compared, as in a tree; arms and options: test_pairs.py."""

from typing import NamedTuple

import numpy as np
import pytest

from varde.beliefs.parts import error, estimate, noise, samples, size
from varde.decisions import Gaps, weigh
from varde.rule import next_sample


class Edge(NamedTuple):
    """Parts of which some are not compared."""

    estimates: np.ndarray
    errors: np.ndarray
    counts: np.ndarray


size.of(Edge)(lambda parts: parts.counts.size)
estimate.of(Edge)(lambda parts, i: parts.estimates[i])
error.of(Edge)(lambda parts, i: parts.errors[i])
samples.of(Edge)(lambda parts, i: parts.counts[i])
noise.of(Edge)(lambda parts, i: 1.0)


def test_what_is_not_compared_weighs_nothing_and_is_sampled_first():
    parts, square = Edge(np.array([9.0, 1.0, 0.0]), np.full(3, 0.5), np.array([0, 4, 4])), np.empty(3)
    assert weigh(Gaps(2.0), parts, square) == 1
    assert square == pytest.approx([0.0, 1.0, 1.0])
    assert next_sample(Gaps(), parts, square) == 0


def test_values_known_exactly_are_compared_as_they_are():
    parts, square = Edge(np.array([1.0, 1.0, 0.999]), np.zeros(3), np.full(3, 5)), np.empty(3)
    assert weigh(Gaps(), parts, square) == 0
    assert square.tolist() == [1.0, 1.0, 0.0]


def test_one_part_has_nobody_to_be_ahead_of():
    square = np.empty(1)
    assert weigh(Gaps(), Edge(np.array([3.0]), np.array([1.0]), np.array([5])), square) == 0 and square[0] == 1.0
