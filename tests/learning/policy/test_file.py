"""Policies that are kept."""

import json
from fractions import Fraction

import gymnasium
import numpy as np
import pytest

import varde
from varde import Policy, StoreError
from varde.learning import learn


@pytest.fixture(scope="module")
def policy():
    def step(state, action, rng):
        return (state[0], (state[1] + action) % 3), float(rng.random() < 0.3), rng.random() < 0.1

    return learn(step, 300, actions=[0, 1], start=("place", 0), discount=0.9)


def test_what_is_loaded_equals_what_was_saved(policy, tmp_path):
    path = tmp_path / "policy.json"
    policy.save(path)
    again = Policy.load(path)
    assert again == policy and again.sentence == policy.sentence and again[("place", 1)] == policy[("place", 1)]
    assert again.doubt == policy.doubt and again.intervals == policy.intervals
    assert [path] == list(tmp_path.iterdir())


def test_keys_are_given_again(tmp_path):
    def step(place, action, rng):
        return (place + action) % 4, float(place[0] == 3)

    policy = varde.learn(step, 200, actions=[0, 1], start=np.zeros(1), key=lambda place: int(place[0]))
    policy.save(tmp_path / "p")
    again = Policy.load(tmp_path / "p", key=lambda place: int(place[0]))
    assert again == policy and again[np.array([1.0])] == policy[1]
    without = Policy.load(tmp_path / "p")
    assert without == policy and without[1] == policy[1]
    for asked in (without, without.__getitem__):
        with pytest.raises(ValueError, match="was learned with key=, a function, which no file keeps"):
            asked(np.array([1.0]))


def test_a_key_and_a_horizon_together(tmp_path):
    def step(place, action, rng):
        return place + action, float(place[0] == 1)

    policy = learn(step, 300, actions=[0, 1], start=np.zeros(1), horizon=3, key=lambda place: int(place[0]))
    policy.save(tmp_path / "p")
    again = Policy.load(tmp_path / "p", key=lambda place: int(place[0]))
    for asked in (policy, again):
        assert asked((np.zeros(1), 0), unseen="raise") == asked[0, 0]


def test_observations_that_need_no_key_of_the_users_are_read_without_one(tmp_path):
    env = gymnasium.make("Blackjack-v1")
    policy = learn(env, 200)
    policy.save(tmp_path / "p")
    seen, _ = env.reset(seed=0)
    assert Policy.load(tmp_path / "p")(seen, unseen="raise") == policy(seen)
    with pytest.raises(ValueError, match="was learned without key=: leave it out"):
        Policy.load(tmp_path / "p", key=tuple)


def test_names_are_read_as_they_were_written(tmp_path):
    places = [frozenset({1, "a"}), b"\xff", 1j]
    policy = learn(lambda s, a, rng: (places[rng.integers(3)], 1.0), 20, actions=["go"], start=places[0])
    policy.save(tmp_path / "p")
    assert Policy.load(tmp_path / "p") == policy


def test_what_cannot_be_named_is_refused_and_nothing_is_written(tmp_path):
    policy = learn(lambda s, a, rng: (Fraction(1, 2), 1.0), 20, actions=["go"], start=Fraction(1, 2))
    with pytest.raises(TypeError, match=r"Fraction\(1, 2\) cannot be written"):
        policy.save(tmp_path / "p")
    assert not list(tmp_path.iterdir())


def with_state(record, **changes):
    return {**record, "state": record["state"] | changes}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda record: "{", "is not JSON"),
        (lambda record: "[1]", "is not a policy"),
        (lambda record: {**record, "format": 9}, "has format 9"),
        (lambda record: with_state(record, choices={"array": [0], "type": "<i8", "shape": [1]}), "do not fit together"),
        (lambda record: with_state(record, seen={"record": "Path", "fields": ["x"]}), "is damaged"),
        (lambda record: with_state(record, seen=None), "is damaged"),
        (lambda record: with_state(record, other=1), "is damaged"),
    ],
)
def test_a_bad_file_is_told_from_a_good_one(policy, tmp_path, change, message):
    path = tmp_path / "policy.json"
    policy.save(path)
    changed = change(json.loads(path.read_text()))
    path.write_text(changed if isinstance(changed, str) else json.dumps(changed))
    with pytest.raises(StoreError, match=message):
        Policy.load(path)


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError):
        Policy.load("nowhere.json")
