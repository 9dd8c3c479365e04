"""Beliefs of three kinds, against scipy."""

import numpy as np
import pytest
from scipy import stats

from varde.certainty import Beliefs
from varde.certainty.distributions import Beta, Gamma, Student


def arrays(*numbers):
    return [np.array([number], dtype=float) for number in numbers]


EXACT = [
    (Student(*arrays(1.0, 2.0, 5.0)), stats.t(5.0, 1.0, 2.0), 2e-3),
    (Beta(*arrays(-1.0, 3.0, 4.5, 20.5)), stats.beta(4.5, 20.5, -1.0, 3.0), 2e-3),
    (Beta(*arrays(0.0, 1.0, 0.5, 40.5)), stats.beta(0.5, 40.5), 0.06),
    (Gamma(*arrays(2.0, 0.3, 7.0)), stats.gamma(7.0, 2.0, 0.3), 1e-3),
    (Gamma(*arrays(0.0, 1.0, 0.6)), stats.gamma(0.6), 0.04),
]


@pytest.mark.parametrize(("belief", "exact", "off"), EXACT)
def test_distribution_functions(belief, exact, off):
    x = exact.ppf(np.linspace(0.01, 0.99, 50))
    assert stats.norm.cdf(belief.score(x[:, None]))[:, 0] == pytest.approx(exact.cdf(x), abs=off)


@pytest.mark.parametrize("belief", [belief for belief, _, _ in EXACT] + [Gamma(*arrays(0.0, -2.0, 3.0))])
def test_quantiles_invert_them(belief):
    z = np.linspace(-1.2, 1.6, 9)[:, None]
    assert belief.score(belief.quantile(z)) == pytest.approx(z, abs=1e-6)


def test_jumps_downwards_mirror_jumps_upwards():
    up, down = Gamma(*arrays(0.0, 2.0, 3.0)), Gamma(*arrays(0.0, -2.0, 3.0))
    z = np.linspace(-3.0, 3.0, 7)[:, None]
    assert down.quantile(z) == pytest.approx(-up.quantile(-z))


def test_what_cannot_be_has_no_chance():
    both = np.array([[-0.1], [1.1]])
    assert stats.norm.cdf(Beta(*arrays(0.0, 1.0, 2.0, 3.0)).score(both))[:, 0].tolist() == [0.0, 1.0]
    assert stats.norm.cdf(Gamma(*arrays(0.0, -1.0, 2.0)).score(np.array([[0.1]])))[0, 0] == 1.0


def test_parts_are_put_taken_and_filled_in():
    beliefs = Beliefs.students(np.arange(4.0), np.ones(4), np.full(4, 9.0))
    beliefs = beliefs.put(np.array([1, 3]), Beta(np.zeros(2), np.ones(2), np.array([2.0, 5.0]), np.full(2, 3.0)))
    middle = beliefs.quantile(np.array([0.0]))[0]
    assert middle[[0, 2]].tolist() == [0.0, 2.0] and 0.3 < middle[1] < middle[3] < 0.7
    x = np.array([0.2, 0.9])
    assert beliefs.take(np.array([2, 3])).log_below(x) == pytest.approx(beliefs.log_below(x)[:, 2:])
    assert beliefs.put(np.arange(4), Student(np.arange(4.0), np.ones(4), np.full(4, 9.0))).size == 4


@pytest.mark.parametrize("belief", [belief for belief, _, off in EXACT if off < 0.01])
def test_four_times_the_results_halve_the_error(belief):
    low, high = (belief.quantile(np.array([[z]])).item() for z in (-0.5, 0.5))
    lower, higher = (belief.sharper(np.array([4.0])).quantile(np.array([[z]])).item() for z in (-0.5, 0.5))
    assert 0.4 < (higher - lower) / (high - low) < 0.62
