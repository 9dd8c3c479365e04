"""How much more it would take."""

import math

import numpy as np
import pytest

from varde.certainty import assess, forecast, from_values
from varde.selection.result import wanted_next

from .test_certificate import draws


def needed(sample, **more):
    return forecast(sample, wanted_next, **more)


def test_forecast_is_about_right():
    """A gap of half the noise: the forecast from 40 samples each, against going on for as long as it takes."""
    values = draws(0.0, 0.0, 0.5, n=40, seed=11)
    for x, mean in zip(values, (0.0, 0.0, 0.3), strict=True):
        x += mean - x.mean()
    wanted = needed(from_values(values))
    assert 0 < wanted[0.95] < wanted[0.99] < math.inf
    # As many more of the same, shared like the gap rule would, must reach the level, and half as many must not.
    rng = np.random.default_rng(0)
    for factor, reached in ((0.4, False), (2.0, True)):
        more = [np.concatenate([x] + [rng.permutation(x) for _ in range(20)]) for x in values]
        each = 40 + int(factor * wanted[0.95] / 3)
        cut = [x[:each] - x[:each].mean() + x.mean() for x in more]
        assert (assess(from_values(cut)).chances.max() >= 0.95) == reached


def test_forecast_of_ties_and_of_the_settled():
    assert needed(from_values([np.array([0.0, 1.0, 0.0, 1.0])] * 2)) == {0.95: math.inf, 0.99: math.inf}
    assert needed(from_values(draws(0.0, 5.0, n=60))) == {0.95: 0.0, 0.99: 0.0}
    assert needed(from_values(draws(0.0, 5.0, n=30)))[0.99] > 0.0, "30 results cannot show 99 %"


def test_forecast_in_units_of_cost():
    sample = from_values(draws(0.0, 0.3, n=30, seed=4))
    plain, dear = needed(sample), needed(sample, costs=np.array([5.0, 5.0]))
    assert dear[0.95] == pytest.approx(5.0 * plain[0.95], rel=0.2)


def test_of_many_options_the_most_promising_are_enough():
    assert needed(from_values(draws(*np.linspace(0.0, 1.0, 1000), n=4)))[0.95] > 1000


@pytest.mark.parametrize("lead, furthest", [(0.02, 1000.0), (0.01, math.inf)])
def test_nothing_is_said_beyond_a_thousand_times_what_was_spent(lead, furthest):
    values = draws(0.0, 0.0, n=30)
    values = [x - x.mean() + mean for x, mean in zip(values, (0.0, lead), strict=True)]
    found = needed(from_values(values))[0.99]
    assert 500.0 < found / 60.0 < 1000.0 if furthest < math.inf else found == math.inf


def test_forecasts_stay_as_they_were():
    """Recorded: each constant of the forecast moves one of them."""
    assert needed(from_values(draws(0.0, 0.1, 0.3, n=12))) == {0.95: 241.0, 0.99: 401.0}
    assert needed(from_values(draws(*np.linspace(0.0, 1.0, 400), n=4)))[0.95] == 4791.0
