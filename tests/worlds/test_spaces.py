"""Actions as names, observations as something that can be hashed."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from varde.worlds.spaces import Moves, discrete_actions, hashable
from varde.worlds.world import as_world


class Adder(gymnasium.Env):
    """Adds up what it is given; legal is what the mask says."""

    observation_space = spaces.Discrete(100)

    def __init__(self, space, mask=None):
        self.action_space, self.mask, self.total = space, mask, 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.total = 0
        return 0, {}

    def step(self, action):
        assert self.action_space.contains(action)
        self.total += int(np.sum(action))
        return self.total, float(self.total), self.total > 20, False, {"action_mask": self.mask}


@pytest.mark.parametrize(
    ("space", "names"),
    [
        (spaces.Discrete(3, start=-1), (-1, 0, 1)),
        (spaces.MultiDiscrete([2, 2]), ((0, 0), (0, 1), (1, 0), (1, 1))),
        (spaces.MultiDiscrete([2, 1], start=[1, 5]), ((1, 5), (2, 5))),
        (spaces.MultiBinary(2), ((0, 0), (0, 1), (1, 0), (1, 1))),
        (spaces.Tuple([spaces.Discrete(2), spaces.Discrete(1)]), ((0, 0), (1, 0))),
        (spaces.Box(0, 2, (1,), np.int32), ((0,), (1,), (2,))),
    ],
)
def test_actions_that_can_be_counted_have_names(space, names):
    env = Adder(space)
    assert discrete_actions(env) == names
    if not isinstance(space, spaces.Tuple):
        env.reset()
        world, rng = as_world(env), np.random.default_rng(0)
        start = world.start(rng)
        place = world.forward.simulation(rng)(start, names[-1], rng)[0]
        assert place.name == np.sum(names[-1]) and world.actions(place) == names


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (spaces.Box(0.0, 1.0, (2,)), "not discrete"),
        (spaces.Text(5), "not discrete"),
        (spaces.MultiDiscrete([100, 100, 100]), "more than 32,767"),
    ],
)
def test_other_actions_are_refused(space, words):
    with pytest.raises(TypeError, match=words):
        discrete_actions(Adder(space))


def test_only_legal_actions_are_taken():
    env = Adder(spaces.Discrete(4), mask=np.array([0, 1, 1, 0], np.int8))
    env.reset()
    world, rng = as_world(env), np.random.default_rng(0)
    start = world.start(rng)
    assert world.actions(start) == (0, 1, 2, 3)  # nothing was said of it yet
    assert world.actions(world.forward.simulation(rng)(start, 1, rng)[0]) == (1, 2)


def test_masks_may_be_asked_for():
    env = Adder(spaces.Discrete(3))
    env.action_masks = lambda: [True, False, True]
    assert Moves(env).legal(env, {}) == (0, 2)
    assert Moves(env).legal(env, {"action_mask": np.ones(7)}) == (0, 1, 2)  # of something else


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((0, np.zeros(2), False, False, {}), r"the reward is array\(\[0., 0.\]\): return a finite number"),
        ((0, float("nan"), False, False, {}), "the reward is nan"),
        ((0, "1", False, False, {}), "the reward is '1'"),
        ((0, 1.0, "no", False, {}), "the flag over is 'no'"),
        ((0, 1.0, False, {}), "return Gymnasium's five"),
        (None, "step returned None: return Gymnasium's five"),
    ],
)
def test_answers_of_another_form_are_refused(answer, words):
    env = Adder(spaces.Discrete(3))
    env.step = lambda action: answer
    with pytest.raises((TypeError, ValueError), match=words):
        Moves(env).step(env, 1)


def test_observations_are_told_apart():
    a, b = np.array([1, 2]), np.array([1.0, 2.0])
    assert hashable({"x": a, "y": (b, np.int64(3))}) == hashable({"y": (b.copy(), 3), "x": a.copy()})
    assert len({hashable(x) for x in (a, b, a.astype(np.int32), a.reshape(1, 2), a + 1)}) == 5
    assert hashable(np.array(["x", None], object)) == hashable(np.array(["x", None], object))
    assert hashable([{1, 2}, "x"]) == hashable([{2, 1}, "x"])


@pytest.mark.parametrize("value", [float("nan"), np.float32("nan"), np.array([1.0, np.nan]), -0.0, np.array([-0.0])])
def test_observations_that_are_no_numbers_are_the_same_again(value):
    positive = value if np.isnan(value).any() else value * -1
    assert hashable(value) == hashable(positive) and hash(hashable(value)) == hash(hashable(positive))
