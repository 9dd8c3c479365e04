"""The belief about options: the formulas written out plainly, numbers and arrays alike, and what h stands for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from varde.beliefs import Floor, Pooled
from varde.beliefs.belief import belief_of, believed, common_of


def results_of(seed, size=6):
    """Lists of results, mostly zero in half of the cases."""
    rng = np.random.default_rng(seed)
    share = rng.choice([0.15, 1.0])
    return [rng.exponential(size=n) * (rng.random(n) < share) for n in rng.integers(3, 30, size)]


def moments_of(lists):
    counts, means = np.array([float(len(x)) for x in lists]), np.array([x.mean() for x in lists])
    return counts, means, np.array([((x - x.mean()) ** 2).sum() for x in lists])


@given(st.integers(0, 10_000))
def test_the_belief_is_the_formulas(seed):
    lists = results_of(seed)
    every = np.concatenate(lists)
    if not every.any():
        return
    n, size = every.size, len(lists)
    pooled = sum(((x - x.mean()) ** 2).sum() for x in lists) / (n - size)
    common, low = every.mean(), every.min()
    h = 2.0 * max(pooled / (common - low) ** 2 - 1.0, 0.0)
    found = belief_of(Pooled(), *moments_of(lists), low)
    for i, x in enumerate(lists):
        squares = ((x - x.mean()) ** 2).sum()
        assert found.expected[i] == pytest.approx((x.sum() + h * common) / (x.size + h))
        assert found.noise[i] == pytest.approx(((5.0 + h) * pooled + squares) / (4.0 + x.size))
        shrunk = ((5.0 + h) * pooled + squares) / (4.0 + x.size + h)
        assert found.errors[i] == pytest.approx(shrunk / (x.size + h))


@given(st.integers(0, 10_000))
def test_numbers_and_arrays_give_the_same_bits(seed):
    counts, means, squares = moments_of(results_of(seed))
    common = common_of(Pooled(), 1.5, 0.4, 0.0)
    columns = believed(Pooled(), common, counts, means, squares)
    for i in range(counts.size):
        assert tuple(x[i] for x in columns) == believed(Pooled(), common, counts[i], means[i], squares[i])


def test_two_successes_of_rare_ones():
    """For 0/1 results with rate p, h = 2 (1 - 2p) / p."""
    p = 0.02
    assert common_of(Pooled(), p * (1.0 - p), p, 0.0).extra == pytest.approx(2.0 * (1.0 - 2.0 * p) / p)
    assert common_of(Pooled(), 0.25, 0.5, 0.0).extra == 0.0, "heads as often as tails"


@pytest.mark.parametrize(
    ("pooled", "mean", "low"),
    [(1.0, 1.0, 0.0), (1.0, 5.0, 0.0), (1.0, 0.3, math.inf), (1.0, 0.3, 0.3), (1.0, -1.0, -1e9)],
    ids=["exponential", "Gaussian", "lowest unknown", "nothing above the lowest", "one hopeless result"],
)
def test_no_more_results_than_there_are(pooled, mean, low):
    assert common_of(Pooled(), pooled, mean, low).extra == 0.0


def test_other_models_of_the_noise_have_no_common_results():
    assert common_of(Floor(), 1.0, 0.1, 0.0).extra == common_of(Pooled(rare=0.0), 1.0, 0.1, 0.0).extra == 0.0


def test_what_has_no_results_is_unknown_and_as_noisy_as_the_rest():
    counts, means, squares = np.array([0.0, 4.0, 4.0]), np.array([0.0, -7.0, -8.0]), np.array([0.0, 2.0, 1.0])
    found = belief_of(Pooled(), counts, means, squares, -9.0)
    assert found.estimates[0] == -math.inf and math.isnan(found.expected[0]) and found.noise[0] == pytest.approx(0.5)


def test_without_two_different_results_there_is_no_belief():
    assert belief_of(Pooled(), np.array([3.0, 1.0]), np.array([2.0, 1.0]), np.zeros(2), 1.0) is None
