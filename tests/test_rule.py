"""The rule: closed forms, and the fast form against the direct one."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from varde import Average, LogSumExp, Nesterov, PairwiseSoftplus, VarDE, gradient
from varde.rule import decrement, log_decrement, next_sample, rule_problem, shrinkage


def direct_scores(rule, values, variances, counts):
    """w_i^2 max(sigma_i^2, floor) / (N_i (N_i + 1)), as printed."""
    noise = np.ones(len(values)) if rule.equal_noise else np.maximum(variances, rule.floor)
    return gradient(rule.decision, values) ** 2 * noise / (counts * (counts + 1.0))


def test_decrement_is_the_drop_of_the_variance():
    w, variance, n = 0.3, 2.0, 7
    assert decrement(w, variance, n) == pytest.approx(w**2 * variance / n - w**2 * variance / (n + 1))
    assert decrement(w, variance, 0) == np.inf
    assert shrinkage(3) == pytest.approx(1 / 3 - 1 / 4)


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_chooses_the_largest_decrement(size, seed):
    rng = np.random.default_rng(seed)
    values, variances = rng.normal(size=size), rng.exponential(size=size)
    counts = rng.integers(1, 50, size)
    for decision in (LogSumExp(0.3), Average(), Nesterov(0.5), PairwiseSoftplus(0.2)):
        for equal in (False, True):
            rule = VarDE(decision, floor=0.1, equal_noise=equal)
            scores = direct_scores(rule, values, variances, counts)
            chosen = next_sample(rule, values, variances, counts, np.empty(size))
            assert scores[chosen] >= scores.max() * (1 - 1e-12)


def test_index_form_differs_from_the_log_of_the_direct_one_by_a_constant():
    rule = VarDE(LogSumExp(0.05), floor=0.01)
    values, variances, counts = np.array([0.3, 0.1, 0.25]), np.array([0.2, 0.001, 0.05]), np.array([4, 9, 2])
    scores = [log_decrement(rule, *args, 0.3) for args in zip(values, variances, counts, strict=True)]
    assert np.ptp(np.log(direct_scores(rule, values, variances, counts)) - scores) < 1e-9


@pytest.mark.parametrize("temperature", [1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("offset", [0.0, 1e12, -1e12])
def test_no_overflow_and_no_lost_digits(temperature, offset):
    """Equal values are told apart by noise and count alone, however large they are."""
    rule = VarDE(LogSumExp(temperature))
    values = np.full(3, offset)
    chosen = next_sample(rule, values, np.array([0.1, 0.4, 0.1]), np.array([5, 5, 5]), np.empty(3))
    assert chosen == 1
    chosen = next_sample(rule, values, np.array([0.1, 0.1, 0.1]), np.array([5, 5, 4]), np.empty(3))
    assert chosen == 2


def test_untried_components_come_first():
    rule = VarDE(LogSumExp(0.1))
    assert next_sample(rule, np.array([5.0, 0.0]), np.zeros(2), np.array([3, 0]), np.empty(2)) == 1


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        (VarDE(floor=0.0), "floor"),
        (VarDE(floor=math.nan), "floor"),
        (VarDE(warm_start=0), "warm_start"),
        (VarDE(ddof=2), "ddof"),
        (VarDE(LogSumExp(0.0)), "temperature"),
    ],
)
def test_bad_settings_are_named(rule, word):
    assert word in rule_problem(rule)
