"""Whole episodes, at budgets that take seconds; benchmarks/planning_episodes.py plays more."""

import math

import gymnasium
import numpy as np
import pytest
from scipy.stats import binom

from tests.long import only
from varde.planning.planner import Planner
from varde.planning.play import Played, Searching
from varde.worlds.episodes import Environment, Episode, Simulated, at_random, best_returns, play
from varde.worlds.tabulate import tabulate


def episode(name, budget, seed, most=None, **how):
    stage = Environment(gymnasium.make(name))
    stage.begin(seed)
    planner = Planner(stage.world, seed=seed, **how)
    most = most or stage.limit or 1000
    return stage, play(stage, Searching(stage, planner, budget), seed, most, lambda _: None)


@pytest.mark.parametrize("seed", [0, 1])
def test_cliff_walking_is_played_as_by_the_best_policy(seed):
    stage, played = episode("CliffWalking-v1", 500, seed)
    assert played.value == best_returns(stage, 100)(played.start) == -13.0 and played.ended == "over"


def test_taxi_brings_its_passenger_home():
    stage, played = episode("Taxi-v4", 1000, 1)
    assert played.ended == "over" and played.value >= best_returns(stage, 200)(played.start) - 2.0


def test_the_lake_is_crossed_as_often_as_by_the_best_policy():
    played = [episode("FrozenLake-v1", 250, seed) for seed in range(6)]
    crossed, best = sum(p.value for _, p in played), best_returns(played[0][0], 100)(0)
    assert crossed >= binom.ppf(0.01, 6, best)  # which the best policy misses once in a hundred times


def test_blackjack_is_played_better_than_by_chance():
    played = [episode("Blackjack-v1", 60, seed)[1].value for seed in range(40)]
    stage = Environment(gymnasium.make("Blackjack-v1"))
    by_chance = [at_random(stage, seed, 20).value for seed in range(40)]
    assert sum(played) > sum(by_chance) + 8  # a standard error of the difference


def test_the_pole_stays_up_four_times_as_long_as_by_chance():
    """As long as it is watched, in most cases; over 500 steps it is more than ten times."""
    played = [episode("CartPole-v1", 5, seed, most=100, horizon=60) for seed in range(2)]
    by_chance = [at_random(stage, seed, 500).value for seed, (stage, _) in enumerate(played)]
    assert sum(one.value for _, one in played) > 4.0 * sum(by_chance)


@only
def test_the_pendulum_is_swung_up():
    stage, played = episode("Pendulum-v1", 10, 1, horizon=40)
    assert played.value > at_random(stage, 1, 200).value / 2.0  # all of it is cost


@only
def test_the_car_climbs_the_mountain():
    """It takes a minute.  No random play gets there."""
    _, played = episode("MountainCar-v0", 30, 1, horizon=200)
    assert played.ended == "over"


def test_random_play_is_the_same_from_the_same_seed():
    stage = Environment(gymnasium.make("Pendulum-v1"))
    assert at_random(stage, 0, 5).actions == at_random(stage, 0, 5).actions
    assert math.isnan(best_returns(stage, 2)(None))


COIN = {"now": {"heads": [(0.5, "won", 1.0), (0.5, "now", 0.0)], "leave": [(1.0, "lost", 0.0)]}, "won": {}, "lost": {}}


def test_a_table_is_played_by_names():
    stage = Simulated(tabulate(COIN, "now"))
    played = [play(stage, lambda _: "heads", seed, 2, lambda _: None) for seed in range(30)]
    assert {(p.value, p.ended) for p in played} == {(0.0, "cut"), (1.0, "over")}
    assert best_returns(stage, 2)("now") == 0.75
    assert at_random(stage, 0, 9)[:4] == at_random(stage, 0, 9)[:4]


def test_everything_is_watched_and_the_end_too():
    stage, seen = Simulated(tabulate(COIN, "now")), []
    play(stage, lambda _: "leave", 0, 9, lambda e: seen.append((len(e.actions), e.ended)))
    assert seen == [(0, "not yet"), (1, "over")]


def test_a_limit_cuts_an_episode():
    stage = Simulated(lambda state, action, rng: (state + 1, 1.0), actions=["on"], start=0)
    assert play(stage, lambda _: "on", 0, 5, lambda _: None)[2:4] == (5.0, "cut")


def test_returns_are_summed_up():
    episodes = [Episode(0, [1, 1], 2.0, "over", 20, 0.5), Episode(0, [1], 4.0, "cut", 10, 0.5)]
    cut_off = Episode(0, [1], 9.0, "interrupted", 10, 0.5)
    told = Played("Coin", 10, 7, [*episodes, cut_off], [0.0, 1.0], [3.0, 3.5, math.nan])
    assert "episode 3: return 9 in 1 moves, interrupted" in str(told) and "mean return 3 ± 1 over 2 episodes" in str(
        told
    )
    assert "best policy expects 3," not in str(told) and told.to_dict()["best"] is None
    assert told.to_dict()["mean"] == np.mean([2.0, 4.0]) and told.to_dict()["episodes"][2]["best"] is None
