"""The gaps to the leader, by hand."""

import numpy as np

from varde.beliefs.belief import Belief
from varde.decisions import Gaps, weigh


def belief(estimates, errors, counts):
    estimates = np.array(estimates)
    return Belief(np.array(counts), estimates, estimates, np.ones(estimates.size), np.array(errors))


def test_values_known_exactly_are_compared_as_they_are():
    parts, square = belief([1.0, 1.0, 0.999], [0.0] * 3, [5] * 3), np.empty(3)
    assert weigh(Gaps(), parts, square) == 0
    assert square.tolist() == [1.0, 1.0, 0.0]


def test_one_part_has_nobody_to_be_ahead_of():
    square = np.empty(1)
    assert weigh(Gaps(), belief([3.0], [1.0], [5]), square) == 0 and square[0] == 1.0
