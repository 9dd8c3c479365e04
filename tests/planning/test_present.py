"""An environment is planned from where it is, however the planner is called."""

from __future__ import annotations

from typing import Any

import pytest

from varde import Planner, plan
from varde.worlds import as_world

gymnasium = pytest.importorskip("gymnasium")

NAMES = ("Taxi-v4", "Blackjack-v1", "CartPole-v1", "Pendulum-v1")
TABLES = NAMES[:1]
BUDGET, HORIZON, STEPS = 15, 5, 6


def episode(name: str, way: str) -> list[Any]:
    """The moves of a whole episode, with the values of the actions."""
    env = gymnasium.make(name, max_episode_steps=STEPS)
    seen, _ = env.reset(seed=3)
    planner, moves, last = Planner(env, HORIZON, seed=1), [], None
    for _ in range(STEPS):
        if way == "plan":
            move = plan(env, budget=BUDGET, horizon=HORIZON, seed=1)
        elif way == "plan with a state":
            move = plan(env, seen, BUDGET, horizon=HORIZON, seed=1)
        elif way == "planner":
            move = planner(budget=BUDGET)
        elif way == "planner with a state":
            move = planner(seen, BUDGET)
        else:
            planner.begin() if last is None else planner.advance(last, *([seen] if way == "advance to a state" else []))
            move = planner.think(BUDGET)
        last = move.best
        moves.append((move.best, move.values))
        seen, _, over, cut, _ = env.step(last)
        if over or cut:
            break
    return moves


@pytest.mark.parametrize("name", NAMES)
def test_every_way_of_calling_makes_the_same_moves_through_an_episode(name):
    ways = ("plan", "planner", *(("plan with a state", "planner with a state") if name in TABLES else ()))
    found = [episode(name, way) for way in ways]
    assert all(repr(other) == repr(found[0]) for other in found[1:])
    assert len(found[0]) == STEPS or name == "Blackjack-v1"


@pytest.mark.parametrize("name", TABLES)
def test_advancing_without_a_state_goes_where_the_environment_went(name):
    assert repr(episode(name, "advance")) == repr(episode(name, "advance to a state"))


def test_an_advance_that_keeps_nothing_is_a_new_search():
    env = gymnasium.make("Taxi-v4")
    env.reset(seed=0)
    planner, fresh = Planner(env, 8, seed=2), Planner(env, 8, seed=2)
    action = planner(budget=3).best
    env.step(action)
    env.unwrapped.s = 16  # far away
    assert planner.advance(action) == 0
    assert planner.think(40).values == fresh(budget=40).values


def test_taxi_reaches_its_goal_without_being_told_where_it_is():
    env = gymnasium.make("Taxi-v4")
    env.reset(seed=0)
    planner, total = Planner(env, horizon=25), 0.0
    for _ in range(40):
        _, reward, over, *_ = env.step(planner(budget=2000).best)
        total += reward
        if over:
            break
    assert total > 0.0


def test_an_environment_without_a_table_takes_no_state():
    """It is where it is; that an observation was made there, nobody could verify."""
    env = gymnasium.make("Blackjack-v1")
    seen, _ = env.reset(seed=0)
    planner = Planner(env, 3)
    with pytest.raises(ValueError, match=r"planned from where it is now.* leave the state out"):
        plan(env, seen, 10)
    move = planner(budget=10)
    assert planner.advance(move.best) == 0 and planner.think(5).spent == 5  # afresh, from where it is


def test_a_table_is_planned_from_any_of_its_states_and_no_others():
    env = gymnasium.make("Taxi-v4")
    env.reset(seed=0)
    assert plan(env, 16, 500, horizon=10).best == 5
    with pytest.raises(ValueError, match="not a state of this model"):
        plan(env, 10**6, 10)


def test_a_world_made_of_an_environment_is_planned_from_where_that_is():
    env = gymnasium.make("CartPole-v1")
    env.reset(seed=0)
    world = as_world(env)
    assert plan(world, None, 20, horizon=4).values == plan(env, None, 20, horizon=4).values


def test_a_world_that_is_nowhere_wants_to_know_where_it_went():
    planner = Planner(lambda state, action, rng: (state + action, 1.0), 3, actions=[0, 1])
    move = planner(0, 10)
    with pytest.raises(TypeError, match="write the state that the action led to"):
        planner.advance(move.best)
