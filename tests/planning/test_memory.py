"""A search that must not take more memory than it is allowed."""

import numpy as np
import pytest

from varde import Planner, VarDE
from varde.environments import sailing
from varde.planning import UCT, GapTree, Growth, Search, search
from varde.random import key, stream
from varde.worlds.solve import best_values, uniform_values

from .trees import same_tree

ROOM = 5 * 10**6  # bytes


@pytest.mark.parametrize(
    ("given", "error"),
    [("500 MB", TypeError), (-1, ValueError), (7, ValueError), (np.inf, ValueError)],
)
def test_what_is_no_size_is_refused(given, error):
    with pytest.raises(error, match=r"memory is .*such as 500e6"):
        Planner(sailing(), 5, tree=Growth(memory=given))


@pytest.mark.parametrize(("algorithm", "graph"), [(VarDE(), False), (GapTree(), True), (UCT(10.0), False)], ids=str)
def test_a_search_goes_on_within_its_memory_and_learns(algorithm, graph):
    world, horizon = (sailing(9), 50) if graph else (sailing(6), 50)
    free, bound = (
        Search(algorithm, world.model, world.start, horizon, graph=graph, limit=limit) for limit in (None, ROOM)
    )
    for each in (free, bound):
        each.run(5000, stream(key(0, "room")))
    pool = sum(rows.nbytes for rows in (bound.tree.nodes, bound.tree.edges, bound.tree.outcomes, bound.tree.hashed))
    assert pool <= ROOM < free.bytes and bound.full and not free.full
    assert bound.trials == 5000
    best, random = (float(of(world.model, horizon).values[0, world.start]) for of in (best_values, uniform_values))
    for each in (free, bound):
        assert random < each.tree.nodes["value"][0] < best + 1.0


def test_it_is_the_same_search_in_slices_and_in_both_engines():
    world, trees = sailing(), []
    for engine, parts in (("compiled", [250]), ("compiled", [1, 99, 150]), ("python", [250])):
        search = Search(VarDE(), world.model, world.start, 50, limit=10**6, engine=engine)
        rng = stream(key(0, "slices"))
        for part in parts:
            search.run(part, rng)
        assert search.full
        trees.append(search.tree)
    for other in trees[1:]:
        same_tree(trees[0], other)


@pytest.mark.parametrize("options", [{}, {"batch": 8}, {"keep": False}], ids=str)
def test_a_world_of_new_states_ends_in_random_play_when_there_is_no_room(options):
    """Every step leads to a state that was never met."""

    def step(state, action, rng):
        return (state[0] + 1, float(rng.random())), float(action) + state[1]

    planner = Planner(step, 10, actions=[0, 1], tree=Growth(memory=10**7, **options))
    move = planner((0, 0.0), budget=4000)
    assert move.best == 1 and planner.trials == 4000
    assert planner.search.full or not options.get("keep", True)


def test_a_machine_without_memory_left_ends_no_search(monkeypatch):
    monkeypatch.setattr(search, "SMALL", 0)
    monkeypatch.setattr(search, "memory_left", lambda: 0.0)
    move = Planner(sailing(), horizon=50, tree=Growth(graph=False))(budget=2000)
    assert move.spent == 2000


def lacking(*given):
    raise MemoryError


def test_a_search_that_does_not_fit_at_all_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(search, "make_trials", lacking)
    with pytest.raises(ValueError, match=r"1,000,000 steps ahead, 9 simulations at once, does not fit .*Growth"):
        Planner(lambda s, a, rng: (s, 0.0), 10**6, actions=[0, 1], tree=Growth(batch=9))(0)


def test_a_machine_that_gives_less_memory_than_it_said_ends_no_search(monkeypatch):
    planner = Planner(lambda s, a, rng: (s + 1 + a, float(a)), 5, actions=[0, 1])
    planner(0, 10)
    monkeypatch.setattr(planner.search, "_resize", lacking)
    planner.search._enlarge()
    assert planner.search.full and planner.think(30).best == 1 and planner.trials == 40
