"""Mistakes in a user's world that no step shows."""

import random
import warnings
from dataclasses import dataclass

import gymnasium
import numpy as np
import pytest

import varde


class Spot:
    def __init__(self, x):
        self.x = x


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


@dataclass(frozen=True)
class Frozen:
    x: int


ROOMS = [Spot(x) for x in range(7)]  # each met again and again


def moved(x, action):
    return (x + (1 if action == "right" else -1)) % 7


def walk(make):
    def step(state, action, rng):
        x = moved(state.x, action)
        return make(x), float(x == 6)

    return step, make(0)


def run(how, step, start, **more):
    given = {"actions": ["left", "right"], **more}
    if how == "plan":
        return varde.Planner(step, 8, **given)(start, 60)
    if how == "timed":
        return varde.learn(step, 120, start=start, horizon=10, **given)
    return varde.learn(step, 120, start=start, **given)


HOWS = ["plan", "learn", "timed"]


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("make", [Spot, Slotted])
def test_states_that_are_equal_only_to_themselves_are_noticed(how, make):
    step, start = walk(make)
    words = f"because {make.__name__} has no __eq__ and __hash__.*@dataclass.frozen=True. above class {make.__name__}"
    with pytest.warns(UserWarning, match=words) as caught:
        run(how, step, start)
    assert caught[0].filename == __file__  # the line that is to be mended is in the user's program


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(
    ("make", "more"), [(Frozen, {}), (Spot, {"key": lambda state: state.x}), (ROOMS.__getitem__, {})]
)
def test_states_that_come_up_again_are_not_complained_of(how, make, more):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(how, *walk(make), **more)


def test_a_learner_that_is_told_such_states_says_so():
    learner, state = varde.Learner(actions=["left", "right"]), Spot(0)
    for _ in range(40):
        action, there = learner.ask(state), Spot(moved(state.x, "right"))
        learner.tell(state, action, 0.0, there)
        state = there
    with pytest.warns(UserWarning, match="no state is ever met again"):
        learner.recommend()


def by_random(state, action, rng):
    return moved(state, action if random.random() < 0.8 else "left"), 0.0


def by_numpy(state, action, rng):
    return moved(state, action), np.random.normal()


def by_rng(state, action, rng):
    return moved(state, action), rng.normal()


def by_seeding(state, action, rng):
    np.random.seed(int(rng.integers(2**31)))
    return moved(state, action), np.random.normal()


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize(("step", "name"), [(by_random, "random"), (by_numpy, "np.random")])
def test_steps_that_draw_from_elsewhere_are_noticed(how, step, name):
    words = rf"the step draws from {name}, not from the rng .* Write rng.random\(\)"
    with pytest.warns(UserWarning, match=words) as caught:
        run(how, step, 0)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("step", [by_rng, by_seeding])
def test_steps_that_draw_from_what_they_are_given_are_left_alone(how, step):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(how, step, 0)


def test_draws_of_somebody_else_are_no_ones_fault():
    """Another thread, or the list of actions: only a step that is seen to do it is blamed."""

    def actions(state):
        random.random()
        return ["left", "right"]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run("plan", by_rng, 0, actions=actions)


def test_a_planner_warns_once_and_leaves_the_generators_as_they_were():
    planner = varde.Planner(by_numpy, horizon=5, actions=["left", "right"])
    with pytest.warns(UserWarning, match=r"np\.random"):
        planner(0, budget=30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        planner(0, budget=30)


class Counter:
    """Forgets the state it is given."""

    x = 0

    def step(self, state, action, rng):
        self.x = moved(self.x, action)
        return self.x, float(self.x == 6)


def counting(make):
    """The same, hidden in a closure."""
    counter = Counter()

    def step(state, action, rng):
        x, reward = counter.step(state, action, rng)
        return make(x), reward

    return step


@pytest.mark.parametrize(
    ("step", "start", "more"),
    [(Counter().step, 0, {}), (counting(int), 0, {}), (counting(Spot), Spot(0), {"key": lambda state: state.x})],
)
def test_a_step_that_continues_from_its_own_state_is_noticed(step, start, more):
    with pytest.warns(UserWarning, match="it continues from its own state"):
        run("plan", step, start, **more)
    with pytest.raises(ValueError, match="it continues from its own state"):
        run("learn", step, start, **more)


def test_planning_with_a_step_that_calls_an_environment_is_noticed():
    class Ring(gymnasium.Env):
        """Every step leads on, so that no step taken twice can answer alike."""

        action_space, observation_space = gymnasium.spaces.Discrete(2), gymnasium.spaces.Discrete(7)
        place = 0

        def reset(self, *, seed=None, options=None):
            self.place = 0
            return self.place, {}

        def step(self, action):
            self.place = (self.place + 1 + int(action)) % 7
            return self.place, 0.0, False, False, {}

    env = Ring()
    state, _ = env.reset(seed=0)

    def step(state, action, rng):
        return env.step(action)

    with pytest.warns(UserWarning, match=r"it continues from its own state.*varde\.plan\(env"):
        varde.plan(step, state, 100, horizon=10, actions=range(2))


def test_planning_with_a_step_that_sets_its_environment_is_not():
    env = gymnasium.make("CliffWalking-v1").unwrapped
    env.reset(seed=0)

    def step(state, action, rng):
        env.s = state
        seen, reward, over, _, _ = env.step(action)
        return int(seen), float(reward), over

    assert varde.plan(step, 36, 100, horizon=10, actions=range(4)).spent == 100


def test_an_environment_is_not_set_to_an_observation():
    env = gymnasium.make("MountainCar-v0")
    seen, _ = env.reset(seed=0)
    with pytest.raises(ValueError, match=r"planned from where it is now.*varde\.plan\(env, budget=1000\)"):
        varde.plan(env, seen, 20)
    assert varde.plan(env, budget=5).spent == 5


def test_worlds_that_are_nearly_named_are_explained():
    with pytest.raises(TypeError, match=r"river_swim makes a world: write river_swim\(\.\.\.\)"):
        varde.learn(varde.environments.river_swim, 100)
    with pytest.raises(ValueError, match="'tic_tac_toe' is not an environment that can be made"):
        varde.plan("tic_tac_toe", budget=10)
