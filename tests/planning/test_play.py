"""Whole episodes in Gymnasium's environments, at budgets that take seconds; benchmarks/episodes.py plays more."""

import gymnasium
import pytest
from scipy.stats import binom

import varde
from tests.long import only


def played(name, budget, seed, most=1000, **how):
    """The return of an episode in which a planner chooses every move, and whether it was over."""
    env = gymnasium.make(name)
    planner, table = varde.Planner(env, seed=seed, **how), hasattr(env.unwrapped, "P")
    seen, total, over, cut, last = env.reset(seed=seed)[0], 0.0, False, False, None
    while most and not (over or cut):
        where = int(seen) if table else None
        _ = planner.begin(where) if last is None else planner.advance(last, where)
        last = planner.think(budget, progress=False).best
        seen, reward, over, cut, _ = env.step(last)
        total, most = total + float(reward), most - 1
    return total, over


def by_chance(name, seed, most=1000):
    env = gymnasium.make(name)
    env.reset(seed=seed)
    env.action_space.seed(seed)
    total, over, cut = 0.0, False, False
    while most and not (over or cut):
        _, reward, over, cut, _ = env.step(env.action_space.sample())
        total, most = total + float(reward), most - 1
    return total


def test_cliff_walking_is_played_as_by_the_best_policy():
    assert played("CliffWalking-v1", 500, 0) == (-13.0, True)


def test_taxi_brings_its_passenger_home():
    total, over = played("Taxi-v4", 1000, 1)
    assert over and total >= 3.0  # the best policy has 5 to 14, from where it begins


def test_the_lake_is_crossed_as_often_as_by_the_best_policy():
    crossed = sum(played("FrozenLake-v1", 250, seed)[0] for seed in range(6))
    assert crossed >= binom.ppf(0.01, 6, 0.744)  # which the best policy misses once in a hundred times


def test_blackjack_is_played_better_than_by_chance():
    ours = sum(played("Blackjack-v1", 60, seed)[0] for seed in range(40))
    assert ours > sum(by_chance("Blackjack-v1", seed) for seed in range(40)) + 8  # a standard error of the difference


def test_the_pole_stays_up_four_times_as_long_as_by_chance():
    """As long as it is watched, in most cases; over 500 steps it is more than ten times."""
    ours = sum(played("CartPole-v1", 5, seed, most=100, horizon=60)[0] for seed in range(2))
    assert ours > 4.0 * sum(by_chance("CartPole-v1", seed) for seed in range(2))


@only
@pytest.mark.parametrize(("name", "budget", "horizon"), [("Pendulum-v1", 10, 40), ("MountainCar-v0", 30, 200)])
def test_what_must_swing_back_first_is_brought_to_its_goal(name, budget, horizon):
    total, over = played(name, budget, 1, horizon=horizon)
    assert total > by_chance(name, 1) / 2.0 if name == "Pendulum-v1" else over  # no random play gets up the mountain
