"""The largest of those that are allowed: the largest as a special case, and random numbers."""

import doctest

import numpy as np
import pytest

from varde.certainty import Beliefs, allowed, largest
from varde.certainty.allowed import largest_allowed


def drawn(size):
    rng = np.random.default_rng(size)
    centers, scales = 2.0 * rng.normal(size=size), np.exp(0.5 * rng.normal(size=size))
    return Beliefs.students(centers, scales, np.full(size, np.inf)), centers, scales, rng


def test_docstring_examples():
    outcome = doctest.testmod(allowed)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_where_all_are_allowed_it_is_the_largest():
    beliefs, *_ = drawn(6)
    chances, none, regret = largest_allowed(beliefs, np.ones(6), 2)
    expected, loss = largest(beliefs, 2)
    assert chances == pytest.approx(expected, abs=2e-3) and none < 1e-9 and regret == pytest.approx(loss, rel=0.02)


@pytest.mark.parametrize("size", [3, 15])
def test_against_random_numbers(size):
    beliefs, centers, scales, rng = drawn(size)
    may = rng.random(size)
    chances, none, regret = largest_allowed(beliefs, may, 1)
    x = centers + scales * rng.normal(size=(40_000, size))
    counts = np.where(rng.random(x.shape) < may, x, -np.inf)
    nobody = np.isinf(counts).all(axis=1)
    winner = np.where(nobody, -1, counts.argmax(axis=1))
    assert chances == pytest.approx([np.mean(winner == i) for i in range(size)], abs=0.012)
    assert none == pytest.approx(nobody.mean(), abs=0.01) and chances.sum() + none == pytest.approx(1.0)
    others = np.delete(counts, 1, axis=1).max(axis=1)
    assert regret == pytest.approx(np.maximum(others - x[:, 1], 0.0).mean(), rel=0.04)


def test_where_none_is_allowed_nobody_is_the_best():
    beliefs, *_ = drawn(4)
    chances, none, regret = largest_allowed(beliefs, np.zeros(4), None)
    assert none == 1.0 and chances.tolist() == [0.0] * 4 and regret == 0.0
