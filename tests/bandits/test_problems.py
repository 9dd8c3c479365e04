"""Bandits pay what they say, and refuse what cannot be paid."""

import re

import numpy as np
import pytest

from varde.bandits.problems import LogNormal, Student, ZeroInflated, pull
from varde.check import problem_with
from varde.random import key, stream
from varde.testing import check_bandit


@pytest.mark.parametrize(
    "bandit",
    [Student([0.1, 0.2], [1.0, 0.5], 4.0), LogNormal([0.1, 2.0], [1.0, 0.3]), ZeroInflated([0.1, 2.0], [0.1, 0.9])],
    ids=lambda bandit: type(bandit).__name__,
)
def test_contract(bandit):
    check_bandit(bandit)


def draws(bandit, count=4000):
    rng = stream(key(0, "problems"))
    return np.array([pull(bandit, 0, rng) for _ in range(count)])


def test_shapes():
    """Quartiles of Student's law with 3 degrees; the median of a log-normal; the share of zeros."""
    student, lognormal = draws(Student([0.0], [1.0], 3.0)), draws(LogNormal([1.0], [0.8]))
    zeros = draws(ZeroInflated([1.0], [0.2]))
    assert np.quantile(student, [0.25, 0.5, 0.75]) == pytest.approx([-0.765, 0.0, 0.765], abs=0.08)
    assert np.median(lognormal) == pytest.approx(np.exp(-0.32), abs=0.05)
    assert np.mean(zeros == 0.0) == pytest.approx(0.8, abs=0.03)
    assert zeros[zeros > 0.0].mean() == pytest.approx(5.0, abs=0.7)


@pytest.mark.parametrize(
    ("bandit", "word"),
    [
        (Student([0.0], [1.0], 1.0), "freedom is 1.0"),
        (Student([0.0, 1.0], [1.0]), "2 means and 1 scales"),
        (LogNormal([0.0, 1.0], [1.0, np.nan]), r"sigmas\[1\] is nan"),
        (ZeroInflated([0.0], [0.0]), "above 0, at most 1"),
    ],
)
def test_bad_bandits_are_named(bandit, word):
    assert re.search(word, problem_with(bandit))
