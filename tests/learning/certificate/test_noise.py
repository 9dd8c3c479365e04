"""The noise of a backup; each constant in closed form."""

import numpy as np
import pytest

from varde.learning.certificate.model import model_of, solve
from varde.learning.certificate.noise import errors
from varde.rows import END

from .test_model import transitions


def error_of(*steps, widths=(1,), discount=0.5):
    return errors(solve(model_of(transitions(list(widths), *steps), discount)))


def test_rewards_of_one_pair():
    """Rewards 0 and 2, ended: SS = 2, average 2, local (5 2 + 2)/6; (2 local + 2)/3/2."""
    assert error_of((0, 0, 0.0, END), (0, 0, 2.0, END))[0] == pytest.approx((2 * 2.0 + 2.0) / 3 / 2)


def test_reward_and_successor_that_make_up_for_each_other_are_no_noise():
    """To state 1, worth 4, with reward 0, or to the end with reward 2: both are worth 2 at discount 1/2."""
    steps = [(0, 0, 0.0, 1), (0, 0, 2.0, END)] * 3 + [(1, 0, 3.0, END), (1, 0, 5.0, END)] * 3
    other = [(0, 0, 2.0, 1), (0, 0, 0.0, END)] * 3 + steps[6:]
    assert error_of(*steps, widths=(1, 1))[0] < 0.3 * error_of(*other, widths=(1, 1))[0]


def test_the_noise_of_a_state_is_lent_to_its_other_actions():
    """Action 1, tried once; what action 0 led to, 0 or 2, counts for two samples of it."""
    steps = [(0, 0, 0.0, END), (0, 0, 2.0, END)] * 50 + [(0, 1, 1.0, END)]
    found = error_of(*steps, widths=(2,))
    average = 100 / 99
    local = (5 * average + 100) / (5 + 100)
    rho = (1.5 / 2 + 1) / 2  # the world, of whose one family all was random, and the one other action; h = 2 / 2
    assert found[1] == pytest.approx(2 * local * rho / 2)


def test_a_deterministic_world_has_nearly_no_noise():
    """Nine pairs with ten equal outcomes each: rho = .5/10, h = 2/11."""
    steps = [(s, 0, float(s), END) for s in range(9)] * 10
    found = error_of(*steps, widths=[1] * 9)
    average = np.var(np.arange(9)) / 91
    local = 5 * average / (5 + 9)
    h = 0.05 * 2 / 11
    np.testing.assert_allclose(found, 2 * local * (h / (h + 0.95)) / 11 / 10)


def test_many_deterministic_rooms_say_little_about_the_rest():
    """State 0 goes on at random; one action of state 1 had three equal outcomes, and a door leads to 300 rooms."""
    rest = [(0, 0, 0.0, 0), (0, 0, 0.0, 1), (1, 0, 0.0, 0), (1, 0, 0.0, 1)] * 20 + [(1, 1, 1.0, 0)] * 3
    rooms = [(0, 1, 0.0, room) for room in range(2, 302)] + [
        (r, a, 1.0, 0) for r in range(2, 302) for a in (0, 0, 1, 1)
    ]
    alone = error_of(*rest, *[(0, 1, 0.0, 0)] * 300, widths=(2, 2))[3]
    among = error_of(*rest, *rooms, widths=(2, 2, *[2] * 300))
    assert 0.5 * alone < among[3] and among[-1] < 0.02 * among[3]


def test_it_has_the_unit_of_the_values_squared():
    steps = [(0, 0, 0.0, 1), (0, 0, 1.0, END), (1, 0, 3.0, 0), (1, 1, 2.5, END), (1, 0, 0.5, 0)]
    scaled = [(s, a, 1024.0 * r, t) for s, a, r, t in steps]
    np.testing.assert_allclose(error_of(*scaled, widths=(1, 2)), 1024.0**2 * error_of(*steps, widths=(1, 2)))
