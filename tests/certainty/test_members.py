"""The m largest: the largest as a special case, random numbers, and the edges."""

import math

import numpy as np
import pytest

from varde.certainty import Beliefs, largest
from varde.certainty.members import among, expected_members, members


def beliefs(centers, scales, freedom=math.inf):
    centers = np.array(centers, dtype=float)
    scales = np.broadcast_to(np.array(scales, dtype=float), centers.shape)
    return Beliefs.students(centers, scales, np.full(centers.size, freedom))


def drawn(size, seed=0):
    rng = np.random.default_rng(seed)
    return 2.0 * rng.normal(size=size), np.exp(0.5 * rng.normal(size=size)), rng


@pytest.mark.parametrize("size", [2, 5, 30])
def test_of_one_it_is_the_largest(size):
    centers, scales, _ = drawn(size)
    best = int(centers.argmax())
    chances, right, loss = members(beliefs(centers, scales), np.array([best]))
    expected, regret = largest(beliefs(centers, scales), best)
    assert chances == pytest.approx(expected, abs=2e-3) and right == pytest.approx(expected[best], abs=2e-3)
    assert loss == pytest.approx(regret, rel=0.05)


@pytest.mark.parametrize(("size", "m"), [(4, 2), (10, 3), (10, 7), (60, 30)])
def test_against_random_numbers(size, m):
    centers, scales, rng = drawn(size, 1)
    inside = np.argsort(-centers)[:m]
    chances, right, loss = members(beliefs(centers, scales), inside)
    x = centers + scales * rng.normal(size=(20_000, size))
    top = np.argsort(-x, axis=1)[:, :m]
    seen = np.bincount(top.ravel(), minlength=size) / len(x)
    error = np.sqrt(seen * (1.0 - seen) / len(x)) + 1e-4
    assert (np.abs(chances - seen) < 5.0 * error + 1e-3).all() and chances.sum() == pytest.approx(m, abs=1e-6)
    assert right == pytest.approx(np.mean((np.sort(top, axis=1) == np.sort(inside)).all(axis=1)), abs=0.015)
    best = np.sort(x, axis=1)[:, size - m :].sum(axis=1) - x[:, inside].sum(axis=1)
    assert loss == pytest.approx(best.mean(), abs=5.0 * best.std() / math.sqrt(len(x)))


def test_what_is_clear_costs_nothing_and_changes_nothing():
    near = [1.0, 0.5, 0.0]
    alone, _, _ = members(beliefs(near, 1.0), np.array([0]))
    far = members(beliefs([1e9, *near, -1e9], [1.0, 1.0, 1.0, 1.0, 5.0]), np.array([0, 1]))[0]
    assert far[[0, 4]].tolist() == [1.0, 0.0] and far[1:4] == pytest.approx(alone, abs=1e-3)
    chances, right, loss = members(beliefs([3.0, 2.0, -50.0], [0.01, 0.01, 0.01]), np.array([0, 1]))
    assert (chances.tolist(), right, loss) == ([1.0, 1.0, 0.0], 1.0, 0.0)
    assert members(beliefs([1.0, 0.0], 1.0), np.array([0, 1]))[1:] == (1.0, 0.0)
    assert members(beliefs([1e9, 0.0, -1.0], 1.0), np.array([1]))[1] == 0.0, "the wrong one was taken"


def test_a_known_mean_among_uncertain_ones():
    chances, _, _ = members(beliefs([0.0, 0.0, 0.0], [1e-12, 1.0, 1.0]), np.array([0]))
    assert chances == pytest.approx([0.25, 0.375, 0.375], abs=3e-3)


@pytest.mark.parametrize(("size", "m"), [(200, 60), (200, 150), (60, 20)])
def test_of_very_many_the_sum_is_nearly_normal(size, m, monkeypatch):
    centers, scales, _ = drawn(size, 3)
    inside = np.argsort(-centers)[:m]
    exact = members(beliefs(centers, scales), inside)
    monkeypatch.setattr("varde.certainty.members.EXACT", 0)
    nearly = members(beliefs(centers, scales), inside)
    assert nearly[0] == pytest.approx(exact[0], abs=3e-3) and nearly[1] == exact[1]
    assert nearly[2] == pytest.approx(exact[2], rel=0.02)


def test_counting_from_either_side_is_the_same():
    """Who is not among the 7 largest of 9 is among the 2 smallest."""
    below = np.sort(np.random.default_rng(2).random((50, 9)), axis=0)
    below[0], below[-1] = 0.0, 1.0
    assert among(below, 7) == pytest.approx(1.0 - among(1.0 - below[::-1], 2), abs=1e-3)
    assert expected_members(np.full((1, 9), 0.5), 9)[0] == pytest.approx(4.5)
    assert expected_members(np.full((1, 9), 0.5), 1)[0] == pytest.approx(1.0 - 0.5**9)
