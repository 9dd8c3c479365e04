"""A step that answers for the state it is given, and one that continues from its own state."""

import functools
import random

import gymnasium
import numpy as np
import pytest

import varde
from varde.worlds.diagnosis import TIMES, Probe

MINE = np.random.default_rng(5)


def by_rng(state, action, rng):
    return state + int(rng.integers(10)), rng.random()


def by_globals(state, action, rng):
    return state + random.randrange(100) + int(np.random.randint(100)), MINE.random()


class Own:
    def __init__(self):
        self.stream, self.old = random.Random(1), np.random.RandomState(2)

    def step(self, state, action, rng):
        return state + self.stream.randrange(1000), self.old.normal(), False


def with_argument(stream, state, action, rng):
    return state + int(stream.integers(1000)), 0.0


HONEST = [by_rng, by_globals, Own().step, functools.partial(with_argument, np.random.default_rng(3))]


@pytest.mark.parametrize("step", HONEST, ids=["rng", "globals", "object", "partial"])
def test_wherever_an_honest_step_draws_from_it_answers_twice_the_same(step):
    probe, rng = Probe(step), np.random.default_rng(0)
    for _ in range(TIMES):
        before = rng.bit_generator.state
        probe(0, 1, rng)
        assert rng.bit_generator.state == before  # and what it draws next is not changed
    assert probe.left == 0


def test_an_environment_goes_on_from_where_it_is():
    env = gymnasium.make("Taxi-v4")
    env.reset(seed=0)

    def step(state, action, rng):
        return env.step(action)[:3]

    probe = Probe(step)
    with pytest.raises(ValueError, match=r"continues from its own state.*write varde.learn\(env"):
        for turn in range(TIMES):
            probe(0, turn % 4, np.random.default_rng(0))


def test_an_environment_that_is_put_into_the_state_is_honest():
    env = gymnasium.make("FrozenLake-v1")
    env.reset(seed=0)

    def step(state, action, rng):
        env.unwrapped.s, env.unwrapped.lastaction = state, None
        seen, reward, over, _, _ = env.unwrapped.step(action)
        return seen, reward, over

    probe = Probe(step)
    for _ in range(TIMES):
        probe(6, 1, np.random.default_rng(0))


class Spot:
    def __init__(self, x):
        self.x = x


@pytest.mark.parametrize("key", [None, lambda state: state.x])
@pytest.mark.filterwarnings("ignore:two states have the same contents")
def test_new_objects_with_the_same_contents_are_the_same_answer(key):
    def step(state, action, rng):
        return Spot(state.x + 1), 1.0, state.x == 2

    policy = varde.learn(step, 100, start=Spot(0), actions=["go"], key=key)
    assert policy.spent == 100


def test_of_objects_what_they_hold_is_compared():
    place = Spot(0)

    def step(state, action, rng):
        place.x += 1
        return Spot(place.x), 1.0, place.x % 3 == 0

    with pytest.raises(ValueError, match="it continues from its own state"):
        varde.learn(step, 100, start=Spot(0), actions=["go"], key=lambda state: state.x)
