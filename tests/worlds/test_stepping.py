"""Environments walked through by their own reset and step, one or several at once."""

import gymnasium
import numpy as np
import pytest

from varde.worlds.binned import Binned
from varde.worlds.stepping import Stride, Walk


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
    ends = [walk.step(turn % 2) for turn in range(4)]
    assert ends == [Stride("here", (0, 1), 1.0, False, False)] * 3 + [Stride("here", (0, 1), 1.0, False, True)]


def test_episodes_depend_on_the_generator_alone():
    def starts():
        walk, rng = Walk(gymnasium.make("Blackjack-v1")), np.random.default_rng(4)
        return [walk.begin(rng) for _ in range(5)]

    assert starts() == starts() and len(set(starts())) > 1


def test_masks_say_what_is_legal():
    walk = Walk(Line(masked=True))
    assert walk.begin(RNG) == (0, (1,))
    assert walk.step(1) == Stride(1, (0, 1), 1.0, False, False)


def test_what_cannot_be_learned_in_is_refused():
    for env, words in (
        (gymnasium.make("CartPole-v1"), "write key=10"),
        (gymnasium.make_vec("Blackjack-v1", num_envs=2), "is a vector of environments: give a single one"),
    ):
        with pytest.raises(TypeError, match=words):
            Walk(env)


@pytest.mark.parametrize("wrapper", [gymnasium.wrappers.NormalizeObservation, gymnasium.wrappers.NormalizeReward])
def test_wrappers_that_change_their_scale_are_refused(wrapper):
    with pytest.raises(TypeError, match="changes its scale as it goes"):
        Walk(gymnasium.wrappers.TimeLimit(wrapper(gymnasium.make("CartPole-v1")), 9), lambda seen: 0)


def test_random_play_shows_what_bins_are_laid_by():
    walk = Walk(gymnasium.make("CartPole-v1"), Binned(4))
    walk.lay_bins(300, np.random.default_rng(0))
    assert [len(edges) for edges in walk.key.edges] == [3] * 4
    name, _ = walk.begin(np.random.default_rng(1))
    assert len(name) == 4 and all(0 <= part < 4 for part in name)
