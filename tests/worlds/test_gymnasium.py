"""Gymnasium environments: by their tables, by going back to states, and episode by episode."""

import copy
import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from varde import plan
from varde.worlds.function import SimulationError
from varde.worlds.gymnasium import from_gymnasium, has_table
from varde.worlds.solve import uniform_values
from varde.worlds.spaces import hashable
from varde.worlds.table import Table
from varde.worlds.world import as_world


@pytest.mark.parametrize(("name", "states"), [("FrozenLake-v1", 16), ("CliffWalking-v1", 48), ("Taxi-v4", 500)])
def test_gymnasium_tables(name, states):
    env = gymnasium.make(name)
    world = from_gymnasium(env)
    assert [s for s in world.states if isinstance(s, int)] == list(range(states))
    # Random play in the environment and on the table agree.
    horizon, returns = 8, []
    env.reset(seed=0)
    draws = np.random.default_rng(0)
    for _ in range(400):
        env.reset()
        env.unwrapped.s = world.start
        total = 0.0
        for _ in range(horizon):
            _, reward, over, _, _ = env.unwrapped.step(int(draws.integers(env.action_space.n)))
            total += reward
            if over:
                break
        returns.append(total)
    exact = uniform_values(world.model, horizon).values[0, world.start]
    assert abs(np.mean(returns) - exact) < 4.0 * np.std(returns) / 20.0 + 1e-3


def test_an_environment_without_a_table_is_refused():
    with pytest.raises(TypeError, match=r"no transition table env\.unwrapped\.P"):
        from_gymnasium(gymnasium.make("CartPole-v1"))


def test_all_starts_are_kept():
    taxi = from_gymnasium(gymnasium.make("Taxi-v4"))
    assert len(taxi.starts) == 300 and sum(taxi.starts.values()) == pytest.approx(1.0)
    assert from_gymnasium(gymnasium.make("FrozenLake-v1")).starts == {0: 1.0}


def test_a_table_starts_where_the_environment_is():
    env = gymnasium.make("Taxi-v4")
    seen, _ = env.reset(seed=3)
    assert as_world(env).states[as_world(env).start] == seen
    assert as_world(env, start=16).start == 16


def test_a_table_that_does_not_know_of_a_wrapper_is_not_used():
    env = gymnasium.wrappers.TransformReward(gymnasium.make("FrozenLake-v1"), lambda reward: -reward)
    assert not isinstance(as_world(env), Table)
    with pytest.raises(TypeError, match="ignores its wrappers"):
        from_gymnasium(env)


# -- going back to states ------------------------------------------------------------------------

WITHOUT_TABLE = ["Blackjack-v1", "CartPole-v1", "Acrobot-v1", "MountainCar-v0"]


@pytest.mark.parametrize("name", WITHOUT_TABLE)
def test_a_state_can_be_gone_back_to(name):
    env = gymnasium.make(name)
    world, rng = as_world(env), np.random.default_rng(0)
    start = world.start(rng)
    first = world.step(start, 1, np.random.default_rng(5))
    for action in world.actions(start):
        world.step(start, action, rng)
    again = world.step(start, 1, np.random.default_rng(5))
    assert again == first and hash(again[0]) == hash(first[0])


def test_a_limit_on_steps_inside_of_a_wrapper_is_no_part_of_a_state():
    env = gymnasium.wrappers.TransformReward(
        gymnasium.make("Blackjack-v1", max_episode_steps=99), lambda reward: reward
    )
    env.reset(seed=1)
    limit = env.env
    limit._elapsed_steps = 5
    here = as_world(env).start(None)
    limit._elapsed_steps = 6
    assert as_world(env).start(None) == here


@pytest.mark.parametrize("name", WITHOUT_TABLE)
def test_the_environment_of_the_user_stays_where_it_is(name):
    env, twin = gymnasium.make(name), gymnasium.make(name)
    env.reset(seed=1), twin.reset(seed=1)
    world, rng = as_world(env), np.random.default_rng(0)
    place = world.start(rng)
    for _ in range(5):
        place, _, over = world.step(place, 1, rng)
        if over:
            break
    assert hashable(env.step(0)[:4]) == hashable(twin.step(0)[:4])


def test_every_visit_draws_anew():
    """A copy that kept the stream would draw the same card each time: planning would see through the deck."""
    world, rng = as_world(gymnasium.make("Blackjack-v1")), np.random.default_rng(0)
    start = world.start(rng)
    assert len({world.step(start, 1, rng)[0] for _ in range(40)}) > 3


def test_a_limit_on_steps_does_not_end_the_world():
    world, rng = as_world(gymnasium.make("MountainCar-v0", max_episode_steps=3)), np.random.default_rng(0)
    place = world.start(rng)
    for _ in range(6):
        place, reward, over = world.step(place, 0, rng)
        assert reward == -1.0 and not over


def test_planning_begins_where_the_environment_is():
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    seen = [env.step(1)[0] for _ in range(3)][-1]
    world = as_world(env)
    place, _, _ = world.step(world.start(None), 1, np.random.default_rng(0))
    assert np.allclose(place.seen, env.step(1)[0]) and not np.allclose(place.seen, seen)


def test_wrappers_of_the_user_are_kept():
    doubled = gymnasium.wrappers.TransformReward(gymnasium.make("CartPole-v1"), lambda reward: 2.0 * reward)
    world, rng = as_world(doubled), np.random.default_rng(0)
    assert world.step(world.start(rng), 0, rng)[1] == 2.0


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
    def get_state(self):
        return [self.count]

    def set_state(self, state):
        self.count = state[0]

    def __deepcopy__(self, memo):
        raise RuntimeError("cannot be copied")


class Cloned(Counter):
    def clone_state(self):
        return self.count

    def restore_state(self, state):
        self.count = state


@pytest.mark.parametrize("kind", [Counter, Saved, Cloned])
def test_environments_are_saved_as_they_can_be(kind):
    env = kind()
    env.reset(), env.step(2)
    world, rng = as_world(env), np.random.default_rng(0)
    place = world.start(rng)
    assert [world.step(place, a, rng)[0].seen for a in (1, 2, 1)] == [3, 4, 3] and world.actions(place) == (1, 2)
    assert env.count == 2


class Resets(Counter):
    """Its copies begin anew, as those of all that is pickled by the arguments of its constructor."""

    def __deepcopy__(self, memo):
        return Resets()


class OwnStreams(Counter):
    """Draws from streams of its own, of every kind."""

    def __init__(self):
        self.count = 0
        self.parts = {"dice": [np.random.default_rng(1), np.random.RandomState(2)], "deck": random.Random(3)}

    def step(self, action):
        generator, legacy = self.parts["dice"]
        drawn = generator.integers(1, 3) + legacy.randint(1, 3) + self.parts["deck"].choice([1, 2])
        return super().step(int(drawn))


class ForgetsHalf(Saved):
    """Its state is more than it saves."""

    total = 0

    def step(self, action):
        self.total += action
        return self.total, 0.0, self.total > 9, False, {}


class Ring:
    """A part that knows the whole."""

    def __init__(self, env):
        self.env, self.steps = env, 0

    def __deepcopy__(self, memo):
        made = Ring(memo[id(self.env)])
        made.steps = self.steps
        return made


class Parts(Counter):
    def __init__(self):
        self.count, self.ring = 0, Ring(self)

    def step(self, action):
        self.ring.steps += 1
        return super().step(action + self.ring.env.ring.steps % 2)


@pytest.mark.parametrize("kind", [Resets, OwnStreams, ForgetsHalf, Parts])
def test_environments_are_put_back_by_their_attributes(kind):
    env = kind()
    env.reset(seed=1)
    env.step(1)
    world, rng = as_world(env), np.random.default_rng(0)
    start = world.start(rng)
    here = copy.copy(vars(env))
    further = world.step(start, 1, rng)[0]
    once = [world.step(place, 2, np.random.default_rng(7)) for place in (start, further)]
    again = [world.step(place, 2, np.random.default_rng(7)) for place in (start, further)]
    assert [(place.seen, place.name) for place, _, _ in once] == [(place.seen, place.name) for place, _, _ in again]
    assert once[0][0].seen < once[1][0].seen and vars(env) == here


def test_streams_of_its_own_draw_anew_at_every_visit():
    env = OwnStreams()
    env.reset()
    world, rng = as_world(env), np.random.default_rng(0)
    start = world.start(rng)
    assert {world.step(start, 1, rng)[0].seen for _ in range(60)} == {3, 4, 5, 6}
    assert env.parts["dice"][0].integers(1000) == np.random.default_rng(1).integers(1000)


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


class Outside(Counter):
    """Keeps its state where no copy of it comes."""

    kept: list = []

    def step(self, action):
        self.kept.append(action)
        return sum(self.kept), 0.0, False, False, {}


class Uncopied(Counter):
    def __init__(self):
        self.count, self.left = 0, iter(range(10**6))
        self.left = (i for i in self.left)


class Native(Counter, list):
    """Has more than attributes."""

    def step(self, action):
        self.append(action)
        return len(self), 0.0, False, False, {}

    def __deepcopy__(self, memo):
        return Native()


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (PartBegins, r"by copies of its attributes: action . led elsewhere.* put back into the state before"),
        (AllPrograms, r"draws from the global np.random or random: .*self\.np_random"),
        (Outside, "action . led elsewhere"),
        (Uncopied, "a step failed: TypeError: cannot pickle 'generator' object"),
        (Native, "planned by copies of its attributes: it has more than attributes"),
    ],
)
def test_what_cannot_be_gone_back_to_is_refused_with_the_reason(kind, words):
    env = kind()
    env.reset()
    env.step(1)
    with pytest.raises(SimulationError, match=words + r".*Write a function step\(state, action, rng\)"):
        as_world(env).start(np.random.default_rng(0))


def test_an_environment_that_was_not_reset_is_told_to():
    class Late(gymnasium.Env):
        action_space, observation_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(9)

        def reset(self, seed=None, options=None):
            super().reset(seed=seed)
            self.at = 0
            return 0, {}

        def step(self, action):
            self.at = min(self.at + action, 8)
            return self.at, 0.0, False, False, {}

    with pytest.raises(SimulationError, match=r"if reset\(\) sets that, call it first; .* no attribute 'at'"):
        as_world(Late()).start(np.random.default_rng(0))


class Corridor(Counter):
    """Looks the same everywhere: what is seen is not where it is."""

    def step(self, action):
        _, _, over, _, _ = super().step(action)
        return 0, float(over), over, False, {}


def test_states_that_look_the_same_are_told_apart():
    env = Corridor()
    env.reset()
    world, rng = as_world(env), np.random.default_rng(0)
    start = world.start(rng)
    one, two = (world.step(start, action, rng)[0] for action in (1, 2))
    assert one != two and one.seen == two.seen
    assert world.step(one, 1, rng)[0] == two and hash(world.step(one, 1, rng)[0]) == hash(two)
    as_seen = as_world(env, key=lambda seen: seen)
    start = as_seen.start(rng)
    assert as_seen.step(start, 1, rng)[0] == as_seen.step(start, 2, rng)[0]


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
    world, rng = as_world(env), np.random.default_rng(0)
    start = world.start(rng)
    place = world.step(world.step(start, 1, rng)[0], 2, rng)[0]
    assert place.seen == (3, 5) and world.step(start, 2, rng)[0].seen == (2, 4)
    assert env.step(1)[0] == (2, 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: as_world(gymnasium.make_vec("CartPole-v1", num_envs=2)), "vector of environments"),
        (lambda: as_world(gymnasium.make("CartPole-v1"), [0, 1]), "knows its actions"),
        (lambda: as_world(gymnasium.make("CartPole-v1"), start=0), "starts where reset"),
    ],
)
def test_environments_of_other_kinds_are_refused(make, words):
    with pytest.raises(TypeError, match=words):
        make()


def test_threads_take_turns_with_an_environment_that_saves_itself():
    env = Saved()
    env.reset()
    world = as_world(env)
    place = world.start(np.random.default_rng(0))
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(world.step, place, 1 + i % 2, np.random.default_rng(i)) for i in range(200)]
        assert [job.result()[0].seen for job in jobs] == [1, 2] * 100
    assert env.count == 0


def test_threads_that_plan_in_an_environment_begin_its_episode_together():
    env = gymnasium.make("CartPole-v1")
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(plan, env, budget=5, horizon=3) for _ in range(6)]
        assert len({str(job.result().values) for job in jobs}) == 1


def test_threads_have_environments_of_their_own():
    env = Stacked(OwnStreams())
    env.reset(seed=0)
    world = as_world(env)
    start = world.start(np.random.default_rng(0))
    further = [world.step(start, 1, np.random.default_rng(i))[0] for i in range(5)]
    alone = [world.step(further[i % 5], 1, np.random.default_rng(i))[0] for i in range(200)]
    with ThreadPoolExecutor(4) as pool:
        jobs = [pool.submit(world.step, further[i % 5], 1, np.random.default_rng(i)) for i in range(200)]
        assert [job.result()[0] for job in jobs] == alone


def test_other_processes_are_refused():
    with pytest.raises(TypeError, match="in this process only: write workers=4 for threads"):
        pickle.dumps(as_world(gymnasium.make("CartPole-v1")).step)


def test_a_key_takes_the_place_of_the_table():
    assert not isinstance(as_world(gymnasium.make("Taxi-v4"), key=lambda seen: seen // 20), Table)


def test_environments_have_names():
    assert isinstance(as_world("CliffWalking-v1"), Table)
    with pytest.raises(ValueError, match="'Cliff' is not an environment that can be made"):
        as_world("Cliff")


def test_a_table_that_steps_do_not_ask_is_not_believed():
    class Kinder(FrozenLakeEnv):
        def step(self, action):
            seen, reward, over, cut, info = super().step(action)
            return seen, reward - 0.01, over, cut, info

    assert has_table(FrozenLakeEnv()) and not has_table(Kinder())
    assert not has_table(gymnasium.make("Taxi-v4", fickle_passenger=True))
    assert has_table(gymnasium.make("Taxi-v4", is_rainy=True))
