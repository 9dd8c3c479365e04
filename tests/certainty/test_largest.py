"""The largest of many uncertain numbers: closed forms, random numbers, and the edges."""

import math

import numpy as np
import pytest
from scipy import stats

from varde.certainty import Beliefs, largest
from varde.certainty.largest import grid, largest_allowed


def beliefs(centers, scales, freedom=math.inf):
    centers = np.array(centers, dtype=float)
    scales = np.broadcast_to(np.array(scales, dtype=float), centers.shape)
    return Beliefs.students(centers, scales, np.full(centers.size, freedom))


@pytest.mark.parametrize("gap", [0.0, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("scale", [1e-6, 0.3, 1.0, 50.0])
def test_two_gaussians_in_closed_form(gap, scale):
    chances, regret = largest(beliefs([gap, 0.0], [scale, 1.0]), 0)
    error = math.hypot(scale, 1.0)
    z = gap / error
    assert chances[0] == pytest.approx(stats.norm.cdf(z), abs=2e-4)
    exact = error * (stats.norm.pdf(z) - z * stats.norm.sf(z))
    assert (0.995 * exact if z < 1.5 else 0.0) <= regret < 1.005 * exact


@pytest.mark.parametrize("size", [3, 8, 40])
def test_many_students_against_random_numbers(size):
    rng = np.random.default_rng(size)
    known = rng.normal(size=size), rng.exponential(size=size) + 0.01, rng.uniform(4.0, 40.0, size)
    draws = known[0] + known[1] * rng.standard_t(known[2], size=(60_000, size))
    chances, regret = largest(Beliefs.students(*known), 0)
    assert chances == pytest.approx(np.bincount(draws.argmax(axis=1), minlength=size) / len(draws), abs=6e-3)
    plausible = np.clip(draws, known[0] - 4.0 * known[1], known[0] + 4.0 * known[1])
    assert regret == pytest.approx((plausible.max(axis=1) - plausible[:, 0]).mean(), rel=0.05)


def test_skewed_beliefs_against_random_numbers():
    rng = np.random.default_rng(1)
    known = Beliefs(np.array([0.4, 0.5, 0.5]), np.full(3, 0.2), np.full(3, 8.0), np.array([0.0, 0.6, -0.6]))
    deviates = rng.normal(size=(200_000, 3))
    draws = np.column_stack([known.take(np.array([i])).quantile(deviates[:, i])[:, 0] for i in range(3)])
    chances, regret = largest(known, 1)
    assert chances == pytest.approx(np.bincount(draws.argmax(axis=1)) / len(draws), abs=4e-3)
    plausible = np.clip(draws, known.centers - 0.8, known.centers + 0.8)
    assert regret == pytest.approx((plausible.max(axis=1) - plausible[:, 1]).mean(), rel=0.05)


@pytest.mark.parametrize("size", [2, 5, 40])
def test_those_that_are_allowed_against_random_numbers(size):
    rng = np.random.default_rng(size)
    centers, scales, allowed = rng.normal(size=size), rng.exponential(size=size) + 0.05, rng.random(size)
    draws = centers + scales * rng.normal(size=(60_000, size))
    counted = np.where(rng.random(draws.shape) < allowed, draws, -np.inf)
    some = counted.max(axis=1) > -np.inf
    best, none, _ = largest_allowed(beliefs(centers, scales), allowed, 0)
    assert none == pytest.approx(1.0 - some.mean(), abs=4e-3) and best.sum() + none == pytest.approx(1.0)
    assert best == pytest.approx(np.bincount(counted[some].argmax(axis=1), minlength=size) / len(draws), abs=6e-3)


def test_the_regret_is_made_of_what_is_plausible():
    """4 standard errors on either side: at a distance of 7.9 there is some, at 8.1 none, however likely that is."""
    near, far = (largest(beliefs([gap, 0.0], 1.0), 0) for gap in (7.9, 8.1))
    assert near[1] > 0.0 == far[1] and far[0][1] > 0.0


def test_one_far_and_badly_known_option_does_not_coarsen_the_regret():
    """Its tails reach a million times as far as anything else, and few nodes are there."""
    known = beliefs([0.75, 0.70, -94.0], [0.05, 0.05, 11.0], 2.0)
    without = largest(beliefs([0.75, 0.70], 0.05, 2.0), 0)[1]
    assert largest(known, 0)[1] == pytest.approx(without, rel=0.05)


def test_what_is_all_but_certain():
    assert largest(beliefs([1.0, 1.0, 1.0], 1e-12), 0)[0] == pytest.approx([1 / 3] * 3)
    chances, regret = largest(beliefs([2.0, 1.0], 1e-9), 0)
    assert chances == pytest.approx([1.0, 0.0]) and regret == pytest.approx(0.0, abs=1e-9)
    chances, regret = largest(beliefs([2.0, 1.0], 1e-9), 1)
    assert chances == pytest.approx([1.0, 0.0]) and regret == pytest.approx(1.0)
    assert largest(beliefs([1.0, 1.0, 0.0], 1e-300), 2) == (pytest.approx([0.5, 0.5, 0.0]), 1.0)
    chances, _ = largest(beliefs([0.0, 0.0], [1e-9, 1.0]), 0)
    assert chances == pytest.approx([0.5, 0.5], abs=1e-3)


def test_neither_unit_nor_zero_matters():
    plain, loss = largest(beliefs([0.0, 0.3, 0.5], [0.2, 0.4, 0.1], 9.0), 2)
    moved, moved_loss = largest(beliefs([1e6, 1e6 + 300, 1e6 + 500], [200, 400, 100], 9.0), 2)
    assert moved == pytest.approx(plain, abs=1e-7) and moved_loss == pytest.approx(1000 * loss, rel=1e-6)


def test_a_hundred_thousand():
    rng = np.random.default_rng(0)
    chances, regret = largest(beliefs(rng.normal(size=100_000), 0.3, 7.0), 0)
    assert chances.sum() == pytest.approx(1.0) and (chances >= 0.0).all() and regret > 0.0


def test_a_known_mean_is_a_narrow_step():
    """However far apart the others are: 1e-4 is much beside what is known for certain."""
    chances, _ = largest(beliefs([1e-4, 0.0, -1.0], [1e-9, 1e-4, 1e-9]), 0)
    assert chances[0] == pytest.approx(stats.norm.cdf(1.0), abs=2e-3)


@pytest.mark.parametrize(("size", "nodes"), [(2, 240), (500, 240), (1000, 200), (2000, 100), (20_000, 60)])
def test_many_options_get_fewer_nodes(size, nodes):
    known = beliefs(np.linspace(0.0, 1.0, size), 0.3)
    lows, hopes, highs = known.quantile(np.array([-6.0, 2.0, 6.0]))
    found = grid(known, np.ones(size), 0, (lows.max(), lows, hopes, known.centers + 0.75, highs))
    assert found.size == pytest.approx(nodes, rel=0.2)
