"""On which side of a line: closed forms, and numbers that never moved."""

import numpy as np
import pytest
from scipy import stats

from varde.certainty import believe, from_values
from varde.certainty.members import exceeding


def chances(values, line, bounds=None):
    sample = from_values(values, bounds)._replace(line=line)
    return exceeding(sample, believe(sample), line)


def test_one_option_and_a_line_is_a_test_of_student():
    values = np.random.default_rng(2).normal(0.4, 1.0, 12)
    values = np.concatenate([values, 2.0 * values.mean() - values])  # without skewness
    exact = stats.ttest_1samp(values, 0.1, alternative="greater").pvalue
    assert chances([values], 0.1)[0] == pytest.approx(1.0 - exact, abs=0.01)


def test_options_far_from_the_line_have_no_say():
    rng = np.random.default_rng(1)
    near = [0.2 + rng.normal(size=12), -0.3 + rng.normal(size=9)]
    far = [1e4 + 100.0 * rng.normal(size=9), -1e4 + 0.1 * rng.normal(size=9)]
    alone, among = chances(near, 0.0), chances([*near, *far], 0.0)
    assert among[:2] == pytest.approx(alone, abs=0.01) and among[2] > 0.999 and among[3] < 0.001


def test_numbers_that_never_moved_are_believed_the_more_there_are():
    found = [chances([np.full(count, 5.0), np.full(count, 5.0)], 3.0) for count in (1, 4, 30)]
    assert all(one == other for one, other in found)
    assert 0.5 < found[0][0] < 0.95 < found[1][0] < 0.9999 < found[2][0]


def test_errors_that_never_came_may_still_be_too_frequent():
    """None of 20 is no proof of fewer than 1 %; none of 500 is."""
    few, many = (chances([np.full(n, 0.0), np.full(n, 0.0)], 0.01, bounds=(0.0, 1.0)) for n in (20, 500))
    assert few.min() >= 0.5 and many.max() == pytest.approx(0.99**500, abs=1e-6)


def test_on_the_line_nothing_is_known():
    assert chances([np.full(4, 3.0), np.full(4, 3.0)], 3.0).tolist() == [0.5, 0.5]
