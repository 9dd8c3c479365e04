"""What never came is not impossible."""

import doctest

import numpy as np
import pytest

import varde
from varde.certainty import unseen as module
from varde.certainty.unseen import SHARE, missable, unseen_chance, unseen_variance


def test_docstring_examples():
    outcome = doctest.testmod(module)
    assert outcome.attempted > 0 and outcome.failed == 0


def test_what_is_rarer_would_not_have_shown():
    """17 results: what comes in 16 % of them would have shown, with a chance of 95 %."""
    assert (1.0 - missable(17)) ** 17 == pytest.approx(0.05) and missable(np.array([40]))[0] == pytest.approx(
        0.072, abs=1e-3
    )


def test_the_variance_of_an_outcome_that_never_came():
    shares = np.random.default_rng(1).beta(1.0, 12.0, 400_000)
    assert unseen_variance(12, 3.0, -1.0, rho=1.0) == pytest.approx(((shares * -4.0) ** 2).mean(), rel=0.02)
    assert unseen_variance(12, 3.0, -1.0, rho=0.25) == pytest.approx(0.25 * unseen_variance(12, 3.0, -1.0, rho=1.0))


def test_the_chance_that_it_moves_the_mean():
    shares = np.random.default_rng(2).beta(1.0, 12.0, 400_000)
    assert unseen_chance(12, 0.5, 4.0, rho=1.0) == pytest.approx((shares * 4.0 > 0.5).mean(), abs=0.005)
    assert unseen_chance(12, 0.5, 0.4) == 0.0 and unseen_chance(12, 0.0, 4.0) == SHARE


def chance(bounds):
    """Of b, ahead by 0.2, in 40 results each."""
    noise = 0.05 * np.random.default_rng(3).normal(size=(2, 40))
    return varde.judge({"a": 0.8 + noise[0], "b": 1.0 + noise[1]}, bounds=bounds).p_right


def test_what_never_came_costs_as_much_as_the_range_allows():
    """A loss of 100 in 1 of 200 cases makes b the worse one, and would not have shown in most samples of 40."""
    assert chance((-100.0, 1.5)) < 0.99 * chance(None) and chance((-100.0, 1.5)) > chance(None) - 2.0 * SHARE
    assert chance((0.0, 2.0)) == pytest.approx(chance(None), abs=1e-3), "too little room to matter"


def test_what_came_already_is_no_news():
    rng = np.random.default_rng(4)
    coins = {name: (rng.random(60) < p) * 1.0 for name, p in (("a", 0.4), ("b", 0.6))}
    assert varde.judge(coins, bounds=(0, 1)).p_right == pytest.approx(varde.judge(coins).p_right, abs=1e-9)


def test_a_rare_disaster_within_the_bounds_is_never_stated_away():
    """A loss of 400 in 1 of 200 results that never came: the chance stays below 95 %, and a note says why."""
    found = varde.judge({"safe": [0.5] * 60, "risky": [1.0] * 60}, bounds=(-400.0, 1.0), time=False)
    (note,) = (note for note in found.notes if note.code == "unseen")
    assert found.best == "risky" and 0.8 < found.p_right < 0.95 and "-400, never came in 60 results" in note.text
    narrow = varde.judge({"safe": [0.5] * 60, "risky": [1.0] * 60}, bounds=(-1.0, 2.0), time=False)
    assert narrow.p_right > 0.99 and not any(note.code == "unseen" for note in narrow.notes)
