"""Bets: their mean is at most 1 where the mean bet against is true, and they are won no more often than that allows."""

import math

import numpy as np
import pytest
from scipy import stats

from varde.certainty.bets import (
    FAR,
    NEAR,
    ODDS,
    bounded_bet,
    difference_bet,
    gaussian_bet,
    student_floor,
    turned,
    with_cash,
    within,
)


def test_student_floor_is_never_too_high_and_close():
    t = np.concatenate([-np.logspace(1.0, -3.0, 300), np.logspace(-3.0, 4.0, 500)])
    for freedom in (2, 3, 7, 50, 10_000):
        error = student_floor(t, np.full(t.size, float(freedom))) - stats.t.logcdf(t, freedom)
        assert error.max() < 1e-12 and error[t > 0].min() > -0.005 and error[(t > -2) & (t < 0)].min() > -0.18


def test_gaussian_bet_is_the_mixture_it_says():
    """Half-normal effects and Haar measure on the scale, integrated by brute force."""
    x = np.array([0.3, 1.4, -0.2, 0.9, 0.7])
    effects, sizes = np.linspace(0.0005, 12.0, 12_000), np.exp(np.linspace(-7.0, 7.0, 1500))
    for c in (10.0, 0.5):
        prior = 2.0 * stats.norm.pdf(effects, 0.0, 1.0 / math.sqrt(c)) * (effects[1] - effects[0])
        total = np.zeros(effects.size)
        null = 0.0
        for s in sizes:  # the measure ds/s is even on this grid
            total += np.exp(-0.5 * (x @ x / s**2 - 2.0 * effects * x.sum() / s + x.size * effects**2)) / s**x.size
            null += math.exp(-0.5 * (x @ x) / s**2) / s**x.size
        mean, squares = x.mean(), ((x - x.mean()) ** 2).sum()
        found = gaussian_bet(np.array(x.size), np.array(squares), np.array(mean), ((c, 1.0),))
        assert found == pytest.approx(math.log(prior @ total / null), abs=0.01)


@pytest.mark.parametrize("effects", [NEAR, FAR])
def test_gaussian_bet_has_mean_one_at_most(effects):
    assert sum(share for _, share in effects) == pytest.approx(1.0)
    rng = np.random.default_rng(1)
    for n in (2, 5, 20):
        x = 300.0 * rng.normal(size=(100_000, n))
        mean = x.mean(axis=1)
        bets = np.exp(gaussian_bet(np.full(len(x), n), ((x - mean[:, None]) ** 2).sum(axis=1), mean, effects))
        assert 0.8 < bets.mean() < 1.0 + 4.0 * bets.std() / math.sqrt(len(x))


DRAWS = {
    "tosses": (0.5, lambda r, n: (r.random(n) < 0.5) * 1.0),
    "rare": (0.05, lambda r, n: (r.random(n) < 0.05) * 1.0),
    "beta": (2.0 / 7.0, lambda r, n: r.beta(2.0, 5.0, n)),
    "narrow": (0.4, lambda r, n: 0.4 + 0.05 * r.uniform(-1.0, 1.0, n)),
    "mostly nothing": (0.05, lambda r, n: (r.random(n) < 0.1) * r.random(n)),
}


@pytest.mark.parametrize("kind", DRAWS)
def test_bounded_bet_has_mean_one_at_most(kind):
    mean, draw = DRAWS[kind]
    rng = np.random.default_rng(2)
    for n in (2, 30):
        drawn = [within(draw(rng, n), (0.0, 1.0)) for _ in range(1500)]
        for bets in (
            np.exp([float(bounded_bet(one, np.array(mean))) for one in drawn]),
            np.exp([float(bounded_bet(turned(one), np.array(1.0 - mean))) for one in drawn]),
        ):
            assert bets.mean() < 1.0 + 4.0 * bets.std() / math.sqrt(bets.size)


def test_bounded_bet_never_exceeds_what_was_bet():
    """The spread form is below the product of its factors, which needs every result; tosses are bet on exactly."""
    rng = np.random.default_rng(3)
    for draw in (rng.beta(2.0, 3.0, 40), 0.5 + 0.1 * rng.random(40), (rng.random(40) < 0.3) * 1.0):
        one, at = within(draw, (0.0, 1.0)), np.linspace(0.1, 0.9, 9)
        y = draw[1:] / at[:, None] - 1.0
        stakes = 0.98 * 2.0 ** -np.arange(8.0)
        spread = np.mean([np.prod(1.0 + stake * y, axis=1) for stake in stakes], axis=0)
        steps = np.exp(np.linspace(math.log(0.02), math.log(6.0), 24))
        q = at[:, None] * np.exp(steps) / (1.0 - at[:, None] + at[:, None] * np.exp(steps))
        m, n = draw[1:].mean(), draw.size - 1
        two = (q / at[:, None]) ** (n * m) * ((1.0 - q) / (1.0 - at[:, None])) ** (n * (1.0 - m)) @ ODDS
        first = draw[0] in (0.0, 1.0)
        exact = np.log((0.9 if first else 0.1) * two + (0.1 if first else 0.9) * spread)
        assert (bounded_bet(one, at) <= exact + 1e-9).all()
        assert bounded_bet(one, at)[3] > exact[3] - 1.0


def test_difference_bet_is_a_product_of_stakes():
    d = np.array([0.4, -0.1, 1.0, 0.2, -1.0])
    stakes = 0.98 * 2.0 ** -np.arange(8.0)
    assert difference_bet(d, 0.0) == pytest.approx(math.log(np.mean([np.prod(1.0 + s * d) for s in stakes])))
    wide = stakes / 0.8
    assert difference_bet(d, 0.2) == pytest.approx(math.log(np.mean([np.prod(1.0 + s * (d + 0.2)) for s in wide])))


def test_bets_rise_with_the_results():
    """The minimum over all means is taken between the ends of slices, which needs it."""
    at = np.linspace(-3.0, 3.0, 500)
    assert (np.diff(gaussian_bet(np.array(12), np.array(7.0), at)) > -1e-9).all()
    one = within(np.random.default_rng(4).beta(2.0, 3.0, 30), (0.0, 1.0))
    assert (np.diff(bounded_bet(one, np.linspace(0.3, 0.9, 200))) < 1e-9).all()


def test_cash_is_kept():
    assert math.exp(float(with_cash(np.array(-np.inf), 0.02))) == pytest.approx(0.02)
    assert math.exp(float(with_cash(np.array(1.0), 0.2))) == pytest.approx(0.2 + 0.8 * math.e)
