"""A search that must not take more memory than it is allowed."""

import numpy as np
import pytest

from varde import Planner, VarDE, plan
from varde.environments import sailing
from varde.planning import Search, memory_limit, search
from varde.planning.memory_limit import as_bytes, in_words, left
from varde.planning.tree import EDGES, NEW
from varde.random import key, stream
from varde.worlds.horizon import best_values, uniform_values

from .test_pruning import counts_add_up


def test_sizes_are_read_as_people_write_them():
    assert [as_bytes(size) for size in ("500 MB", "1.5gb", "20 MiB", 30_000_000, np.int64(10**7), 2e7)] == [
        500_000_000,
        1_500_000_000,
        20 * 2**20,
        30_000_000,
        10**7,
        20_000_000,
    ]
    assert as_bytes(in_words(123_000_000)) == 123_000_000
    assert left() > 0


@pytest.mark.parametrize(
    ("given", "error"),
    [("much", ValueError), ("3 cows", ValueError), (-1, ValueError), (7, ValueError), ([], TypeError)],
)
def test_what_is_no_size_is_refused(given, error):
    with pytest.raises(error, match=r"memory is .*such as '500 MB'"):
        Planner(sailing(), 5, memory=given)


@pytest.mark.parametrize("graph", [False, True])
def test_a_search_goes_on_within_its_memory_and_learns(graph):
    world, horizon = (sailing(9), 50) if graph else (sailing(6), 50)
    free, bound = (
        Search(VarDE(), world.model, world.start, horizon, graph=graph, limit=limit) for limit in (None, 10**7)
    )
    for each in (free, bound):
        each.run(5000, stream(key(0, "room")))
        counts_add_up(each)
    assert bound._size(bound._rows()) + bound._aside() <= 10**7 < free.bytes
    assert bound.trials == 5000
    best, random = (float(of(world.model, horizon).values[0, world.start]) for of in (best_values, uniform_values))
    for each in (free, bound):
        assert random < 0.5 * (random + best) < each.tree.values[0, 0] < best + 1.0


def test_it_is_the_same_search_in_slices():
    world = sailing()
    once, twice = (Search(VarDE(), world.model, world.start, 50, limit=10**7) for _ in range(2))
    once.run(4000, stream(key(0, "slices")))
    rng = stream(key(0, "slices"))
    for part in (1, 1999, 2000):
        twice.run(part, rng)
    assert (once.tree.node[: once.tree.used[0], EDGES] < NEW).any()  # some was forgotten
    assert np.array_equal(once.tree.values[: once.tree.used[0]], twice.tree.values[: twice.tree.used[0]])


@pytest.mark.parametrize("options", [{}, {"batch": 8}, {"graph": False}, {"keep": False}], ids=str)
def test_a_world_of_new_states_is_forgotten_too(options):
    """Every step leads to a state that was never met: names take as much memory as nodes do."""

    def step(state, action, rng):
        return (state[0] + 1, float(rng.random())), float(action) + state[1]

    def step_many(states, actions, rng):
        found = [step(s, a, rng) for s, a in zip(states, actions, strict=True)]
        return [to for to, _ in found], [paid for _, paid in found]

    step.step_many = step_many
    planner = Planner(step, 6, actions=[0, 1], memory=10**7, **options)
    move = planner((0, 0.0), budget=6000)
    atlas = planner.search.atlas
    assert move.action == 1 and planner.trials == 6000
    assert len(atlas.states) < 25_000  # of some 36,000
    assert all(atlas.states[number] is not None for number in atlas.numbers.values())
    assert planner.search._size(planner.search._rows()) + planner.search._aside() <= 10**7


def test_requests_under_way_outlive_what_is_forgotten():
    planner, generator = Planner(horizon=9, actions=[0, 1, 2], memory=10**7), np.random.default_rng(0)
    planner.begin((0, 0))
    waiting = []
    while planner.trials < 4000:
        waiting += planner.ask(5)
        while len(waiting) > 3:
            request = waiting.pop(int(generator.integers(len(waiting))))
            planner.tell(request, (request.state[0] + 1, int(generator.integers(10**6))), float(request.action == 2))
    for request in waiting:
        planner.fail(request)
    assert planner.recommend().action == 2
    assert len(planner.search.atlas.states) < 25_000  # of some 36,000
    counts_add_up(planner.search)


def test_too_little_memory_is_said_before_the_machine_swaps(monkeypatch):
    monkeypatch.setattr(search, "left", lambda: 1e6)
    monkeypatch.setattr(search, "SMALL", 1 << 20)
    planner = Planner(sailing(), 50, graph=False)
    with pytest.raises(MemoryError, match=r"nodes in .* MB, and this machine has 1 MB left: write memory='"):
        planner((0, 0, 7), budget=20_000)
    assert planner.recommend().certificate.spent == planner.trials > 10
    assert memory_limit.SMALL > search.SMALL


def test_memory_that_holds_no_search_is_said():
    with pytest.raises(MemoryError, match="is too little to continue"):
        plan(lambda s, a, rng: (s + a, 0.0), 0, 500, horizon=50, actions=range(3000), memory="10 MB")
