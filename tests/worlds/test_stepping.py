"""Environments walked through by their own reset and step."""

import gymnasium
import numpy as np
import pytest

from varde.worlds.stepping import Answer, Walk
from varde.worlds.world import as_world


class Line(gymnasium.Env):
    """Places 0, 1, 2, ... of a line: action 1 goes on, action 0 stays; at ``last`` the episode is over."""

    def __init__(self, last=2, first=0, masked=False):
        self.observation_space, self.action_space = gymnasium.spaces.Discrete(10), gymnasium.spaces.Discrete(2)
        self.last, self.first, self.masked = last, first, masked

    def info(self):
        return {"action_mask": np.array([self.place > 0, True], np.int8)} if self.masked else {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.first
        return self.place, self.info()

    def step(self, action):
        self.place += int(action)
        return self.place, float(self.place), self.place == self.last, False, self.info()


RNG = np.random.default_rng(0)


def test_episodes_are_cut_short_and_are_not_over():
    walk = Walk(gymnasium.make("CartPole-v1", max_episode_steps=4), key=lambda seen: "here")
    walk.begin(np.random.default_rng(0))
    ends = [walk.take(turn % 2) for turn in range(4)]
    assert ends == [Answer(1.0, False, False)] * 3 + [Answer(1.0, False, True)] and walk.spot == ("here", (0, 1))


def test_episodes_depend_on_the_generator_alone():
    def starts():
        walk, rng = Walk(gymnasium.make("Blackjack-v1")), np.random.default_rng(4)
        return [walk.begin(rng) for _ in range(5)]

    assert starts() == starts() and len(set(starts())) > 1


def test_masks_say_what_is_legal():
    walk = Walk(Line(masked=True))
    assert walk.begin(RNG) == (0, (1,))
    assert walk.take(1) == Answer(1.0, False, False) and walk.spot == (1, (0, 1))


def test_what_cannot_be_learned_in_is_refused():
    for env, words in (
        (gymnasium.make("CartPole-v1"), "write key=function"),
        (gymnasium.make_vec("Blackjack-v1", num_envs=2), "is a vector of environments: give a single one"),
    ):
        with pytest.raises(TypeError, match=words):
            Walk(env)


@pytest.mark.parametrize("wrapper", [gymnasium.wrappers.NormalizeObservation, gymnasium.wrappers.NormalizeReward])
def test_wrappers_that_change_their_scale_are_refused(wrapper):
    env = gymnasium.wrappers.TimeLimit(wrapper(gymnasium.make("CartPole-v1")), 9)
    for take in (as_world, lambda env: Walk(env, lambda seen: 0)):
        with pytest.raises(TypeError, match="changes its scale as it goes"):
            take(env)


@pytest.mark.parametrize("answer", [0, (0, 1), np.zeros(2)])
def test_a_reset_of_another_form_is_refused(answer):
    env = Line()
    env.reset = lambda seed: answer
    with pytest.raises(TypeError, match=r"reset returned .*: return Gymnasium's two"):
        Walk(env).begin(RNG)
