"""The rule: closed forms, and the fast form against the direct one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from varde import VarDE
from varde.beliefs import Equal, Floor, Pooled
from varde.beliefs.belief import Belief
from varde.check import wrong_with
from varde.decisions import Average, LogSumExp, Nesterov, PairwiseSoftplus, Regret, gradient
from varde.rule import (
    automatic_warm_start,
    decrement,
    decrements,
    first_samples,
    indexed,
    joint_decrements,
    log_decrement,
    next_sample,
    shrinkage,
)


def arms(values, variances, counts):
    values, variances, counts = np.asarray(values, float), np.asarray(variances, float), np.asarray(counts)
    return Belief(counts, values, values, variances, variances / counts)


def direct_scores(decision, values, variances, counts):
    """w_i^2 sigma_i^2 / (N_i (N_i + 1)), as printed."""
    return gradient(decision, values) ** 2 * variances / (counts * (counts + 1.0))


def test_decrement_is_the_drop_of_the_variance():
    square, variance, n = 0.09, 2.0, 7
    assert decrement(square, variance, n) == pytest.approx(square * variance / n - square * variance / (n + 1))
    assert decrement(square, variance, 0) == np.inf
    assert shrinkage(3) == pytest.approx(1 / 3 - 1 / 4)


@given(st.integers(2, 8), st.integers(0, 10_000))
def test_the_joint_drop_of_independent_estimates_is_the_plain_one(size, seed):
    """For S = diag(s2 / N), with w_j^2 = g_j and w_b^2 = sum g; and the drop of D itself for any S."""
    rng = np.random.default_rng(seed)
    counts, noise, g = rng.integers(1, 30, size), rng.exponential(size=size), rng.random(size)
    g[0], cov = 0.0, np.diag(noise / counts)
    square = np.r_[g.sum(), g[1:]]
    drops = joint_decrements(g, cov, 0, np.diagonal(cov) + noise)
    assert drops == pytest.approx(square * noise * shrinkage(counts), rel=1e-9)
    root = rng.normal(size=(size, size))
    cov = root @ root.T + 0.1 * np.eye(size)

    def variance(cov):
        return sum(g[j] * (cov[0, 0] + cov[j, j] - 2.0 * cov[0, j]) for j in range(size))

    for i in range(size):
        after = cov - np.outer(cov[:, i], cov[:, i]) / (cov[i, i] + noise[i])
        drop = joint_decrements(g, cov, 0, np.diagonal(cov) + noise)[i]
        assert drop == pytest.approx(variance(cov) - variance(after), rel=1e-6, abs=1e-9)


def test_costs_divide():
    counts, means, squares = np.array([5.0, 9.0, 4.0]), np.array([1.0, 0.8, 0.1]), np.array([2.0, 3.0, 1.0])
    costs = np.array([1.0, 4.0, 0.5])
    plain = decrements(VarDE(), counts, means, squares)
    assert decrements(VarDE(), counts, means, squares, costs=costs) == pytest.approx(plain / costs)


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_chooses_the_largest_decrement(size, seed):
    rng = np.random.default_rng(seed)
    values, variances = rng.normal(size=size), 0.1 + rng.exponential(size=size)
    counts = rng.integers(1, 50, size)
    for decision in (LogSumExp(0.3), Average(), Nesterov(0.5), PairwiseSoftplus(0.2)):
        scores = direct_scores(decision, values, variances, counts)
        chosen = next_sample(decision, arms(values, variances, counts), np.empty(size))
        assert scores[chosen] >= scores.max() * (1 - 1e-12)


def test_index_form_differs_from_the_log_of_the_direct_one_by_a_constant():
    values, variances, counts = np.array([0.3, 0.1, 0.25]), np.array([0.2, 0.01, 0.05]), np.array([4, 9, 2])
    scores = [log_decrement(LogSumExp(0.05), *args, 0.3) for args in zip(values, variances, counts, strict=True)]
    assert np.ptp(np.log(direct_scores(LogSumExp(0.05), values, variances, counts)) - scores) < 1e-9


@pytest.mark.parametrize("temperature", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("offset", [0.0, 1e12, -1e12])
def test_no_overflow_and_no_lost_digits(temperature, offset):
    """Equal values are told apart by noise and count alone, however large they are."""
    decision, values = LogSumExp(temperature), [offset, offset, offset]
    assert next_sample(decision, arms(values, [0.1, 0.4, 0.1], [5, 5, 5]), np.empty(3)) == 1
    assert next_sample(decision, arms(values, [0.1, 0.1, 0.1], [5, 5, 4]), np.empty(3)) == 2


def test_what_is_left_out_goes_with_the_decision():
    assert VarDE() == (Regret(), Pooled(5.0, 2.0), 0)
    assert VarDE(LogSumExp(0.1)) == (LogSumExp(0.1), Floor(0.01, 1), 2)
    assert VarDE(Regret(), Equal(), 7)._replace(warm_start=1) == (Regret(), Equal(), 1)


def test_the_index_form_needs_scores_that_stand_alone():
    assert indexed(VarDE(LogSumExp())) and indexed(VarDE(Average(), Equal()))
    assert not indexed(VarDE(LogSumExp(), Pooled())) and not indexed(VarDE(Nesterov())) and not indexed(VarDE())


@pytest.mark.parametrize(
    ("budget", "size", "expected"),
    [(1200, 20, 3), (60, 10, 3), (59, 10, 2), (50, 10, 2), (21, 20, 1), (0, 10, 3)],
)
def test_automatic_warm_start(budget, size, expected):
    assert automatic_warm_start(budget, size) == first_samples(VarDE(), budget, size) == expected
    assert first_samples(VarDE(warm_start=4), budget, size) == 4


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        (VarDE(warm_start=-1), "warm_start"),
        (VarDE(LogSumExp(0.0)), "temperature"),
        (VarDE(noise=Floor(0.0)), "least"),
        (VarDE(LogSumExp(0.1), 0.01), "noise is 0.01: write a record such as Floor"),
        (VarDE(0.1), "decision is 0.1: write a record such as LogSumExp"),
    ],
)
def test_bad_settings_are_named(rule, word):
    assert word in wrong_with(rule)
