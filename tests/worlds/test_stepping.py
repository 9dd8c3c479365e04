"""Environments walked through by their own reset and step, one or several at once."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from varde.worlds.binned import Binned
from varde.worlds.stepping import Stride, Walk, Walks, walk_of


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


def vector(mode, lanes=2, cut=None, **how):
    def make():
        return Line(**how) if cut is None else gymnasium.wrappers.TimeLimit(Line(**how), cut)

    return SyncVectorEnv([make] * lanes, autoreset_mode=mode)


RNG = np.random.default_rng(0)


def test_episodes_are_cut_short_and_are_not_over():
    walk = Walk(gymnasium.make("CartPole-v1", max_episode_steps=4), key=lambda seen: "here")
    walk.begin(np.random.default_rng(0))
    ends = [walk.step([turn % 2])[0] for turn in range(4)]
    assert ends == [Stride("here", (0, 1), 1.0, False, False)] * 3 + [Stride("here", (0, 1), 1.0, False, True)]


def test_episodes_depend_on_the_generator_alone():
    def starts():
        walk, rng = Walk(gymnasium.make("Blackjack-v1")), np.random.default_rng(4)
        return [*walk.begin(rng), *(walk.renew([0])[0] for _ in range(4))]

    assert starts() == starts() and len(set(starts())) > 1


def test_masks_say_what_is_legal():
    walk = Walk(Line(masked=True))
    assert walk.begin(RNG) == [(0, (1,))]
    assert walk.step([1]) == [Stride(1, (0, 1), 1.0, False, False)]
    for mode in AutoresetMode:
        several = Walks(vector(mode, masked=True))
        assert several.begin(RNG) == [(0, (1,))] * 2
        assert several.step([1, 1])[1] == Stride(1, (0, 1), 1.0, False, False)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_nothing_is_learned_from_a_reset(mode):
    """Lane 0 walks to its end, lane 1 stays: where an episode begins never follows from where the last ended."""
    walk, made, starts = Walks(vector(mode)), [], []
    spots = walk.begin(RNG)
    for _ in range(7):
        strides = walk.step([1, 0])
        ended = [lane for lane, stride in enumerate(strides) if stride is None or stride.over or stride.cut]
        begun = dict(zip(ended, walk.renew(ended), strict=True)) if ended else {}
        if strides[0] is not None:
            made.append((spots[0][0], strides[0].name, strides[0].over))
            spots[0] = strides[0][:2]
        assert strides[1][:1] == (0,)
        if begun.get(0):
            starts.append(begun[0][0])
            spots[0] = begun[0]
    assert set(made) == {(0, 1, False), (1, 2, True)} and set(starts) == {0}
    assert len(made) == (5 if mode is AutoresetMode.NEXT_STEP else 7)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_where_a_lane_was_cut_is_told_and_not_over(mode):
    walk = Walks(vector(mode, lanes=1, cut=1, masked=True))
    walk.begin(RNG)
    assert walk.step([1]) == [Stride(1, (0, 1), 1.0, False, True)]


def test_actions_of_several_parts_go_to_every_lane():
    class Parts(Line):
        def __init__(self):
            super().__init__(9)
            self.action_space = gymnasium.spaces.MultiDiscrete([2, 3])

        def step(self, action):
            return super().step(int(action.sum()))

    walk = Walks(SyncVectorEnv([Parts, Parts]))
    walk.begin(RNG)
    assert len(walk.moves.all) == 6
    assert [stride.name for stride in walk.step([(1, 2), (0, 1)])] == [3, 1]


def test_tuples_look_the_same_one_by_one_and_side_by_side():
    one, many = Walk(gymnasium.make("Blackjack-v1")), walk_of(gymnasium.make_vec("Blackjack-v1", num_envs=2), None)
    [(name, _)], spots = one.begin(np.random.default_rng(0)), many.begin(np.random.default_rng(0))
    assert spots[0][0] == name and isinstance(many, Walks)


def test_numbers_that_never_come_again_are_refused():
    for env in (gymnasium.make("CartPole-v1"), gymnasium.make_vec("CartPole-v1", num_envs=2)):
        with pytest.raises(TypeError, match="write key=10"):
            walk_of(env, None)


@pytest.mark.parametrize("wrapper", [gymnasium.wrappers.NormalizeObservation, gymnasium.wrappers.NormalizeReward])
def test_wrappers_that_change_their_scale_are_refused(wrapper):
    with pytest.raises(TypeError, match="changes its scale as it goes"):
        walk_of(gymnasium.wrappers.TimeLimit(wrapper(gymnasium.make("CartPole-v1")), 9), lambda seen: 0)


def test_a_vector_that_does_not_say_when_it_resets_is_refused():
    env = vector(AutoresetMode.NEXT_STEP)
    env.metadata = {}
    with pytest.raises(TypeError, match="does not say when it resets"):
        walk_of(env, None)


def test_random_play_shows_what_bins_are_laid_by():
    for env in (gymnasium.make("CartPole-v1"), gymnasium.make_vec("CartPole-v1", num_envs=3)):
        walk = walk_of(env, Binned(4))
        walk.lay_bins(300, np.random.default_rng(0))
        assert [len(edges) for edges in walk.key.edges] == [3] * 4
        [(name, _), *_] = walk.begin(np.random.default_rng(1))
        assert len(name) == 4 and all(0 <= part < 4 for part in name)
