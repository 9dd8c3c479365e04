"""``learn`` in what users bring: environments, vectors of them, functions; and what would be learned wrongly."""

import os
import signal
import threading

import gymnasium
import numpy as np
import pytest

import varde
from varde.learning import learn

from ..worlds.test_stepping import Line


class Doors(gymnasium.Env):
    """Four rooms to begin in, each with its own right door: 1 for that, 0 for the other, and it is over."""

    def __init__(self):
        self.observation_space, self.action_space = gymnasium.spaces.Discrete(4), gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.room = int(self.np_random.choice(4, p=[0.1, 0.2, 0.3, 0.4]))
        return self.room, {}

    def step(self, action):
        return self.room, float(action == self.room % 2), True, False, {}


RIGHT = {room: room % 2 for room in range(4)}


def test_every_start_is_learned():
    policy = learn(Doors(), 300)
    assert dict(policy) == RIGHT and policy.values == dict.fromkeys(range(4), 1.0) and policy.spent == 300


def test_starts_are_counted_where_episodes_begin_and_ends_are_not_transitions():
    """Walking to 2 and staying there have values that a transition over a reset would change."""
    policy = learn(Line(last=3), 600, discount=0.5)
    assert policy.values == pytest.approx({0: 3.0, 1: 4.0, 2: 4.0})


def test_what_is_cut_short_is_not_over():
    """Staying pays 2 for ever, whatever the limit on the steps of an episode."""
    env = gymnasium.wrappers.TimeLimit(Line(last=5, first=2), 4)
    policy = learn(env, 500, discount=0.5)
    assert policy[2] == 1 and policy.values[4] == pytest.approx(8.0)


def test_actions_that_are_masked_are_not_taken():
    policy = learn(Line(masked=True), 200)
    assert policy.legal == [(1,), (0, 1)] and policy[0] == 1


def test_a_mask_that_the_state_does_not_tell_is_refused():
    class Moody(Line):
        def info(self):
            self.calls = getattr(self, "calls", 0) + 1
            return {"action_mask": np.array([self.calls % 3 > 0, True], np.int8)}

    with pytest.raises(ValueError, match=r"had the actions .* and now has"):
        learn(Moody(), 200)


def test_where_no_action_is_legal_an_episode_is_over():
    class Ends(Line):
        def info(self):
            return {"action_mask": np.array([self.place < 2, self.place < 2], np.int8)}

    assert learn(Ends(last=9), 200, discount=0.5).values == pytest.approx({0: 2.0, 1: 2.0})
    with pytest.raises(ValueError, match="no action is legal at the start 2"):
        learn(Ends(last=9, first=2), 200)


def leaning(seen):
    return tuple(np.digitize(seen[2:], [-0.05, 0.05]).tolist())


def test_numbers_are_named_by_a_key(tmp_path):
    policy = learn(gymnasium.make("CartPole-v1"), 2_000, key=leaning)
    seen, _ = gymnasium.make("CartPole-v1").reset(seed=3)
    assert policy(seen) in (0, 1) and len(policy) <= 9 and policy.spent == 2_000
    for budget in (1_500, 2_000):
        kept = learn(gymnasium.make("CartPole-v1"), budget, key=leaning, store=tmp_path / "pole")
    assert kept.spent == 2_000 and set(kept) == set(policy)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"world": "CartPole-v1"}, r"write key=function.*np\.digitize"),
        ({"world": "CartPole-v1", "key": 3}, "key is 3: write a function"),
        ({"world": "Pendulum-v1", "key": leaning}, "not discrete"),
        ({"world": "Blackjack-v1", "actions": [0]}, "leave out actions="),
    ],
)
def test_what_cannot_be_learned_is_refused(how, words):
    with pytest.raises((TypeError, ValueError), match=words):
        learn(how.pop("world"), 100, **how)


# -- what would be learned wrongly ------------------------------------------------------------------


def test_an_environment_inside_a_function_is_refused():
    """It begins each episode in a room of its own, whatever ``start`` says."""
    env = Doors()
    room, _ = env.reset(seed=0)

    def step(state, action, rng):
        seen, reward, over, _, _ = env.step(action)
        return env.reset()[0] if over else seen, reward, over

    with pytest.raises(ValueError, match=r"continues from its own state"):
        learn(step, 1_000, actions=[0, 1], start=room)


def test_an_environment_inside_a_function_that_keeps_quiet_about_ends_is_refused():
    """CartPole would go on for ever, and nothing that is done in it would matter."""
    env = gymnasium.make("CartPole-v1")

    class Pole:
        start = (0, 0, 0, 0)

        def actions(self, state):
            return (0, 1)

        def step(self, state, action, rng):
            seen, reward, over, cut, _ = env.step(action)
            return tuple(np.sign(env.reset()[0] if over or cut else seen).astype(int).tolist()), reward

    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"continues from its own state"):
        learn(Pole(), 1_000)


def test_stop_may_be_asked_before_an_episode_ended():
    def long(state, action, rng):
        return state + 1, -1.0, state == 110

    asked = []
    learn(long, 120, discount=1, actions=[0], start=0, stop=lambda policy: asked.append(policy.spent))
    assert asked[0] == 100


def test_an_environment_inside_functions_that_begin_its_episodes_is_learned():
    env = Doors()
    env.reset(seed=0)
    policy = learn(lambda state, action, rng: env.step(action), 300, actions=[0, 1], start=lambda rng: env.reset()[0])
    assert dict(policy) == RIGHT


def test_states_that_never_come_again_are_pointed_out():
    with pytest.warns(UserWarning, match="most of them only once"):
        learn(lambda s, a, g: (float(g.random()), 0.0), 520, actions=[0, 1], start=0.0)


def test_without_a_discount_episodes_must_end():
    def corridor(state, action, rng):
        return state + action, -1.0, state + action == 5

    policy = learn(corridor, 300, discount=1, actions=[0, 1], start=0)
    assert policy.values == pytest.approx({s: s - 5.0 for s in range(5)}, rel=1e-5)
    with pytest.raises(ValueError, match="discount is 1, and no episode has ended yet"):
        learn(lambda s, a, g: (s, 1.0), 50, discount=1, actions=[0, 1], start=0)
    with pytest.raises(ValueError, match="discount is 1, and no episode has ended yet"):
        learn(varde.environments.river_swim(3), 50, discount=1)

    def trap(state, action, rng):
        return action, 1.0, action == 2

    with pytest.warns(UserWarning, match="no episode ends under this policy"):
        learn(trap, 200, discount=1, actions=[0, 1, 2], start=0)


# -- with a horizon ---------------------------------------------------------------------------------


def harvest(state, action, rng):
    """What grows is worth its age when it is cut, which can be done once."""
    return (state + 1, 0.0, False) if action == "wait" else (state, float(state), True)


def test_what_is_best_depends_on_the_steps_left():
    policy = learn(harvest, 400, discount=1, horizon=4, actions=["wait", "cut"], start=0)
    assert [policy[age, age] for age in range(4)] == ["wait", "wait", "wait", "cut"]
    assert policy.values[0, 0] == pytest.approx(3.0, rel=1e-5)


def test_a_horizon_in_an_environment():
    policy = learn(Line(last=9), 600, discount=1, horizon=3)
    assert policy.values[0, 0] == pytest.approx(1 + 2 + 3, rel=1e-5) and max(step for _, step in policy) == 2


def test_names_and_states_that_look_alike_are_told_apart():
    """Rooms 0 and 2 are called 0, 1 and 3 are called 1: state 1 is not the state called 1."""
    policy = learn(Doors(), 300, key=lambda room: room % 2 ^ 1)
    assert dict(policy) == {1: 0, 0: 1}  # by name
    assert [policy(room) for room in range(4)] == [0, 1, 0, 1]  # by what is seen


def test_what_is_seen_need_not_be_hashed_to_be_asked_about_with_a_step():
    policy = learn(gymnasium.make("CartPole-v1"), 300, key=leaning, horizon=3)
    seen, _ = gymnasium.make("CartPole-v1").reset(seed=0)
    assert policy[seen, 0] in (0, 1)


def test_a_horizon_of_a_table():
    policy = learn(varde.environments.river_swim(3), 2_000, discount=1, horizon=1)
    assert policy[0, 0] == "left" and list(policy) == [(0, 0)]


# -- while it works ---------------------------------------------------------------------------------


@pytest.mark.parametrize("world", [Doors(), varde.environments.river_swim(3)], ids=["environment", "table"])
def test_stop_is_asked_about_the_policy_at_the_same_steps_whatever_the_clock(world):
    asked = []

    def enough(policy):
        asked.append(policy.spent)
        return policy.spent > 200

    policy = learn(world, 10_000, stop=enough)
    assert policy.stopped == "sure" and asked == [100, 200, 400] and policy.spent == 400


@pytest.mark.parametrize("world", [Doors(), varde.environments.river_swim(3)], ids=["environment", "table"])
def test_progress_and_seconds(world):
    seen = []
    policy = learn(world, 10**9, seconds=0.3, progress=seen.append)
    assert policy.stopped == "seconds" and seen and seen == sorted(seen) and seen[-1] <= policy.spent


def test_ctrl_c_in_an_environment_returns_the_policy_so_far():
    learn(Doors(), 10)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    policy = learn(Doors(), 10**9)
    assert policy.stopped == "interrupted" and policy.spent > 0
