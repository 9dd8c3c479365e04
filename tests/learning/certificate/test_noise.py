"""The noise of a backup; each constant in closed form."""

import numpy as np
import pytest

from varde.learning.certificate.model import model_of, solve
from varde.learning.certificate.noise import EULER, LEAST, errors
from varde.rows import END

from .test_model import transitions


def noise_of(*steps, widths=(1,), discount=0.5):
    return errors(solve(model_of(transitions(list(widths), *steps), discount)))


def error_of(*steps, widths=(1,), discount=0.5):
    return noise_of(*steps, widths=widths, discount=discount).variances


def test_rewards_of_one_pair():
    """Rewards 0 and 2, ended: SS = 2, average 2, local (5 2 + 2)/6; (2 local + 2)/3/2."""
    assert error_of((0, 0, 0.0, END), (0, 0, 2.0, END))[0] == pytest.approx((2 * 2.0 + 2.0) / 3 / 2)


def test_reward_and_successor_that_make_up_for_each_other_are_no_noise():
    """To state 1, worth 4, with reward 0, or to the end with reward 2: both are worth 2 at discount 1/2."""
    steps = [(0, 0, 0.0, 1), (0, 0, 2.0, END)] * 3 + [(1, 0, 3.0, END), (1, 0, 5.0, END)] * 3
    other = [(0, 0, 2.0, 1), (0, 0, 0.0, END)] * 3 + steps[6:]
    assert error_of(*steps, widths=(1, 1))[0] < 0.3 * error_of(*other, widths=(1, 1))[0]


def test_the_noise_of_a_state_is_what_another_outcome_of_its_other_actions_may_add():
    """Action 1, tried once; action 0 paid 0 or 2.  Of the pair tried twice or more one outcome more was seen."""
    steps = [(0, 0, 0.0, END), (0, 0, 2.0, END)] * 50 + [(0, 1, 1.0, END)]
    found = noise_of(*steps, widths=(2,))
    local = (5 * 100 / 99 + 100) / (5 + 100)
    expected = np.log(99.5) + EULER
    theta = (1 + 1) / (1 / ((0.5 + 1 / expected) / 2) + expected)
    assert found.variances[1] == 0.0 and found.jumps[1] == pytest.approx(local)
    assert found.unseen[1] == pytest.approx(theta * (theta + 1) / 2)


def test_a_deterministic_world_has_nearly_no_noise():
    """Nine pairs with ten equal outcomes each."""
    steps = [(s, 0, float(s), END) for s in range(9)] * 10
    found = noise_of(*steps, widths=[1] * 9)
    local = 5 * np.var(np.arange(9)) / 91 / (5 + 9)
    np.testing.assert_allclose(found.jumps, 2 * local / 11 / 10)
    np.testing.assert_allclose(found.unseen, LEAST * (1 + LEAST) / 2)
    assert (found.variances == 0.0).all()


def test_many_deterministic_rooms_say_little_about_the_rest():
    """State 0 goes on at random; one action of state 1 had three equal outcomes, and a door leads to 300 rooms."""
    rest = [(0, 0, 0.0, 0), (0, 0, 0.0, 1), (1, 0, 0.0, 0), (1, 0, 0.0, 1)] * 20 + [(1, 1, 1.0, 0)] * 3
    rooms = [(0, 1, 0.0, room) for room in range(2, 302)] + [
        (r, a, 1.0, 0) for r in range(2, 302) for a in (0, 0, 1, 1)
    ]
    alone = noise_of(*rest, *[(0, 1, 0.0, 0)] * 300, widths=(2, 2))
    among = noise_of(*rest, *rooms, widths=(2, 2, *[2] * 300))
    assert 0.4 * alone.total[3] < among.total[3] and among.total[-1] < 0.1 * among.total[3]


def test_actions_never_tried_are_like_the_others_of_their_state():
    steps = [(0, 0, 0.0, END), (0, 1, 2.0, END)] * 4
    found, solved = noise_of(*steps, widths=(3,)), solve(model_of(transitions([3], *steps), 0.5))
    assert solved.worth[2] + found.shifts[2] == pytest.approx(1.0)  # the mean of 0 and 2
    assert found.variances[2] == pytest.approx((5 * 1 / 9 + 8) / (5 + 7)) and (found.shifts[:2] == 0.0).all()


def test_it_has_the_unit_of_the_values_squared():
    steps = [(0, 0, 0.0, 1), (0, 0, 1.0, END), (1, 0, 3.0, 0), (1, 1, 2.5, END), (1, 0, 0.5, 0)]
    scaled = [(s, a, 1024.0 * r, t) for s, a, r, t in steps]
    np.testing.assert_allclose(
        noise_of(*scaled, widths=(1, 2)).total, 1024.0**2 * noise_of(*steps, widths=(1, 2)).total
    )
