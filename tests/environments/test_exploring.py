"""Worlds that are hard to explore: their optimum in closed form, their size, their seeds."""

import numpy as np
import pytest

from varde.environments import combination_lock, deep_sea, distracted_river, four_rooms, garnet, river_swim
from varde.worlds import best_policy, policy_values

DISCOUNT = 0.97


def start_value(world, discount=DISCOUNT):
    return best_policy(world, discount)[1][world.start]


def sum_of_powers(terms):
    return (1.0 - DISCOUNT**terms) / (1.0 - DISCOUNT)


@pytest.mark.parametrize(("size", "cost", "seed"), [(2, 0.01, 0), (10, 0.01, 1), (10, 0.5, 2), (25, 0.0, 3)])
def test_the_best_in_the_deep_sea_is_to_go_right_all_the_way(size, cost, seed):
    world = deep_sea(size, cost=cost, seed=seed)
    wanted = DISCOUNT ** (size - 1) - cost / size * sum_of_powers(size)
    assert start_value(world) == pytest.approx(wanted, rel=1e-12)
    assert len(world.states) == size * (size + 1) / 2 + size


@pytest.mark.parametrize(("length", "actions", "cost"), [(1, 2, 0.0), (6, 3, 0.0), (8, 4, 0.02), (50, 5, 0.001)])
def test_the_best_at_the_lock_is_to_open_it(length, actions, cost):
    wanted = DISCOUNT ** (length - 1) - cost * sum_of_powers(length - 1)
    assert start_value(combination_lock(length, actions, cost=cost, seed=5)) == pytest.approx(wanted, rel=1e-12)


def test_a_lock_that_costs_more_than_it_pays_stays_shut():
    assert start_value(combination_lock(8, 3, cost=0.5)) == 0.0


@pytest.mark.parametrize("size", [5, 7, 11, 21])
def test_the_way_through_the_four_rooms_is_as_long_as_through_one(size):
    world = four_rooms(size, slip=0.0)
    assert len(world.states) == size * size - 2 * size + 5
    assert start_value(world) == pytest.approx(DISCOUNT ** (2 * size - 3), rel=1e-12)


def test_the_house_of_the_paper():
    places = four_rooms().index
    drawn = ["".join(".#"[(r, c) not in places] for c in range(11)) for r in range(11)]
    assert drawn == [
        ".....#.....",
        ".....#.....",
        "...........",
        ".....#.....",
        ".....#.....",
        "#.####.....",
        ".....###.##",
        ".....#.....",
        ".....#.....",
        "...........",
        ".....#.....",
    ]


def test_a_move_through_the_rooms_slips_to_every_other_side_alike():
    world, lost = four_rooms(11), four_rooms(11, slip=0.75)
    model, at = world.model, world.state((1, 1))
    pair = model.pairs[model.states["first"][at] + world.legal(at).index("up")]
    found = {world.states[s]: p for s, p, *_ in model.outcomes[pair["first"] :][: pair["outcomes"]].tolist()}
    assert found == pytest.approx({(0, 1): 2 / 3, (1, 2): 1 / 9, (2, 1): 1 / 9, (1, 0): 1 / 9})
    goal = lost.state((10, 10))
    everywhere = [policy_values(lost, np.where(np.arange(104) == goal, 0, a), DISCOUNT) for a in range(4)]
    assert np.ptp(everywhere, axis=0).max() < 1e-12  # all moves alike: it does not matter which


def test_wandering_off_a_river_never_pays():
    world, river = distracted_river(6, 20), river_swim(6)
    policy, values = best_policy(world, DISCOUNT)
    plain = best_policy(river, DISCOUNT)[1]
    assert values[:6] == pytest.approx(plain, rel=1e-12)
    assert values[6:] == pytest.approx(np.full(20, DISCOUNT * plain[0]), rel=1e-12)
    assert {world.legal(s)[policy[s]] for s in range(6)} == {"right"}


def test_a_garnet_is_of_the_size_and_kind_asked_for():
    world = garnet(40, 5, successors=4, paying=0.25, deviation=0.5, shift=2.0, seed=9)
    model = world.model
    assert tuple(map(len, model[:3])) == (40, 200, 800)
    assert set(model.pairs["outcomes"]) == {4} and set(model.outcomes["deviation"]) == {0.5}
    drawn = model.pairs["expected"][abs(model.pairs["expected"] - 2.0) > 1e-12]
    assert drawn.size / 200 == pytest.approx(0.25, abs=0.1) and drawn.mean() == pytest.approx(2.0, abs=0.4)
    assert drawn.std() == pytest.approx(1.0, abs=0.25)


def test_a_garnet_without_choice_pays_what_its_one_chain_pays():
    world = garnet(12, 1, successors=3, shift=-5.0, seed=4)
    model, chain = world.model, np.zeros((12, 12))
    np.add.at(chain, (np.repeat(np.arange(12), 3), model.outcomes["successor"]), model.outcomes["chance"])
    values = np.linalg.solve(np.eye(12) - DISCOUNT * chain, model.pairs["expected"])
    assert best_policy(world, DISCOUNT)[1] == pytest.approx(values, rel=1e-10)


def contents(world):
    return [part.tobytes() for part in world.model[:3]]


@pytest.mark.parametrize(
    "make", [lambda s: deep_sea(8, seed=s), lambda s: combination_lock(9, 4, seed=s), lambda s: garnet(9, 2, seed=s)]
)
def test_a_seed_is_a_world_and_a_generator_goes_on(make):
    assert contents(make(3)) == contents(make(3)) == contents(make(np.random.default_rng(3))) != contents(make(4))
    generator = np.random.default_rng(3)
    assert contents(make(generator)) != contents(make(generator))


def test_seeds_mean_the_same_worlds_for_ever():
    """Recorded results are of these worlds: another numpy must not change them in silence."""
    assert garnet(5, 2, seed=1).model.pairs["expected"].round(6).tolist() == [
        0.345584, 0.364572, 0.598846, 1.006724, -0.122584, -1.648075, -0.09827, 0.731652, -0.313899, 0.75952,
    ]  # fmt: skip
    assert combination_lock(8, 5, seed=1).model.outcomes["successor"].reshape(8, 5).argmax(axis=1).tolist() == [
        2,
        2,
        3,
        4,
        0,
        0,
        4,
        4,
    ]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: deep_sea(1), "size is 1"),
        (lambda: deep_sea(10, cost=2), "cost is 2"),
        (lambda: deep_sea(10, seed=-1), "seed is -1"),
        (lambda: combination_lock(5, 1), "actions is 1"),
        (lambda: four_rooms(10), "size is 10: write an odd number"),
        (lambda: four_rooms(3), "size is 3"),
        (lambda: garnet(5, 2, 6), "successors is 6: write how many successors an action has, 1 to 5"),
        (lambda: garnet(5, 2, paying=1.5), "paying is 1.5"),
        (lambda: distracted_river(8, 0), "distractors is 0"),
    ],
)
def test_worlds_that_cannot_be_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()
