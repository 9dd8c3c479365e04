"""What to sample for the best m, beside a line, and under limits: closed forms, and the best mean as a special case."""

import doctest
import importlib
import math

import numpy as np
import pytest

from varde import Gaps, VarDE
from varde.beliefs.noise import guarded_variance, shrunk_variance
from varde.decisions.gap_table import gap_noise
from varde.decisions.limits import leader_of, limit_noise
from varde.decisions.line import line_noise
from varde.decisions.top import NEAR, top_noise

RULE = VarDE()


def moments(size, seed=0):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 30, size).astype(float)
    return counts, rng.normal(size=size), counts * rng.gamma(2.0, 0.5, size)


@pytest.mark.parametrize("name", ["top", "line", "limits"])
def test_docstring_examples(name):
    outcome = doctest.testmod(importlib.import_module(f"varde.decisions.{name}"))
    assert outcome.attempted > 0 and outcome.failed == 0


@pytest.mark.parametrize("seed", range(5))
def test_the_best_one_and_no_limits_are_the_gaps(seed):
    counts, means, squares = moments(7, seed)
    gaps = gap_noise(RULE, counts, means, squares)
    assert top_noise(RULE, 1, counts, means, squares) == pytest.approx(gaps, rel=1e-12)
    limits = limit_noise(RULE, counts, means[None], squares[None])
    assert limits / limits.max() == pytest.approx(gaps / gaps.max(), rel=1e-9)


def test_the_best_m_by_hand():
    """Every pair of one inside and one outside, g = exp(-3 z), wary of those outside."""
    counts, means, squares = moments(6, 3)
    pooled = squares.sum() / (counts.sum() - 6)
    s2 = shrunk_variance(RULE.noise, pooled, squares, counts)
    wary = guarded_variance(RULE.noise, pooled, s2, counts) / counts
    order = np.argsort(-means)
    expected = np.zeros(6)
    for i in order[:2]:
        for j in order[2:]:
            g = math.exp(-3.0 * (means[i] - means[j]) / math.sqrt(s2[i] / counts[i] + wary[j]))
            expected[[i, j]] += g
    found = top_noise(RULE, 2, counts, means, squares) / s2
    assert found / found.max() == pytest.approx(expected / expected.max(), rel=1e-9)


def test_a_line_by_hand():
    counts, means, squares = moments(6, 4)
    pooled = squares.sum() / (counts.sum() - 6)
    s2 = shrunk_variance(RULE.noise, pooled, squares, counts)
    g = np.exp(-3.0 * np.abs(means - 0.3) / np.sqrt(guarded_variance(RULE.noise, pooled, s2, counts) / counts))
    assert line_noise(RULE, 0.3, counts, means, squares) == pytest.approx(g / g.max() * s2, rel=1e-9)


def test_what_is_kept_out_by_two_things_is_kept_out_better():
    """Behind the leader and beyond a limit: the squares of both distances add up."""
    counts, squares = np.full(4, 10.0), np.full((2, 4), 9.0)
    means = np.array([[1.0, 0.6, 2.0, 0.6], [1.0, 1.0, -0.4, -0.4]])
    noise = limit_noise(RULE, counts, means, squares)
    error = 1.0 / 10.0
    behind, broken = 0.4 / math.sqrt(2.0 * error), 0.4 / math.sqrt(error)
    assert leader_of(counts > 0, means) == 0
    assert noise[3] / noise[1] == pytest.approx(math.exp(-3.0 * (math.hypot(behind, broken) - behind)), rel=1e-9)
    assert noise[2] / noise[1] == pytest.approx(math.exp(-3.0 * (broken - behind)), rel=1e-9)


def test_where_none_keeps_the_limits_the_nearest_to_do_so_is_sampled():
    means = np.array([[5.0, 1.0, 0.0], [-3.0, -0.5, -2.0]])
    noise = limit_noise(RULE, np.full(3, 10.0), means, np.full((2, 3), 9.0))
    assert leader_of(np.ones(3, bool), means) is None and noise.argmax() == 1


@pytest.mark.parametrize(
    "noise",
    [
        lambda *moments: top_noise(RULE, 2, *moments),
        lambda *moments: line_noise(RULE, 0.0, *moments),
        lambda counts, means, squares: limit_noise(RULE, counts, np.array([means] * 2), np.array([squares] * 2)),
    ],
    ids=["top", "line", "limits"],
)
def test_without_noise_equal_and_before_the_first_sample_level(noise):
    counts, means, squares = moments(5, 1)
    assert noise(counts, means, np.zeros(5)).tolist() == [1.0] * 5
    counts[2], means[2], squares[2] = 0.0, 0.0, 0.0
    found = noise(counts, means, squares)
    assert np.isfinite(found).all() and found[2] > 0.1 * found.max()
    far = noise(counts + 10.0, 1e6 * np.sign(means), squares)
    assert np.isfinite(far).all() and far.max() > 0.0, "nothing underflows"


def test_of_many_options_only_those_near_the_boundary_are_compared():
    counts, means, squares = moments(400, 2)
    some = top_noise(RULE, 150, counts, means, squares)
    assert 0 < np.count_nonzero(some) <= 2 * NEAR
    order = np.argsort(-means)
    assert some[order[149]] > 0.0 and some[order[150]] > 0.0 and some.argmax() in order[100:200]


def test_very_many_are_divided_without_sorting_them_all():
    counts, means, squares = moments(3000, 5)
    found, few = top_noise(RULE, 40, counts, means, squares), np.argsort(-means)[:400]
    some = top_noise(RULE, 40, counts[few], means[few], squares[few])
    assert set(few[np.flatnonzero(some > 0.1 * some.max())]) & set(np.flatnonzero(found > 0.1 * found.max()))
    assert found[few[39]] > 0.0 and found[few[40]] > 0.0 and np.count_nonzero(found) <= 2 * NEAR


def test_focus_is_that_of_the_rule():
    counts, means, squares = moments(5, 6)
    sharp = VarDE(Gaps(focus=6.0))
    plain, focused = (line_noise(rule, 0.0, counts, means, squares) for rule in (RULE, sharp))
    assert (plain / plain.max()).sum() > (focused / focused.max()).sum()


def test_a_limit_on_a_number_without_noise_is_known():
    means = np.array([[1.0, 2.0, 0.9], [3.0, -1.0, 2.0]])
    noise = limit_noise(RULE, np.full(3, 10.0), means, np.array([[9.0, 9.0, 9.0], [0.0, 0.0, 0.0]]))
    assert np.isfinite(noise).all() and noise[1] == 0.0 and noise[0] > 0.0
