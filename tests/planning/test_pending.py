"""Trials under way: one is the table search, several count what is pending, a failing step leaves no trace."""

import numpy as np
import pytest

from varde import VarDE
from varde._compile import in_python
from varde.environments import sailing, taxi
from varde.planning import DENTS, RENTS, UCT, Search
from varde.planning.asking import AskingSearch
from varde.planning.workers import Workers
from varde.random import key, stream
from varde.worlds.discovered import Discovered
from varde.worlds.function import SimulationError
from varde.worlds.record import transition
from varde.worlds.solve import best_values

from .trees import same_tree

ALGORITHMS = [UCT(), RENTS(0.2, 0.5), DENTS(0.5, 0.5), VarDE()]


def legal(world, state):
    first, width = world.model.states[state][["first", "width"]].tolist()
    return tuple(world.model.pairs["label"][first : first + width].tolist())


def asking(algorithm, world, horizon, rng, **options):
    known = Discovered(lambda state: legal(world, state))
    return AskingSearch(algorithm, known, world.start, horizon, 1.0, rng, **options)


def stepper(world, rng):
    """The table's own transitions, from a stream of ours."""
    model = in_python(world.model)

    def go(state, action, _):
        successor, reward = transition(model, state, legal(world, state).index(action), rng)
        return int(successor), float(reward)

    return go


def drive(search, trials, go):
    """One thread takes the steps, in the order in which they are asked for."""
    with Workers(go, search.known, 1, (0,)) as workers:
        search.drive(trials, workers)


@pytest.mark.parametrize(("algorithm", "graph"), [*((each, True) for each in ALGORITHMS), (VarDE(), False)], ids=str)
def test_a_world_that_is_asked_gives_the_tree_of_its_table(algorithm, graph):
    world, ours, its = sailing(4), stream(key(3, "same")), stream(key(3, "same"))
    table = Search(algorithm, world, world.start, 12, graph=graph)
    table.run(200, ours)
    asked = asking(algorithm, world, 12, its, graph=graph)
    asked.run_steps(200, stepper(world, its), None)
    assert np.array_equal(ours, its) and table.tree.used.tolist() == asked.tree.used.tolist()
    names, (nodes, edges, *_) = np.array(asked.known.states), table.tree.used.tolist()
    assert np.array_equal(table.tree.nodes["state"][:nodes], names[asked.tree.nodes["state"][:nodes]])
    for name, used in (("nodes", nodes), ("edges", edges)):
        for field in set(getattr(table.tree, name).dtype.names) - {"state", "label", "expected"}:
            first, second = (getattr(each.tree, name)[field][:used] for each in (table, asked))
            assert first == pytest.approx(second, rel=1e-9, abs=1e-9), field


@pytest.mark.parametrize("pending", [1, 6])
def test_both_engines_make_the_same_tree(pending):
    world, trees = taxi(), []
    for engine in ("compiled", "python"):
        rng = stream(key(0, "engines"))
        search = asking(VarDE(), world, 8, rng, pending=pending, engine=engine)
        drive(search, 80, stepper(world, rng))
        trees.append(search.tree)
    same_tree(*trees)


def whole(search):
    """Nothing is pending, and every count is the sum of those below it."""
    tree = search.tree
    assert not tree.edges["pending"][: tree.used[1]].any()
    for node in range(tree.used[0]):
        counts = tree.edges["count"][search.edges(node)]
        assert (counts > 0).all()
        if tree.nodes["width"][node] > 0 and search.settings.keep:
            ended = tree.nodes["visits"][node] - counts.sum()  # a state at whatever depth was also met at the horizon
            assert ended == 0 or (ended > 0 and search.settings.pooled)


@pytest.mark.parametrize("keep", [True, False], ids=["keep", "rollout"])
@pytest.mark.parametrize("pending", [1, 7])
@pytest.mark.parametrize("graph", [True, False], ids=["graph", "tree"])
def test_a_failing_step_leaves_no_trace(pending, keep, graph):
    world, chance, failures = taxi(), np.random.default_rng(1), 0
    search = asking(VarDE(), world, 10, stream(key(0, "failing")), pending=pending, keep=keep, graph=graph)
    own = stepper(world, stream(key(1, "failing")))

    def go(*asked):
        if chance.random() < 0.01:
            raise ValueError("no answer")
        return own(*asked)

    while search.trials < 200:
        try:
            if pending == 1:
                search.run_steps(200 - search.trials, go, np.random.default_rng(2))
            else:
                drive(search, 200 - search.trials, go)
        except SimulationError:
            failures += 1
        whole(search)
    assert failures > 5 and search.trials == 200


def test_many_pending_trials_cost_little():
    """The value of Taxi in the rain, at as many simulations."""
    world, rng = taxi(), stream(key(0, "pending"), 32)
    q = best_values(world.model, 10).values
    search = asking(VarDE(), world, 10, rng, pending=32, graph=True)
    drive(search, 2000, stepper(world, rng))
    whole(search)
    assert search.trials == 2000
    assert search.tree.nodes["value"][0] == pytest.approx(q[0, world.start], abs=2.5)


def test_pending_trials_try_different_actions():
    world, met = taxi(), []
    search = asking(UCT(), world, 10, stream(key(0, "untried")), pending=6)
    go = stepper(world, stream(key(1, "untried")))

    def first(state, action, rng):
        met.append((state, action))
        return go(state, action, rng)

    drive(search, 6, first)
    assert sorted(action for _, action in met[:6]) == [0, 1, 2, 3, 4, 5]


def test_more_room_changes_nothing(monkeypatch):
    world, trees = taxi(), []
    for room in (1 << 14, 1):
        monkeypatch.setattr("varde.planning.search.ROOM", room)
        rng = stream(key(0, "room"))
        search = asking(VarDE(), world, 10, rng, pending=5)
        drive(search, 250, stepper(world, rng))
        trees.append(search.tree)
    same_tree(*trees)
