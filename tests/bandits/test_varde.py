"""The default rule on bandits: what no unit, zero or sign of the rewards may change."""

from typing import NamedTuple

import numpy as np
import pytest

from varde import VarDE
from varde.bandits import INSTANCES, Bernoulli, Gaussian, measure
from varde.bandits.loop import advance, begin, prepare
from varde.bandits.problems import pull
from varde.moments import make_moments
from varde.random import key, normal, stream
from varde.rule import decrements


class Rescaled(NamedTuple):
    """The same draws in another unit."""

    means: np.ndarray
    stds: np.ndarray
    scale: float
    shift: float


@pull.of(Rescaled)
def rescaled_reward(bandit, arm, rng):
    return bandit.scale * (bandit.means[arm] + bandit.stds[arm] * normal(rng)) + bandit.shift


def counts_after_every_pull(bandit, rule, budget, run):
    """[budget, K]: which arm each pull went to."""
    size = len(bandit.means)
    memory, arms, rng = prepare(rule, size), make_moments(size), stream(key(0), run)
    begin(rule, memory, size, budget)
    found = []
    for t in range(budget):
        advance(rule, bandit, memory, arms, np.arange(size), t, t + 1, rng)
        found.append(arms.counts.copy())
    return np.array(found)


@pytest.mark.parametrize("run", range(3))
@pytest.mark.parametrize(("scale", "shift"), [(1024.0, 0.0), (1000.0, 0.0), (1.0, 1e6), (1e-9, -3.0)])
def test_units_and_zero_change_no_choice(scale, shift, run):
    """Exact for a power of two; else up to rounding, which these runs are too short to meet."""
    plain = INSTANCES["BAI.3"].bandit
    other = Rescaled(plain.means, plain.stds, scale, shift)
    expected = counts_after_every_pull(plain, VarDE(), 200, run)
    assert np.array_equal(counts_after_every_pull(other, VarDE(), 200, run), expected)


def test_recommendations_survive_a_shift_of_a_million():
    plain = INSTANCES["BAI.4"].bandit
    expected = measure(VarDE(), plain, 150, runs=300).answers
    shifted = measure(VarDE(), Rescaled(plain.means, plain.stds, 1000.0, 1e6), 150, runs=300)
    assert np.mean(shifted.answers == expected) > 0.99


@pytest.mark.parametrize("means", [(0.7, 0.6), (0.2, 0.1)], ids=["h = 0", "h > 0"])
def test_takes_a_largest_score_on_bernoulli_arms(means):
    """Exact ties are decided by rounding there: compare scores, not choices."""
    bandit, size, rule = Bernoulli(np.r_[means[0], np.full(19, means[1])]), 20, VarDE(warm_start=2)
    memory, arms, rng = prepare(rule, size), make_moments(size), stream(key(3))
    begin(rule, memory, size, 600)
    advance(rule, bandit, memory, arms, np.arange(size), 0, 2 * size, rng)
    for t in range(2 * size, 600):
        scores = decrements(rule, arms.counts, arms.means, arms.squares, low=0.0)
        before = arms.counts.copy()
        advance(rule, bandit, memory, arms, np.arange(size), t, t + 1, rng)
        assert scores[np.argmax(arms.counts - before)] >= scores.max() * (1 - 1e-9)


def test_arms_without_noise_are_pulled_in_turn():
    bandit = Gaussian([0.1, 0.3, 0.2], [0.0, 0.0, 0.0])
    assert counts_after_every_pull(bandit, VarDE(), 50, 0)[-1].tolist() == [17, 17, 16]
    assert measure(VarDE(), bandit, 3, runs=5).error[-1] == 0.0


def test_a_budget_below_one_pull_each_is_refused():
    with pytest.raises(ValueError, match="write 3 or more"):
        measure(VarDE(), Gaussian([0.1, 0.3, 0.2], [1.0, 1.0, 1.0]), 2)
