"""What is said about a policy."""

import re

import gymnasium
import numpy as np
import pytest

import varde
from tests.noted import noted
from varde.learning import learn


def test_little_data_is_said_to_be_little():
    policy = learn(varde.environments.river_swim(30), 60)
    assert 29 in policy.untried_states and 29 in policy.uncertain
    assert policy.doubt[29] == 1.0 and policy.certificate(29).p_right == pytest.approx(0.5)
    assumed = [note.code for note in policy.notes if note.severity == "assumption"]
    assert policy.untested_gain > 0.0 and assumed == ["untried"]
    assert "Actions never tried are taken to be like the others; they might add" in policy.to_html()


def test_enough_data_is_said_to_be_enough():
    policy = learn(varde.environments.river_swim(5), 10_000)
    said = r"A policy for 5 states: after 10,000 steps it is worth [\d.]+ \([\d.]+ … [\d.]+\) from the start; "
    said += r"the chance that none is better by more than ([\d.]+) is 99.2 %\."
    match = re.fullmatch(said, policy.sentence)
    assert match and noted(policy, "chance").startswith(f"{match[1]} is 1 % of the range of all values.")
    assert "judged in 64 simulated worlds, and 99.2 % is the most" in noted(policy, "chance")
    assert "discounted by 0.99 a step" in noted(policy, "worth") and noted(policy, "doubt") == "No state is in doubt."
    assert policy.interval[0] < policy.value < policy.interval[1]


def test_the_doubtful_states_come_first():
    policy = learn(varde.environments.forked_river_swim(5), 800)
    assert "states are in doubt." in noted(policy)
    assert 0.05 < policy.p_right < 0.95 and policy.expected_regret > 0.0
    assert len(policy.most_useful(3)) == 3 and all(action in policy.legal[0] for _, action in policy.most_useful(3))
    lines = str(policy).splitlines()
    head = lines[lines.index("") + 1]
    assert head.split()[0] == "state" and float(policy.doubt[policy.uncertain[0]]) == policy.doubts.max()


def test_what_an_episode_pays_is_beside_the_discounted_value():
    def step(place, action, rng):
        return place + 1, 1.0, place == 9

    policy = learn(step, 300, actions=["go"], start=0, discount=0.9)
    assert policy.episode_return == pytest.approx(10.0) and policy.value == pytest.approx((1 - 0.9**10) / 0.1)
    assert "discounted by 0.9 a step; an episode pays 10.0 on average" in noted(policy)
    endless = learn(varde.environments.river_swim(4), 500)
    assert np.isnan(endless.episode_return) and "an episode pays" not in noted(endless)


def test_a_policy_is_read_by_name():
    policy = learn(varde.environments.river_swim(4), 3_000)
    assert len(policy) == 4 and 3 in policy and 4 not in policy and policy.keys() == [0, 1, 2, 3]
    assert sum(policy.visits[0].values()) == policy.counts[0].sum() and set(policy.visits[0]) == {"left", "right"}
    assert policy.intervals[0][0] < policy.values[0] < policy.intervals[0][1]
    assert policy == learn(varde.environments.river_swim(4), 3_000) != learn(varde.environments.river_swim(4), 2_000)


def test_a_state_never_met_has_no_action_of_its_own():
    policy = learn(varde.environments.river_swim(4), 3_000)
    with pytest.raises(KeyError, match=r"'deep' is not one of the 4 states .* such as 0: policy\(state\) warns"):
        policy["deep"]
    assert policy.get("deep") is None and policy.get("deep", "stay") == "stay" and policy.get(1) == policy[1]
    with pytest.warns(UserWarning, match=r"'deep' is not one of the 4 states visited, so the usual action is taken"):
        assert policy("deep") == policy.fallback == "right"
    assert policy("deeper", unseen="fallback") == "right" and policy(1, unseen="raise") == policy[1]
    assert policy.unknown_states == ["deep", "deeper"]
    with pytest.raises(KeyError, match="'deep' is not one"):
        policy("deep", unseen="raise")
    with pytest.raises(ValueError, match="unseen is 'never'"):
        policy("deep", unseen="never")


def test_the_certificate_of_a_state_follows_its_doubt():
    policy = learn(varde.environments.river_swim(5), 300)
    for state in policy:
        certificate = policy.certificate(state)
        assert sum(certificate.chances.values()) == pytest.approx(1.0)
        assert certificate.p_right == certificate.chances[policy[state]]
        assert certificate.spent == 300 and certificate.loss >= 0.0
        if all(policy.visits[state].values()):
            assert certificate.p_right == pytest.approx(1.0 - policy.doubt[state])


def test_learning_that_a_rule_ended_says_what_it_promises():
    world = varde.environments.river_swim(5)
    for stop, words in (
        (0.05, "It ended by stop=0.05: the policy loses more than 1 % of the range of all values with a chance of at"),
        (varde.Stop(0.1, margin=0.5), "It ended by varde.Within(0.5, 0.9): the policy loses more than 0.5 with a"),
    ):
        policy = learn(world, 100_000, stop=stop)
        assert policy.stopped == "sure" and policy.spent < 50_000 and words in noted(policy)
        assert "measured and not proved" in noted(policy)
    assert "It ended by" not in noted(learn(world, 500, stop=lambda policy: policy.spent > 200))
    for stop, message in ((0.001, "99.2 % at most"), (0.95, "did you mean 0.05"), ("0.05", "stop is '0.05'")):
        with pytest.raises((TypeError, ValueError), match=message):
            learn(world, 100, stop=stop)


def test_states_that_cannot_be_hashed_are_found_by_themselves_or_by_their_keys():
    def step(place, action, rng):
        return (place + action) % 4, float(place[0] == 3)

    policy = varde.learn(step, 300, actions=[0, 1], start=np.zeros(1), key=lambda place: int(place[0]))
    assert policy.states == [0, 1, 2, 3] and policy[np.array([1.0])] == policy[1] == 1
    env = gymnasium.make("CartPole-v1")
    policy = varde.learn(env, 50, key=lambda seen: bool(seen[2] > 0))
    assert policy[env.reset(seed=0)[0]] in (0, 1) and set(policy) <= {True, False}


def test_a_table_says_what_its_rewards_are(tmp_path):
    river = varde.environments.river_swim(5)
    found = [learn(river, 200, **how) for how in ({}, {"horizon": 3}, {"store": tmp_path / "river"})]
    assert [policy.bounds for policy in found] == [(0.0, 1.0)] * 3
    found[0].save(tmp_path / "policy.json")
    assert varde.Policy.load(tmp_path / "policy.json").bounds == found[0].bounds
