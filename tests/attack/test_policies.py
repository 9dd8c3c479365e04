"""Worlds that mislead a learner: what is stated about a policy must not be bold and wrong.

Each test attacks a number: p_right (casino), the interval of the value (battery), Within (drift), what is lost (a
trap), values (aliased observations), untested_gain (a reward behind the limit of an episode), notes (an outcome that
did not come), chances (ties), episode_return (episodes that hardly ever end).
"""

import gymnasium
import numpy as np
import pytest

import varde
from varde.learning import learn

from ..learning.test_lookout import Battery, fishery, worn

RUNS = range(4)


def casino(rooms=60):
    """A corridor to a goal, and a door to rooms of tied actions on the way."""
    moves = {s: {"on": [(0.4, s + 1, 0.0), (0.6, max(s - 1, 0), 0.0)], "off": [(1.0, 0, 0.0)]} for s in range(6)}
    moves[6] = {"on": [(0.9, 6, 1.0), (0.1, 0, 1.0)], "off": [(1.0, 0, 0.0)]}
    moves[2]["door"] = [(1.0 / rooms, ("room", i), 0.0) for i in range(rooms)]
    for i in range(rooms):
        moves["room", i] = {a: [(0.5, 0, 0.03), (0.5, 2, 0.03)] for a in range(3)}
    return varde.tabulate(moves, 0)


def loss(world, policy, discount):
    """What a policy loses from the start, in the range of all values."""
    best = varde.best_policy(world, discount)[1]
    actions = np.zeros(len(world.states), int)
    for state in policy:
        actions[world.state(state)] = world.legal(world.state(state)).index(policy[state])
    return (best - varde.policy_values(world, actions, discount))[world.start] / np.ptp(best)


def test_p_right_is_not_bold_in_a_casino():
    world = casino()
    for seed in RUNS:
        policy = learn(world, 4_000, discount=0.98, seed=seed)
        assert policy.p_right <= 0.9 or loss(world, policy, 0.98) <= 0.01


def test_the_interval_of_a_hidden_battery_is_all_that_rewards_allow():
    for seed in RUNS:
        low, high = learn(Battery(), 2_000, discount=0.95, seed=seed).interval
        assert low == 0.0 and high == pytest.approx(20.0)


def test_a_world_that_changed_does_not_meet_within():
    for seed in RUNS:
        policy = learn(worn(1_000, 4), 2_000, actions=[0, 1], start=0, discount=0.9, seed=seed)
        assert not policy.settled(varde.Within(9.0, 0.5))


def test_what_a_policy_may_lose_in_a_trap_is_learned_outside_of_it():
    moves = {0: {catch: [(1.0, 0, 0.0)] for catch in (0, 1, 3)}}
    for fish in range(1, 11):
        moves[fish] = {}
        for catch in (0, 1, 3):
            left = max(fish - catch, 0)
            grows = [(0.5, left + 1, float(fish - left)), (0.5, left, float(fish - left))]
            moves[fish][catch] = grows if 0 < left < 10 else [(1.0, left, float(fish - left))]
    world = varde.tabulate(moves, 8)
    for seed in RUNS:
        policy = learn(fishery, 2_000, actions=[0, 1, 3], start=8, discount=0.95, seed=seed)
        assert loss(world, policy, 0.95) < 0.1 and policy.noticed.restarts > 0


class Mirror(gymnasium.Env):
    """A corridor in which the two ends look the same; what is right here is wrong there."""

    observation_space, action_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = 0
        return 0, {}

    def step(self, action):
        paid = float((action == 1) == (self.place < 20))
        self.place = (self.place + (self.np_random.random() < 0.9)) % 40
        return int(self.np_random.integers(2)), paid, False, False, {}


def test_values_of_aliased_observations_are_not_believed():
    for seed in RUNS:
        policy = learn(Mirror(), 2_000, discount=0.9, seed=seed)
        assert policy.noticed.alarm and policy.p_right <= 0.5
        assert all(low <= 0.0 and high >= 10.0 - 1e-9 for low, high in policy.intervals.values())


def test_what_lies_behind_the_limit_of_an_episode_may_still_be_gained():
    class Far(gymnasium.Env):
        observation_space, action_space = gymnasium.spaces.Discrete(30), gymnasium.spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.place = 0
            return 0, {}

        def step(self, action):
            self.place += 1
            return self.place, 0.1 * (action == 0) + 50.0 * (self.place == 14), self.place == 20, False, {}

    policy = learn(gymnasium.wrappers.TimeLimit(Far(), 10), 1_000, discount=0.95)
    assert policy.untested_gain > 0.0 and policy.doubt[10] == 1.0
    assert any(note.code == "untried" for note in policy.notes)


def test_an_outcome_that_did_not_come_is_doubted():
    def step(state, action, rng):
        return 0, (0.5 if action == 0 else 0.45 + 10.0 * (rng.random() < 0.05))

    for seed in RUNS:
        policy = learn(step, 20, actions=[0, 1], start=0, discount=0.9, seed=seed)
        note = next(note for note in policy.notes if note.code == "unseen")
        assert note.size <= 10 and "may be others, as far as" in note.text  # no number knows of what never came


def test_ties_share_the_chance():
    for seed in RUNS:
        policy = learn(lambda s, a, rng: (0, float(rng.random() < 0.5)), 600, actions=[*"abcd"], start=0, seed=seed)
        assert sum(policy.chances[0].values()) == pytest.approx(1.0) and policy.p_right < 0.99


def test_what_an_episode_pays_is_not_stated_where_none_ends():
    def step(state, action, rng):
        return state, 1.0, rng.random() < 1e-5

    assert np.isnan(learn(step, 500, actions=[0, 1], start=0).episode_return)
