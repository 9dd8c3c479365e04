"""Is P(best) what it says?  The calibration on simulated problems, at a size for tests."""

import math

import numpy as np
import pytest

from ..benched import calibration, simulated


def test_simulation_runs_the_rule_of_the_package():
    from varde import VarDE
    from varde.decisions.gap_table import gap_scores

    rng = np.random.default_rng(0)
    counts = rng.integers(3, 30, (5, 7)).astype(float)
    means, squares = rng.normal(size=(5, 7)), rng.exponential(size=(5, 7)) * counts
    batch = simulated.gap_scores(counts, means, squares)
    for row in range(5):
        one = gap_scores(VarDE(), counts[row], means[row], squares[row])
        assert batch[row] / batch[row].max() == pytest.approx(one / one.max())


@pytest.fixture(scope="module")
def problems():
    """2,160 of them, of every kind, sampled by the gap rule."""
    return calibration.study(10, 7, sizes=(2, 5, 20), per_option=(6, 30))


def surprise(rows, method, low=0.9):
    """Wrong answers among those stated above ``low`` beyond what was stated, in standard errors."""
    said = np.array([row[method] for row in rows if row[method] >= low])
    wrong = sum(not row["right"] for row in rows if row[method] >= low)
    return (wrong - (1.0 - said).sum()) / math.sqrt((said * (1.0 - said)).sum())


def test_nothing_is_overconfident(problems):
    assert len(problems) >= 2000
    assert all(surprise(problems, "varde", low) < 3.0 for low in (0.9, 0.95, 0.99))
    spiky = [row for row in problems if row["kind"].startswith(("zero", "rare"))]
    assert surprise(spiky, "varde") < 3.0
    assert surprise(problems, "plain") > 4.0, "the plain posterior is; if not, this test shows nothing"


def test_it_still_says_something(problems):
    ours, plain = (calibration.sharpness(problems, method) for method in ("varde", "plain"))
    assert ours["above"] > 0.5 * plain["above"]
    ordinary = [row for row in problems if row["kind"] in ("Bernoulli", "Gaussian", "Gaussian, unequal noise")]
    assert calibration.sharpness(ordinary, "varde")["log"] < calibration.sharpness(ordinary, "plain")["log"] + 0.02


def test_intervals_and_verdicts_hold(problems):
    # Rare spikes that nobody has seen yet are in no interval: docs/confidence.md has the coverage of each kind.
    plain = [row["covered"] for row in problems if not row["kind"].startswith(("zero", "rare"))]
    assert np.mean(plain) > 0.94
    assert np.mean([row["kept"] for row in problems]) > 0.95
    assert np.nanmean([row["expected"] for row in problems]) > np.mean([row["regret"] for row in problems])
