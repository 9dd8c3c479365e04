"""What the paper states of every path and every vector, as property tests; its limits are measured by studies."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import varde
from varde.paper.algorithms import varde_bai

seeds = st.integers(0, 2**32 - 1)
law = settings(max_examples=50, deadline=None)


def hessian(x, tau):
    """Of the log-sum-exp: the derivative of its gradient."""
    w = varde.decisions.gradient(varde.decisions.LogSumExp(tau), x)
    return (np.diag(w) - np.outer(w, w)) / tau


@law
@given(seeds)
def test_one_more_sample_lowers_the_variance_of_a_mean_as_lemma_3_5_says(seed):
    rng = np.random.default_rng(seed)
    variance, count = rng.exponential(), int(rng.integers(1, 1000))
    assert varde.rule.decrement(1.0, variance, count) == pytest.approx(variance / count - variance / (count + 1))


@law
@given(seeds)
def test_log_sum_exp_is_a_smooth_maximum_as_lemmas_4_1_to_4_4_say(seed):
    rng = np.random.default_rng(seed)
    K, tau = int(rng.integers(2, 9)), float(10.0 ** rng.uniform(-1.0, 1.0))
    x, y = rng.uniform(0.0, 1.0, (2, K))
    excess = varde.decisions.evaluate(varde.decisions.LogSumExp(tau), x) - x.max()
    assert -1e-12 <= excess <= tau * math.log(K) + 1e-12
    assert np.linalg.norm(hessian(x, tau), 2) <= (1.0 + 1e-9) / (2.0 * tau)
    moved = np.linalg.norm(hessian(x, tau) - hessian(y, tau), 2)
    assert moved <= 3.0 * K**1.5 / tau**2 * np.linalg.norm(x - y) + 1e-9
    w = varde.decisions.gradient(varde.decisions.LogSumExp(tau), x)
    assert math.exp(-1.0 / tau) / K <= w.min() * (1.0 + 1e-9)
    assert w.max() <= 1.0


def test_two_equal_values_reach_the_bounds_of_log_sum_exp():
    equal = np.array([0.3, 0.3])
    assert varde.decisions.evaluate(varde.decisions.LogSumExp(0.1), equal) - 0.3 == pytest.approx(0.1 * math.log(2.0))
    assert np.linalg.norm(hessian(equal, 0.1), 2) == pytest.approx(5.0)


@law
@given(seeds)
def test_the_best_shares_are_no_worse_than_equal_ones_as_appendix_a_7_says(seed):
    rng = np.random.default_rng(seed)
    w, sigma = rng.dirichlet(np.ones(6)), rng.exponential(size=6)
    share = w * sigma / (w @ sigma)
    best, equal = (w**2 * sigma**2 / share).sum(), 6.0 * (w**2 @ sigma**2)
    assert best == pytest.approx((w @ sigma) ** 2)
    assert best <= equal * (1.0 + 1e-12)


@settings(max_examples=10, deadline=None)
@given(seeds, st.sampled_from([(1.0, 0.2), (0.5, 0.1)]))
def test_every_arm_is_pulled_as_often_as_lemma_b_2_says(seed, setting):
    (tau, floor), rng, T = setting, np.random.default_rng(seed), 600
    _, pulled = varde_bai(lambda i: float(rng.random() < 0.2 + 0.3 * i), 3, tau, 1, floor, T)
    least = 2.0 * math.exp(-1.0 / tau) * math.sqrt(floor) * (T / 3 - 0.5) - 0.5
    assert np.bincount(pulled, minlength=3).min() >= least > 1.0


def test_the_bound_of_lemma_b_2_is_empty_at_the_sizes_of_the_paper():
    assert 2.0 * math.exp(-1.0 / 0.05) * math.sqrt(0.01) * (1200 / 20 - 0.5) - 0.5 < 0.0


@law
@given(seeds)
def test_the_error_of_q_bounds_the_loss_of_its_greedy_policy_as_lemma_4_12_says(seed):
    rng = np.random.default_rng(seed)
    S, A, gamma = 5, 3, float(rng.uniform(0.2, 0.95))
    P, r = rng.dirichlet(np.full(S, 0.5), (S, A)), rng.uniform(0.0, 1.0, (S, A))
    Q = np.zeros((S, A))
    for _ in range(int(40.0 / (1.0 - gamma))):
        Q = r + gamma * P @ Q.max(axis=1)
    guess = Q + rng.uniform(-1.0, 1.0, (S, A)) * rng.exponential()
    pick = np.arange(S), guess.argmax(axis=1)
    own = np.linalg.solve(np.eye(S) - gamma * P[pick], r[pick])
    assert np.abs(own - Q.max(axis=1)).max() <= 2.0 * np.abs(guess - Q).max() / (1.0 - gamma) + 1e-8


@law
@given(seeds)
def test_simple_regret_is_at_most_the_largest_gap_times_the_error_as_corollary_4_6_says(seed):
    rng = np.random.default_rng(seed)
    means, answers = rng.uniform(size=5), rng.integers(0, 5, 200)
    gaps = means.max() - means
    assert gaps[answers].mean() <= gaps.max() * (answers != means.argmax()).mean() + 1e-12
