"""On which side of a line: closed forms, and numbers that never moved."""

import doctest

import numpy as np
import pytest
from scipy import stats

from varde.certainty import Beliefs, from_values, sides
from varde.certainty.sides import above, beside, shortfall


def test_docstring_examples():
    outcome = doctest.testmod(sides)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_gaussians_in_closed_form():
    centers, scales = np.array([0.0, 0.5, -2.0]), np.array([1.0, 0.1, 3.0])
    beliefs = Beliefs.students(centers, scales, np.full(3, np.inf))
    assert above(beliefs, 0.3) == pytest.approx(stats.norm.sf((0.3 - centers) / scales), abs=1e-5)
    z = (centers - 0.3) / scales
    loss = scales * (stats.norm.pdf(z) - np.abs(z) * stats.norm.sf(np.abs(z)))
    assert shortfall(beliefs, 0.3, centers > 0.3) == pytest.approx(loss.sum(), rel=1e-3)


def test_options_far_from_the_line_have_no_say():
    rng = np.random.default_rng(1)
    near = [0.2 + rng.normal(size=12), -0.3 + rng.normal(size=9)]
    few, many = (
        from_values([*near, *more])._replace(line=0.0)
        for more in ([], [1e4 + 100.0 * rng.normal(size=9), -1e4 + 0.1 * rng.normal(size=9)])
    )
    alone, among = above(beside(few, 0.0)[1], 0.0), above(beside(many, 0.0)[1], 0.0)
    assert among[:2] == pytest.approx(alone, abs=0.01) and among[2] > 0.999 and among[3] < 0.001


def test_numbers_that_never_moved_are_believed_the_more_there_are():
    def chance(count):
        sample = from_values([np.full(count, 5.0), np.full(count, 5.0)])._replace(line=3.0)
        one, other = above(beside(sample, 3.0)[1], 3.0)
        assert one == other
        return one

    assert 0.5 < chance(1) < 0.95 < chance(4) < 0.9999 < chance(30)


def test_on_the_line_nothing_is_known():
    sample = from_values([np.full(4, 3.0), np.full(4, 3.0)])._replace(line=3.0)
    assert above(beside(sample, 3.0)[1], 3.0) == pytest.approx([0.5, 0.5], abs=1e-6)
