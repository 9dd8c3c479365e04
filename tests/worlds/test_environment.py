"""Environments that planning goes forward in: where simulations begin, what they draw, and what is refused."""

import copy
import random

import gymnasium
import numpy as np
import pytest

from varde.worlds.environment import Forward
from varde.worlds.function import SimulationError
from varde.worlds.spaces import hashable

NAMES = ["Blackjack-v1", "CartPole-v1", "Acrobot-v1", "MountainCar-v0", "Taxi-v4", "CliffWalking-v1", "FrozenLake-v1"]


def here(env, key=None):
    """A way back to where the environment is."""
    environment = Forward(env, key)
    environment.start(np.random.default_rng(0))
    return environment


def walked(environment, actions, seed=0):
    """What is named on a simulation with these actions."""
    rng = np.random.default_rng(seed)
    with environment.simulating():
        step = environment.simulation(rng)
        return [(state.name, reward, over) for state, reward, over in (step(None, a, rng) for a in actions)]


@pytest.mark.parametrize("name", NAMES)
def test_simulations_begin_where_the_environment_is_and_it_stays_there(name):
    env, twin = gymnasium.make(name), gymnasium.make(name)
    env.reset(seed=1), twin.reset(seed=1)
    environment = here(env)
    assert walked(environment, [1, 0], 3) == walked(environment, [1, 0], 3)
    assert hashable(env.step(0)[:4]) == hashable(twin.step(0)[:4])
    again = Forward(env)
    legal = again.start(np.random.default_rng(0)).legal
    if "CartPole" in name:  # nothing is random there
        assert walked(again, [legal[1]])[0][0] == hashable(twin.step(legal[1])[0])


def test_every_simulation_draws_anew():
    """A copy that kept the stream would draw the same card each time: planning would see through the deck."""
    env = gymnasium.make("Blackjack-v1")
    env.reset(seed=0)
    environment, rng = here(env), np.random.default_rng(0)
    assert len({environment.simulation(rng)(None, 1, rng)[0] for _ in range(40)}) > 3


def test_a_limit_on_steps_does_not_end_the_world():
    env = gymnasium.make("MountainCar-v0", max_episode_steps=3)
    env.reset(seed=0)
    assert [found[1:] for found in walked(here(env), [0] * 6)] == [(-1.0, False)] * 6


def test_wrappers_of_the_user_are_kept():
    doubled = gymnasium.wrappers.TransformReward(gymnasium.make("CartPole-v1"), lambda reward: 2.0 * reward)
    doubled.reset(seed=0)
    assert walked(here(doubled), [0])[0][1] == 2.0


class Counter(gymnasium.Env):
    """Counts to ten; how it is saved, and what it does wrong, is up to its heirs."""

    action_space = gymnasium.spaces.Discrete(2, start=1)
    observation_space = gymnasium.spaces.Discrete(100)

    def __init__(self):
        self.count = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.count = 0
        return self.count, {}

    def step(self, action):
        self.count += action
        return self.count, float(action), self.count >= 10, False, {}


class Saved(Counter):
    """It cannot be copied."""

    def __init__(self):
        self.count, self.left = 0, (i for i in range(10**6))

    def get_state(self):
        return [self.count]

    def set_state(self, state):
        self.count = state[0]


class Cloned(Saved):
    get_state = None

    def clone_state(self):
        return self.count

    def restore_state(self, state):
        self.count = state


class Resets(Counter):
    """Its copies begin anew, as those of all that is pickled by the arguments of its constructor."""

    def __deepcopy__(self, memo):
        return Resets()


class Ring:
    """A part that knows the whole."""

    def __init__(self, env):
        self.env = env


class Parts(Counter):
    def __init__(self):
        self.count, self.ring = 0, Ring(self)

    def step(self, action):
        return Counter.step(self.ring.env, action)


@pytest.mark.parametrize("kind", [Counter, Saved, Cloned, Resets, Parts])
def test_environments_are_put_back_as_they_can_be(kind):
    env = kind()
    env.reset(), env.step(2)
    environment, kept = here(env), copy.copy(vars(env))
    assert [name for name, _, _ in walked(environment, [1, 2, 1])] == [3, 5, 6]
    assert [name for name, _, _ in walked(environment, [2, 2, 1])] == [4, 6, 7]
    assert {name: value for name, value in vars(env).items() if name != "ring"} == {
        name: value for name, value in kept.items() if name != "ring"
    }


class Stacked(gymnasium.Wrapper):
    """A wrapper with a state of its own, around a core that saves itself or not."""

    last = 0

    def step(self, action):
        seen, *rest = self.env.step(action)
        before, self.last = self.last, seen
        return (before, seen), *rest


@pytest.mark.parametrize("kind", [Counter, Saved, Cloned])
def test_wrappers_have_states_too(kind):
    env = Stacked(gymnasium.wrappers.OrderEnforcing(kind()))
    env.reset(), env.step(2)
    environment = here(env)
    for _ in range(2):
        assert [name for name, _, _ in walked(environment, [1, 2])] == [(2, 3), (3, 5)]
    assert env.step(1)[0] == (2, 3)


class OwnStreams(Counter):
    """Draws from streams of its own, of every kind."""

    def __init__(self):
        self.count = 0
        self.parts = {"dice": [np.random.default_rng(1), np.random.RandomState(2)], "deck": random.Random(3)}

    def step(self, action):
        generator, legacy = self.parts["dice"]
        drawn = generator.integers(1, 3) + legacy.randint(1, 3) + self.parts["deck"].choice([1, 2])
        return super().step(int(drawn))


def test_streams_of_its_own_draw_anew_in_every_simulation():
    env = OwnStreams()
    env.reset()
    environment, rng = here(env), np.random.default_rng(0)
    assert {environment.simulation(rng)(None, 1, rng)[0].name for _ in range(60)} == {3, 4, 5, 6}
    assert env.parts["dice"][0].integers(1000) == np.random.default_rng(1).integers(1000)


def test_a_copy_is_of_where_the_environment_was_when_planning_began():
    env = Counter()
    env.reset()
    environment = here(env)
    env.step(2)
    assert walked(environment, [1])[0][0] == 1
    environment.start(np.random.default_rng(0))
    assert walked(environment, [1])[0][0] == 3
    env.step(2)
    assert environment.now(4).name == 4  # planning moves on
    assert walked(environment, [1])[0][0] == 5


# -- what is refused -------------------------------------------------------------------------------


class Beginning:
    """A part that begins anew when it is copied."""

    count = 0

    def __deepcopy__(self, memo):
        return Beginning()


class PartBegins(Counter):
    def __init__(self):
        self.part = Beginning()

    def step(self, action):
        self.part.count += action
        return self.part.count, 0.0, False, False, {}


class AllPrograms(Counter):
    def step(self, action):
        return super().step(int(np.random.randint(1, 4)))


class Hidden(Counter):
    """Draws from a stream that no copy meets."""

    dice = np.random.default_rng(5)

    def step(self, action):
        return super().step(int(self.dice.integers(1, 4)))


class Outside(Counter):
    """Keeps its state where no copy of it comes."""

    kept: list = []

    def step(self, action):
        self.kept.append(action)
        return sum(self.kept), 0.0, False, False, {}


class ForgetsHalf(Saved):
    """Its state is more than it saves."""

    total = 0

    def step(self, action):
        self.total += action
        return self.total + 1, 0.0, self.total > 9, False, {}


class Uncopied(Counter):
    def __init__(self):
        self.count, self.left = 0, (i for i in range(10**6))


class Native(Counter, list):
    """Has more than attributes."""


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (PartBegins, r"by copies of its attributes: action . led elsewhere.* when it was put back"),
        (AllPrograms, r"draws from the global np.random or random: .*self\.np_random"),
        (Hidden, r"action . led elsewhere.* with the same random numbers: let all of them come from self\.np_random"),
        (Outside, "action . led elsewhere"),
        (ForgetsHalf, "by its own saving and restoring: action . led elsewhere"),
        (Uncopied, "TypeError: cannot pickle 'generator' object"),
        (Native, r"TypeError: object.__new__\(Native\) is not safe"),
    ],
)
def test_what_cannot_be_gone_back_to_is_refused_with_the_reason(kind, words):
    env = kind()
    env.reset()
    env.step(1)
    before = random.getstate(), repr(np.random.get_state())
    with pytest.raises(SimulationError, match=words + r".*Write a function step\(state, action, rng\)"):
        here(env)
    assert kind is AllPrograms or before == (random.getstate(), repr(np.random.get_state()))


def test_an_environment_that_was_not_reset_is_told_to():
    class Late(Counter):
        def __init__(self):
            pass

    with pytest.raises(SimulationError, match=r"if reset\(\) sets that, call it first; .* no attribute 'count'"):
        here(Late())
