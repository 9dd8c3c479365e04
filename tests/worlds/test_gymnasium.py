"""Gymnasium environments: by their tables, and what is refused; others are in test_environment.py."""

from concurrent.futures import ThreadPoolExecutor

import gymnasium
import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv

from varde import plan
from varde.worlds.gymnasium import from_gymnasium, has_table
from varde.worlds.solve import uniform_values
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


def test_threads_that_plan_in_an_environment_begin_its_episode_together():
    env = gymnasium.make("CartPole-v1")
    with ThreadPoolExecutor(3) as pool:
        jobs = [pool.submit(plan, env, budget=5, horizon=3) for _ in range(6)]
        assert len({str(job.result().values) for job in jobs}) == 1


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
