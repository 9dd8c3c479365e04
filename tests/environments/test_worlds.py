"""Worlds against the golden values of the specification."""

import gymnasium
import numpy as np
import pytest

from varde.environments import frozen_lake, sailing, synthetic_tree, taxi
from varde.environments.frozen_lake import LARGE, MAP
from varde.environments.synthetic_tree import root_value
from varde.random import key, stream
from varde.worlds import best_policy, from_gymnasium
from varde.worlds.record import final_reward, num_actions, step
from varde.worlds.solve import best_values, uniform_values


def start_values(world, horizon):
    best, random = best_values(world.model, horizon), uniform_values(world.model, horizon)
    return best.values[0, world.start], random.values[0, world.start]


@pytest.mark.parametrize(
    ("make", "horizon", "best", "random", "places"),
    [
        (sailing, 50, -1.9119, -41.4159, 4),
        (taxi, 20, 12.2215, -74.5574, 4),
        (frozen_lake, 10, 0.458627, 0.003596, 6),
    ],
)
def test_golden_values(make, horizon, best, random, places):
    assert np.round(start_values(make(), horizon), places).tolist() == [best, random]


def test_sailing_root_values_and_costs():
    world = sailing()
    first = int(world.model.states["first"][world.start])
    assert world.legal(world.start) == [0, 6, 7]  # east, south, south-east
    assert best_values(world.model, 50).pairs[0, first : first + 3].round(3).tolist() == [-3.058, -3.058, -1.912]
    assert sorted(set(world.model.pairs["expected"].round(9))) == [-1.6, -1.1, -0.6, -0.1]


def test_taxi_random_play_does_not_depend_on_the_rain():
    assert start_values(taxi(rain=True), 20)[1] == pytest.approx(start_values(taxi(rain=False), 20)[1], rel=1e-12)
    assert start_values(taxi(rain=False), 20)[0] == 15.0  # pickup, four moves, dropoff


def test_frozen_lake_without_a_clock_is_the_discounted_model():
    world = frozen_lake(horizon=None)
    clocked = frozen_lake()
    plain = best_values(world.model, 10, 0.95).values[0, world.start] * 0.95
    assert plain == pytest.approx(best_values(clocked.model, 10).values[0, clocked.start], rel=1e-12)


def test_sailing_of_another_size():
    values = [start_values(sailing(size), 50)[0] for size in (3, 6, 9)]
    assert values[0] > values[1] > values[2]
    assert len(sailing(9).states) == 9 * 9 * 8


def test_synthetic_tree_value_by_enumeration():
    tree = synthetic_tree(3, 2, seed=4)
    assert tree.means.min() == 0.0
    assert tree.means.max() == 1.0
    rows = tree.means.reshape(3, 3)

    def back_up(values):
        return max(0.5 * values[a] + 0.25 * sum(np.delete(values, a)) for a in range(3))

    assert root_value(tree) == pytest.approx(back_up(np.array([back_up(row) for row in rows])), rel=1e-12)


def test_synthetic_tree_values_are_where_the_specification_says():
    values = [root_value(synthetic_tree(k, d, seed)) for k, d in ((16, 1), (14, 3), (200, 2)) for seed in range(5)]
    assert 0.70 < np.mean(values) < 0.77


def test_synthetic_tree_moves_and_pays_as_it_says():
    tree, rng = synthetic_tree(4, 2, seed=1), stream(key(0, "moves"))
    assert num_actions(tree).tolist() == 5 * [4] + 16 * [0]
    landed = np.bincount([step(tree, 0, 2, rng)[0] - 1 for _ in range(8000)], minlength=4) / 8000
    assert landed == pytest.approx([1 / 6, 1 / 6, 0.5, 1 / 6], abs=0.025)
    paid = np.array([final_reward(tree, 7, rng) for _ in range(4000)])
    assert paid.mean() == pytest.approx(tree.means[2], abs=0.04)
    assert paid.std() == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sailing(1), "size is 1"),
        (lambda: sailing(turn=0.7), "turn is 0.7"),
        (lambda: taxi(passenger="X"), "passenger is 'X'"),
        (lambda: frozen_lake(["FFG"]), "exactly one S"),
        (lambda: synthetic_tree(1, 3), "branching is 1"),
    ],
)
def test_bad_worlds_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(("name", "map"), [("FrozenLake-v1", MAP), ("FrozenLake8x8-v1", LARGE)])
def test_a_lake_that_slips_to_the_sides_is_that_of_gymnasium(name, map):
    theirs, ours = from_gymnasium(gymnasium.make(name)), frozen_lake(map, None, intended=1 / 3, sides=True)
    values, mine = (best_policy(world, 0.99)[1][world.start] for world in (theirs, ours))
    assert mine == pytest.approx(values, rel=1e-9)
