"""The gaps on arrays: closed forms, the formulas written out plainly, units, and cases without information."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from varde import Gaps, Pooled, VarDE
from varde.decisions.gap_table import GapTable, gap_scores
from varde.rule import shrinkage


def plain_scores(counts, means, squares, focus=3.0, prior=5.0, guard=20.0):
    """Component by component, as one would write it by hand; only where everything has a sample."""
    size = len(counts)
    pooled = sum(squares) / sum(n - 1 for n in counts)
    leader = max(range(size), key=lambda i: (means[i], -i))
    own = [(prior * pooled + squares[i]) / (prior + counts[i] - 1) for i in range(size)]
    weights = []
    for i in range(size):
        wary = own[i] + max(0.0, pooled - own[i]) * guard / (guard + counts[i])
        z = (means[leader] - means[i]) / math.sqrt(own[leader] / counts[leader] + wary / counts[i])
        weights.append(math.exp(-focus * z))
    weights[leader] = sum(w for i, w in enumerate(weights) if i != leader)
    return np.array([w * s / (n * (n + 1)) for w, s, n in zip(weights, own, counts, strict=True)])


def table_scores(rule, counts, means, squares):
    table = GapTable(rule, len(counts))
    for i, moments in enumerate(zip(counts.tolist(), means.tolist(), squares.tolist(), strict=True)):
        if moments[0] > 0:
            table.put(i, *moments)
    with np.errstate(divide="ignore"):
        return table.noise() * shrinkage(counts)


def random_moments(seed, size=None):
    rng = np.random.default_rng(seed)
    size = size or int(rng.integers(2, 12))
    counts = rng.integers(1, 40, size)
    counts[0] += 1  # a degree of freedom at least
    return counts, rng.normal(size=size), rng.exponential(size=size) * (counts - 1)


def relative(scores):
    return scores / scores.max()


@given(st.integers(0, 10_000))
def test_scores_are_the_formulas(seed):
    counts, means, squares = random_moments(seed)
    expected = relative(plain_scores(counts.tolist(), means.tolist(), squares.tolist()))
    assert relative(gap_scores(VarDE(), counts, means, squares)) == pytest.approx(expected, rel=1e-9)
    assert relative(table_scores(VarDE(), counts, means, squares)) == pytest.approx(expected, rel=1e-9)


def test_settings_enter():
    counts, means, squares = random_moments(3, 6)
    expected = relative(plain_scores(counts.tolist(), means.tolist(), squares.tolist(), 2.0, 3.0, 7.0))
    assert relative(gap_scores(VarDE(Gaps(2.0), Pooled(3.0, 7.0)), counts, means, squares)) == pytest.approx(
        expected, rel=1e-9
    )


@given(st.integers(0, 10_000))
def test_the_table_depends_on_the_moments_alone(seed):
    """Not on the way there: a resumed selection goes on with the same bits."""
    rule, (counts, means, squares) = VarDE(), random_moments(seed)
    table, resumed, rng = GapTable(rule, counts.size), GapTable(rule, counts.size), np.random.default_rng(seed)
    for i in rng.permutation(counts.size).tolist():
        table.put(i, int(rng.integers(1, 9)), float(rng.normal()), float(rng.exponential()))
        table.put(i, int(counts[i]), float(means[i]), float(squares[i]))
    resumed.fill(counts, means, squares)
    assert np.array_equal(table.noise(), resumed.noise())


def test_equal_scores_give_the_leader_its_share_of_ocba():
    """Counts at which all scores are equal: N_b^2 / s2_b = sum N_j^2 / s2_j, up to N (N + 1) for N^2."""
    means, deviations = np.array([1.0, 0.9, 0.7, 0.2]), np.array([0.5, 1.0, 0.7, 2.0])
    counts = np.full(4, 20.0)
    for _ in range(20_000):
        squares = deviations**2 * (counts - 1.0)
        counts[np.argmax(gap_scores(VarDE(noise=Pooled(1e-9)), counts, means, squares))] += 1.0
    left, right = counts[0] ** 2 / 0.25, (counts[1:] ** 2 / deviations[1:] ** 2).sum()
    assert left == pytest.approx(right, rel=0.01)
    scores = gap_scores(VarDE(noise=Pooled(1e-9)), counts, means, deviations**2 * (counts - 1.0))
    assert scores.min() > 0.98 * scores.max()


@pytest.mark.parametrize("scores", [gap_scores, table_scores])
def test_units_and_zero_do_not_matter(scores):
    counts, means, squares = random_moments(5, 8)
    given_scores = scores(VarDE(), counts, means, squares)
    powers = scores(VarDE(), counts, 1024.0 * means, 1024.0**2 * squares)
    assert np.array_equal(powers, 1024.0**2 * given_scores)
    assert relative(scores(VarDE(), counts, 1000.0 * means + 1e6, 1e6 * squares)) == pytest.approx(
        relative(given_scores), rel=1e-6
    )


@pytest.mark.parametrize("scores", [gap_scores, table_scores])
def test_without_any_noise_the_fewest_samples_come_first(scores):
    counts, none = np.array([4, 3, 4]), np.zeros(3)
    assert np.argmax(scores(VarDE(), counts, np.array([1.0, 2.0, 3.0]), none)) == 1
    assert np.array_equal(scores(VarDE(), np.zeros(3, int), none, none), np.full(3, np.inf))
    assert np.array_equal(scores(VarDE(), np.array([1, 0, 2]), none, none), [0.5, np.inf, 1 / 6])


@pytest.mark.parametrize("scores", [gap_scores, table_scores])
def test_components_without_samples(scores):
    """Infinite before anything is asked; never the leader, whatever number stands for their mean."""
    counts, squares = np.array([0, 3, 2]), np.array([0.0, 1.0, 0.5])
    found = scores(VarDE(), counts, np.array([0.0, -7.0, -8.0]), squares)
    assert found[0] == np.inf and np.isfinite(found[1:]).all() and found[1] > found[2] > 0.0


def test_pending_samples_count_twice_in_n_and_in_nothing_else():
    counts, means, squares = random_moments(7, 5)
    pending = np.array([0, 2, 0, 1, 5])
    ratio = gap_scores(VarDE(), counts, means, squares, pending) / gap_scores(VarDE(), counts, means, squares)
    assert ratio == pytest.approx(shrinkage(counts + 2 * pending) / shrinkage(counts))
    # The first sample is on its way: as uncertain as the leader, as noisy as the others.
    unseen, moments = np.array([0, 3, 2]), (np.array([0.0, -7.0, -8.0]), np.array([0.0, 1.0, 0.5]))
    assert gap_scores(VarDE(), unseen, *moments, np.array([1, 0, 0]))[0] == pytest.approx(0.5 * 0.5)


def test_costs_divide():
    counts, means, squares = random_moments(8, 4)
    costs = np.array([1.0, 2.0, 4.0, 0.5])
    scores = gap_scores(VarDE(), counts, means, squares)
    assert gap_scores(VarDE(), counts, means, squares, costs=costs) == pytest.approx(scores / costs)


def test_ties_in_the_lead_and_clear_cases():
    """Two leaders differ by what follows from the index alone; 1000 standard errors do not underflow."""
    counts, squares = np.full(3, 9), np.full(3, 8.0)
    tied = gap_scores(VarDE(), counts, np.array([2.0, 2.0, 0.0]), squares)
    assert tied[0] > tied[1] > tied[2] and tied[0] == pytest.approx(tied[1], rel=0.01)
    clear = gap_scores(VarDE(), counts, np.array([0.0, 1e6, 0.0]), squares)
    assert clear[1] == clear[0] + clear[2] and clear[0] == clear[2] > 0.0


@pytest.mark.parametrize("scores", [gap_scores, table_scores])
def test_the_last_one_standing(scores):
    assert scores(VarDE(), np.array([4]), np.array([1.0]), np.array([3.0])) > 0.0


def test_one_sample_each_is_enough_to_go_on():
    counts, means, squares = np.array([1, 1, 2]), np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.0, 0.1])
    assert np.isfinite(gap_scores(VarDE(), counts, means, squares)).all()
