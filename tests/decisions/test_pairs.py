"""Decisions over pairs: the formulas written out plainly, loops and arrays alike, and cases without information."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from varde import Best, Top, VarDE
from varde.beliefs import Pooled
from varde.beliefs.belief import belief_of
from varde.decisions import Regret, weigh
from varde.decisions.decision import weigh_arrays, weigh_numbers
from varde.rule import decrements
from varde.selection.goals.top import NEAR

DECISIONS = [Regret(), Top(1), Top(2)]


def random_belief(seed, size=None, low=None):
    """Every second one with h > 0."""
    rng = np.random.default_rng(seed)
    size = size or int(rng.integers(4, 12))
    counts = rng.integers(2, 40, size).astype(float)
    means, squares = np.abs(rng.normal(size=size)), rng.exponential(size=size) * (counts - 1.0)
    return belief_of(Pooled(), counts, means, squares, (0.0 if seed % 2 else -50.0) if low is None else low)


def openness(z):
    return 1.0 / (1.0 + math.exp(math.pi / math.sqrt(3.0) * z)) ** 2


def pairs_of(decision, means):
    """[(i, j)], i ahead of j."""
    order = np.argsort(-means, kind="stable").tolist()
    m = 1 if isinstance(decision, Regret) else decision.m
    return [(i, j) for i in order[:m] for j in order[m:]]


def plain_weights(decision, belief):
    """Pair by pair, as one would write it by hand."""
    mean, error = belief.expected.tolist(), belief.errors.tolist()
    square = np.zeros(belief.counts.size)
    for i, j in pairs_of(decision, belief.estimates):
        z = (mean[i] - mean[j]) / math.sqrt(error[i] + error[j])
        for each in (i, j):
            square[each] += openness(z)
    return square


def relative(weights):
    return weights / weights.max()


@pytest.mark.parametrize("decision", DECISIONS, ids=str)
@given(st.integers(0, 10_000))
def test_loops_and_arrays_are_the_formulas(decision, seed):
    belief = random_belief(seed)
    square, expected = np.empty(belief.counts.size), relative(plain_weights(decision, belief))
    weigh(decision, belief, square)
    assert relative(square) == pytest.approx(expected, rel=1e-9)
    assert relative(weigh_arrays(decision, belief)) == pytest.approx(expected, rel=1e-9)


def test_a_decision_that_knows_no_arrays_is_weighed_by_its_loop():
    from varde.decisions import LogSumExp, gradient

    belief = random_belief(3)
    assert weigh_arrays(LogSumExp(0.3), belief) == pytest.approx(gradient(LogSumExp(0.3), belief.estimates) ** 2)


def test_it_tends_to_the_shares_whose_error_decays_fastest():
    """Glynn and Juneja: N_b^2 / s2_b = sum N_j^2 / s2_j, up to N (N + 1) for N^2, and all gaps z standard errors."""
    means, variances = np.array([1.0, 0.9, 0.7, 0.2]), np.array([0.25, 1.0, 0.49, 4.0])
    rule, counts, apart = VarDE(noise=Pooled(1e-9)), np.full(4, 20.0), []
    for t in range(12_001):
        if t in (300, 3_000, 12_000):
            z = (means[0] - means[1:]) / np.sqrt(variances[0] / counts[0] + variances[1:] / counts[1:])
            apart.append(z.max() / z.min())
        counts[np.argmax(decrements(rule, counts, means, variances * (counts - 1.0)))] += 1.0
    assert counts[0] ** 2 / 0.25 == pytest.approx((counts[1:] ** 2 / variances[1:]).sum(), rel=0.01)
    assert apart[0] > apart[1] > apart[2] < 1.3


@pytest.mark.parametrize("low", [-50.0, 0.0], ids=["h = 0", "h > 0"])
def test_units_and_zero_do_not_matter(low):
    rng = np.random.default_rng(5)
    counts, means, squares = np.full(8, 9.0), np.abs(rng.normal(size=8)), 9.0 * rng.exponential(size=8)
    plain = decrements(VarDE(), counts, means, squares, low)
    powers = decrements(VarDE(), counts, 1024.0 * means, 1024.0**2 * squares, 1024.0 * low)
    assert np.array_equal(powers, 1024.0**2 * plain)
    moved = decrements(VarDE(), counts, 1000.0 * means + 1e6, 1e6 * squares, 1000.0 * low + 1e6)
    assert relative(moved) == pytest.approx(relative(plain), rel=1e-6)


def test_without_any_noise_the_fewest_samples_come_first():
    counts, none = np.array([4, 3, 4]), np.zeros(3)
    assert np.argmax(decrements(VarDE(), counts, np.array([1.0, 2.0, 3.0]), none)) == 1
    assert np.array_equal(decrements(VarDE(), np.zeros(3, int), none, none), np.full(3, np.inf))
    assert np.array_equal(decrements(VarDE(), np.array([1, 0, 2]), none, none), [0.5, np.inf, 1 / 6])


@pytest.mark.parametrize("decision", DECISIONS, ids=str)
def test_what_has_no_samples_is_level_and_nothing_underflows(decision):
    counts, means, squares = np.array([0.0, 9.0, 8.0, 9.0]), np.array([0.0, 3.0, 2.0, 1.0]), np.array([0.0, 8, 7, 8])
    found = weigh_arrays(decision, belief_of(Pooled(), counts, means, squares))
    assert np.isfinite(found).all() and found[0] > 0.1 * found.max()
    far = weigh_arrays(decision, belief_of(Pooled(), counts, 1e6 * means, squares))
    assert np.isfinite(far).all() and far.max() > 0.0


def test_ties_in_the_lead_and_clear_cases():
    """Two leaders differ by what follows from the index alone; 1000 standard errors do not underflow."""
    counts, squares = np.full(3, 9), np.full(3, 8.0)
    tied = decrements(VarDE(), counts, np.array([2.0, 2.0, 0.0]), squares)
    assert tied[0] > tied[1] > tied[2] and tied[0] == pytest.approx(tied[1], rel=0.01)
    clear = decrements(VarDE(), counts, np.array([0.0, 1e6, 0.0]), squares)
    assert clear[1] == clear[0] + clear[2] and clear[0] == clear[2] > 0.0


def test_alone_there_is_nobody_to_be_ahead_of():
    assert decrements(VarDE(), np.array([4]), np.array([1.0]), np.array([3.0])) > 0.0
    assert decrements(VarDE(Top(3)), np.full(3, 4), np.arange(3.0), np.full(3, 3.0)).min() > 0.0, "all are in"


def test_of_many_only_those_near_the_boundary_are_compared():
    belief = random_belief(2, 400)
    some, order = weigh_arrays(Top(150), belief), np.argsort(-belief.estimates)
    assert 0 < np.count_nonzero(some) <= 2 * NEAR
    assert some[order[149]] > 0.0 and some[order[150]] > 0.0 and some.argmax() in order[100:200]


# -- the best within limits ------------------------------------------------------------------------

LIMIT = Best("profit", latency="<= 200")


def limited(means, squares=None, counts=None):
    """[K] w^2 s2 of an objective and the slack of a limit."""
    means = np.array(means)
    counts = np.full(means.shape[1], 10.0) if counts is None else counts
    squares = np.full(means.shape, 9.0) if squares is None else squares
    return weigh_numbers(LIMIT, [belief_of(Pooled(), counts, *each) for each in zip(means, squares, strict=True)])


@pytest.mark.parametrize("seed", range(5))
def test_without_limits_the_best_is_the_best(seed):
    belief = random_belief(2 * seed)
    found = weigh_numbers(Best("profit"), [belief])
    assert relative(found) == pytest.approx(relative(weigh_arrays(Regret(), belief) * belief.noise), rel=1e-9)


def test_what_is_excluded_by_two_things_is_excluded_better():
    """Behind the leader and beyond a limit: the squares of both distances add up."""
    noise = limited([[1.0, 0.6, 2.0, 0.6], [1.0, 1.0, -0.4, -0.4]])
    behind, broken = 0.4 / math.sqrt(0.2), 0.4 / math.sqrt(0.1)
    assert noise[3] / noise[1] == pytest.approx(openness(math.hypot(behind, broken)) / openness(behind), rel=1e-9)
    assert noise[2] / noise[1] == pytest.approx(openness(broken) / openness(behind), rel=1e-9)


def test_where_none_meets_the_limits_the_nearest_to_do_so_is_sampled():
    assert limited([[5.0, 1.0, 0.0], [-3.0, -0.5, -2.0]]).argmax() == 1


def test_the_leader_is_in_a_pair_with_each_of_its_own_limits():
    close, far = (limited([[1.0, 0.0, -1.0], [slack, 3.0, 3.0]]) for slack in (0.1, 3.0))
    assert close[0] / close[1] > 10.0 * far[0] / far[1]
