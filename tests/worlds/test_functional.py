"""Environments in Gymnasium's functional form."""

import gymnasium
import numpy as np
import pytest
from gymnasium.experimental.functional import FuncEnv

from varde.worlds.function import SimulationError
from varde.worlds.visited import Atlas
from varde.worlds.world import as_world


class Slide(FuncEnv):
    """Slides by what is drawn; its states are arrays."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Box(-9.0, 9.0, (1,))

    def initial(self, rng, params=None):
        return np.array([rng.integers(3)])

    def transition(self, state, action, rng, params=None):
        return state + action + rng.integers(2)

    def reward(self, state, action, next_state, rng, params=None):
        return next_state[0] - state[0]

    def terminal(self, state, rng, params=None):
        return state[0] > 5


class Changes(Slide):
    def transition(self, state, action, rng, params=None):
        state += 1
        return state


def test_a_functional_environment_is_a_world():
    world, rng = as_world(Slide()), np.random.default_rng(0)
    start = world.start(rng)
    assert {int(world.step(start, 1, rng)[0][0] - start[0]) for _ in range(20)} == {1, 2}
    assert world.key(np.array([1])) == world.key(np.array([1])) != world.key(np.array([2]))
    assert world.step(np.array([5]), 1, rng)[2] and world.actions(start) == (0, 1)


def test_a_transition_that_changes_its_state_is_refused():
    world = as_world(Changes())
    atlas = Atlas(world.actions, world.key)
    with pytest.raises(SimulationError, match="changed the state it was given"):
        atlas.steps(world.step, np.random.default_rng(0))(atlas.meet(np.array([0])), 0)


@pytest.mark.parametrize("name", ["phys2d/CartPole-v1", "tabular/Blackjack-v0"])
def test_environments_in_jax_begin_where_they_are(name):
    pytest.importorskip("jax", reason="environments in JAX need it")
    env = gymnasium.make(name)
    env.reset(seed=3)
    world, rng = as_world(env), np.random.default_rng(0)
    state = world.start(rng)
    assert world.key(state) == world.key(env.unwrapped.state)
    once, again = (world.step(state, 1, np.random.default_rng(5)) for _ in range(2))
    assert world.key(once[0]) == world.key(again[0]) and once[1:] == again[1:]
