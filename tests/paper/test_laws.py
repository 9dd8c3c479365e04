"""What the paper states of every path and every vector, as property tests; its limits are measured by studies."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import varde
from varde.paper import laws


@pytest.mark.parametrize("law", laws.LAWS.values(), ids=lambda law: law.__name__)
def test_no_case_breaks_a_law(law):
    @settings(max_examples=10 if law is laws.pulls else 50, deadline=None)
    @given(st.integers(0, 2**32 - 1))
    def holds(seed):
        assert law(np.random.default_rng(seed)) >= 0.0

    holds()


def test_two_equal_values_reach_the_bounds_of_log_sum_exp():
    equal = np.array([0.3, 0.3])
    assert varde.decisions.evaluate(varde.decisions.LogSumExp(0.1), equal) - 0.3 == pytest.approx(0.1 * math.log(2.0))
    assert np.linalg.norm(laws.hessian(equal, 0.1), 2) == pytest.approx(5.0)


def test_the_bound_of_lemma_b_2_says_something_when_hot_and_nothing_at_the_sizes_of_the_paper():
    assert laws.fewest_pulls(1.0, 0.2, 3, 300) > 1.0
    assert laws.fewest_pulls(0.05, 0.01, 20, 1200) < 0.0


def test_lemma_c_1_as_printed_is_false_for_horizons_above_one():
    """It has exp(-1 / tau), right for values up to 1; over H steps they are up to H: exp(-H / tau) / H."""
    visits, printed, mended = laws.counter_example()
    assert mended <= visits < 5 and printed > 80
