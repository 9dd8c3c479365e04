"""What is stated of a chance: its limits, and the one to stop by."""

import numpy as np
import pytest

from varde.certainty.chances import most, stated, watched


def test_no_chance_is_higher_than_so_many_results_can_show():
    found = stated(np.array([1e-9, 1.0 - 1e-9, 0.0]), 1, 9, np.array([1.0, 2.0, 0.0]))
    assert found[1] == pytest.approx(most(9)) == 0.95 and found[0] == pytest.approx(0.05) and found[2] == 0.0
    assert stated(np.array([0.3, 0.7]), 1, 9, np.arange(2.0)).tolist() == [0.3, 0.7]
    assert stated(np.array([0.0, 1.0, 0.0]), 1, 0, np.array([1.0, 2.0, 1.0])).tolist() == [0.25, 0.5, 0.25]
    assert stated(np.ones(1), 0, 3, np.ones(1)).tolist() == [1.0]


def test_the_recommended_option_is_never_stated_below_another():
    rng = np.random.default_rng(0)
    for _ in range(300):
        chances = rng.dirichlet(np.full(int(rng.integers(2, 9)), 0.5))
        best = int(rng.integers(chances.size))
        found = stated(chances, best, float(rng.integers(1, 50)), rng.normal(size=chances.size))
        assert found[best] == pytest.approx(found.max()) and found.sum() == pytest.approx(1.0)
        if chances[best] <= 0.5:
            assert found[best] <= 0.5, "levelling makes nothing sure"


def test_a_chance_that_is_watched_is_lower():
    assert watched(0.4) == 0.4 and watched(1.0, 99) == most(99)
    for p in (0.6, 0.9, 0.99, 0.999):
        odds = (1.0 - p) * (1.0 - np.log(1.0 - p)) / (p * (1.0 - np.log(p)))
        assert watched(p) < p and watched(p) == pytest.approx(1.0 / (1.0 + odds))
    assert watched(0.99) < 0.95 < watched(0.991)
