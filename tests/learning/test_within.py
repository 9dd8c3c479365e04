"""When a policy is good enough."""

import pytest

import varde
from varde.environments import river_swim


@pytest.mark.parametrize(
    ("loss", "chance", "message"),
    [(0.0, 0.95, "loss is 0"), (0.1, 0.05, "write 0.95"), (0.1, 1.0, "chance is 1"), ("x", 0.9, "loss is 'x'")],
)
def test_settings_are_checked(loss, chance, message):
    with pytest.raises((ValueError, TypeError), match=message):
        varde.Within(loss, chance)


def test_little_data_do_not_settle_it_and_much_do():
    assert not varde.learn(river_swim(5), 100).settled(varde.Within(0.5))
    assert varde.learn(river_swim(5), 10_000).settled(varde.Within(0.5))


def test_learning_stops_when_it_is_settled():
    policy = varde.learn(river_swim(5), 100_000, stop=varde.Within(0.5))
    assert policy.stopped == "sure" and policy.spent < 20_000 and policy.settled(varde.Within(0.5))
    assert varde.learn(river_swim(5), 100, stop=varde.Within(1e-6)).stopped == "budget"


def test_a_state_to_which_nobody_has_come_yet_keeps_it_open():
    policy = varde.learn(river_swim(30), 2_000, stop=varde.Within(0.05, 0.95), seed=2)
    assert policy.stopped != "sure" or not policy.untried_states


def test_steps_that_all_paid_the_same_settle_nothing():
    def step(place, move, rng):
        return min(max(place + move, 0), 99), -0.1

    policy = varde.learn(step, 300, discount=0.97, actions=[-1, 1], start=0, stop=varde.Within(0.2))
    assert policy.stopped == "budget" and policy.certified.span == 0.0
