"""Trials under way: one lane is the table search, several count what is pending, a failing step leaves no trace."""

import numpy as np
import pytest

from varde import VarDE
from varde.environments import sailing, taxi
from varde.planning import DENTS, RENTS, UCT, Search
from varde.planning.answers import Batches
from varde.planning.external import ExternalSearch
from varde.random import key, stream
from varde.worlds.function import SimulationError
from varde.worlds.solve import best_values
from varde.worlds.table import label, num_actions, step
from varde.worlds.visited import Atlas

from .trees import same_tree

ALGORITHMS = [UCT(), RENTS(0.2, 0.5), DENTS(0.5, 0.5), VarDE()]


def legal(model, state):
    return tuple(int(label(model, state, i)) for i in range(num_actions(model, state)))


def asked_search(algorithm, world, horizon, rng, **options):
    atlas = Atlas(lambda state: legal(world.model, state))
    return ExternalSearch(algorithm, atlas, world.start, horizon, 1.0, rng, **options)


def stepper(world, rng):
    """The table's own transitions, from a stream of ours."""

    def go(state, action, _):
        successor, reward = step(world.model, state, legal(world.model, state).index(action), rng)
        return int(successor), float(reward)

    return go


def same_search(table, asked):
    nodes, edges, _ = table.tree.used
    assert table.tree.used.tolist() == asked.tree.used.tolist()
    names = np.array(asked.atlas.states)
    assert np.array_equal(table.tree.nodes["state"][:nodes], names[asked.tree.nodes["state"][:nodes]])
    for name, used in (("nodes", nodes), ("edges", edges)):
        ours, its = getattr(table.tree, name)[:used], getattr(asked.tree, name)[:used]
        for field in set(ours.dtype.names) - {"state"}:
            assert np.array_equal(ours[field], its[field]), (name, field)


@pytest.mark.parametrize(("algorithm", "graph"), [*((each, True) for each in ALGORITHMS), (VarDE(), False)], ids=str)
def test_one_lane_is_the_table_search_bit_for_bit(algorithm, graph):
    world, ours, its = sailing(4), stream(key(3, "same")), stream(key(3, "same"))
    table = Search(algorithm, world.model, world.start, 12, graph=graph)
    table.settings = table.settings._replace(lazy=False)
    table.run(200, ours)
    asked = asked_search(algorithm, world, 12, its, graph=graph)
    asked.run_steps(200, stepper(world, its), None)
    same_search(table, asked)
    assert np.array_equal(ours, its)


@pytest.mark.parametrize("lanes", [1, 6])
def test_both_engines_make_the_same_tree(lanes):
    world, trees = taxi(), []
    for engine in ("compiled", "python"):
        rng = stream(key(0, "engines"))
        search = asked_search(VarDE(), world, 8, rng, lanes=lanes, engine=engine)
        search.drive(80, in_turn(search, stepper(world, rng)))
        trees.append(search.tree)
    same_tree(*trees)


def in_turn(search, go):
    def many(states, actions, rng):
        found = [go(s, a, rng) for s, a in zip(states, actions, strict=True)]
        return [to for to, _ in found], [paid for _, paid in found]

    return Batches(search.atlas, many, None)


def whole(search):
    """Nothing is pending, and every count is the sum of those below it."""
    tree, edges = search.tree, search.tree.used[1]
    assert not tree.edges["pending"][:edges].any()
    for node in range(tree.used[0]):
        if tree.nodes["width"][node] > 0 and search.settings.keep:
            rows = search.edges(node)
            assert tree.edges["count"][rows].sum() == tree.nodes["visits"][node]


@pytest.mark.parametrize("keep", [True, False], ids=["keep", "rollout"])
@pytest.mark.parametrize("lanes", [1, 7])
def test_a_failing_step_leaves_no_trace(lanes, keep):
    world, chance, failures = taxi(), np.random.default_rng(1), 0
    rng = stream(key(0, "failing"))
    search = asked_search(VarDE(), world, 10, rng, lanes=lanes, keep=keep)
    own = stepper(world, stream(key(1, "failing")))

    def go(*asked):
        if chance.random() < 0.01:
            raise ValueError("no answer")
        return own(*asked)

    while search.trials < 200:
        try:
            search.drive(200 - search.trials, in_turn(search, go))
        except SimulationError:
            failures += 1
        whole(search)
    assert failures > 5 and search.trials == 200


def test_lanes_cost_little():
    """The value of Taxi in the rain, at as many simulations."""
    world = taxi()
    q = best_values(world.model, 10).values
    rng = stream(key(0, "lanes"), 32)
    search = asked_search(VarDE(), world, 10, rng, lanes=32, graph=True)
    search.drive(2000, in_turn(search, stepper(world, rng)))
    whole(search)
    assert search.trials == 2000
    assert search.tree.nodes["value"][0] == pytest.approx(q[0, world.start], abs=2.5)


def test_untried_actions_go_to_different_lanes():
    world = taxi()
    search = asked_search(UCT(), world, 10, stream(key(0, "untried")), lanes=6)
    first = search.ask(6, [], 0)
    assert sorted(action for _, _, action in first) == [0, 1, 2, 3, 4, 5]
    assert search.tree.edges["pending"][search.edges()].tolist() == [1] * 6
    search.take_back()
    whole(search)


def test_growing_the_pool_changes_nothing(monkeypatch):
    world, trees = taxi(), []
    for room in (1 << 14, 1):
        monkeypatch.setattr("varde.planning.search.ROOM", room)
        rng = stream(key(0, "room"))
        search = asked_search(VarDE(), world, 10, rng, lanes=5)
        search.drive(250, in_turn(search, stepper(world, rng)))
        trees.append(search.tree)
    same_tree(*trees)


@pytest.mark.parametrize("keep", [True, False], ids=["keep", "rollout"])
@pytest.mark.parametrize("before", [1, 4])
def test_a_trial_that_began_alone_counts_among_others(before, keep):
    """It is pending like the rest from then on: at the end nothing is, wherever it was."""
    world, rng = sailing(4), stream(key(4, "alone"))
    search, go = asked_search(VarDE(), world, 5, rng, keep=keep), stepper(world, rng)

    def reply(request):
        lane, state, action = request
        successor, reward = go(search.atlas.states[state], search.atlas.legal[state][action], None)
        return lane, search.atlas.meet(successor), reward

    waiting = search.ask(1, [], 0)
    for _ in range(before):
        waiting = search.ask(1, [reply(waiting[0])], 0)
    waiting += search.ask(3, [], 1)
    assert search.tree.edges["pending"][search.edges()].sum() == len(waiting) == 4
    for _ in range(40):
        waiting = search.ask(4, [reply(request) for request in waiting], 0)
    assert (search.tree.edges["pending"] >= 0).all()
    search.take_back()
    whole(search)
