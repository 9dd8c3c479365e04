"""What is said about a policy."""

import gymnasium
import numpy as np
import pytest

import varde
from varde.learning import learn


def test_little_data_is_said_to_be_little():
    policy = learn(varde.environments.river_swim(30), 60)
    assert 29 in policy.unseen and 29 in policy.uncertain and "never visited" in str(policy)
    assert policy.doubt[29] == 1.0 and policy.certificate(29).p_right == pytest.approx(0.5)


def test_enough_data_is_said_to_be_enough():
    policy = learn(varde.environments.river_swim(5), 10_000)
    assert str(policy) == (
        "a policy for 5 states from 10000 steps\n"
        "no state is uncertain: every action is the best with probability 95 % or more"
    )


def test_a_policy_is_read_by_name():
    policy = learn(varde.environments.river_swim(4), 3_000)
    assert len(policy) == 4 and 3 in policy and 4 not in policy and policy.keys() == [0, 1, 2, 3]
    assert sum(policy.visits[0].values()) == policy.counts[0].sum() and set(policy.visits[0]) == {"left", "right"}
    with pytest.raises(KeyError, match=r"'deep' is not one of the 4 states .* such as 0"):
        policy["deep"]


def test_the_certificate_of_a_state_follows_its_gap():
    policy = learn(varde.environments.river_swim(5), 300)
    for state in policy:
        certificate = policy.certificate(state)
        assert sum(certificate.p_best.values()) == pytest.approx(1.0)
        assert certificate.p_right == certificate.p_best[policy[state]] >= 0.5
        assert certificate.spent == 300 and certificate.loss >= 0.0
    order = np.argsort([policy.doubt[s] for s in policy])
    assert np.all(np.diff([policy.certificate(s).p_right for s in order]) <= 1e-9)


def test_states_that_cannot_be_hashed_are_found_by_themselves_or_by_their_keys():
    def step(place, action, rng):
        return (place + action) % 4, float(place[0] == 3)

    policy = varde.learn(step, 300, actions=[0, 1], start=np.zeros(1), key=lambda place: int(place[0]))
    assert policy.states == [0, 1, 2, 3] and policy[np.array([1.0])] == policy[1] == 1
    env = gymnasium.make("CartPole-v1")
    policy = varde.learn(env, 50, key=lambda seen: bool(seen[2] > 0))
    assert policy[env.reset(seed=0)[0]] in (0, 1) and set(policy) <= {True, False}
