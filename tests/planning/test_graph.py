"""The default where paths meet: every stored number by the formulas as printed; outcomes of all depths count."""

import itertools

import numpy as np
import pytest

from varde import Planner, VarDE, plan, tabulate
from varde._compile import in_python
from varde.environments import sailing
from varde.planning import GapGraph, Growth, Search
from varde.planning.graph import sweep, turn_edges, value_at
from varde.planning.tree import TRIALS
from varde.random import key, stream

from .trees import edges_of, outcomes_of

HORIZON = 12


def ring(state, action, rng):
    """Seven states; action 1 is better by 1, wherever and whenever."""
    return (state + action) % 7, action + rng.normal()


def grown(world=None, trials=300, **options):
    world = world or sailing(4)
    search = Search(VarDE(), world, world.start, HORIZON, 0.9, graph=True, **options)
    search.run(trials, stream(key(0, "graph")))
    return search


def values(search, node, depth):
    return value_at(search.algorithm, in_python(search.memory), search.view, node, depth)


def test_after_a_sweep_every_value_is_what_the_formulas_say():
    search = grown()
    tree, memory, compared = search.tree, in_python(search.memory), 0
    for _ in range(20):  # C_t is that of the sweep before
        sweep(search.algorithm, memory, search.view)
    acted = [node for node in range(tree.used[0]) if tree.nodes["link"][node] != 0]
    for node, depth in itertools.product(acted, range(HORIZON)):
        own = tree.nodes[node]
        if own["link"] > 0 or depth < own["low"]:
            continue
        tried = np.array([e for e in edges_of(tree, node) if tree.edges["count"][e] > 0])
        usual = search.memory.level["noise"][depth] / max(search.memory.level["noises"][depth], 1.0)
        q, o, e, h = np.zeros((4, len(tried)))
        for i, edge in enumerate(tried):
            rows, n = outcomes_of(tree, edge), tree.edges["drawn"][edge]
            p = rows["times"] / n
            v, error, hope = np.array([values(search, child, depth + 1) for child in rows["child"].tolist()]).T
            x = rows["reward"] + 0.9 * v
            q[i], square = (p * x).sum(), (p * x * x).sum()
            between = max(square - q[i] ** 2, 0.0) * (square - q[i] ** 2 >= 1e-12 * square)
            o[i] = (5 * usual + n * between) / (5 + n - 1) / n
            e[i] = np.sqrt(o[i]) + 0.9 * (p * error).sum()
            h[i] = (p * (rows["reward"] + 0.9 * hope)).sum() + 2 * np.sqrt(o[i])
        turn_edges(search.algorithm, memory, search.view, node, depth)
        assert tree.edges["q"][tried] == pytest.approx(q, rel=1e-9, abs=1e-9)
        q = tree.edges["q"][tried]  # as stored: which of two equals leads is rounding
        b = q.argmax()
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(q == q[b], 0.0, np.minimum((q[b] - q) / np.sqrt(o[b] + o), 25.0))
            w = np.where(o > 1e-12 * o[b], np.exp(-(z**2) / 4) * o[b] / o, 0.0)
        w[b] = 1.0
        value, error, hope = values(search, node, depth)
        assert value == pytest.approx((w * q).sum() / w.sum(), rel=1e-6, abs=1e-9)
        assert error == pytest.approx(np.sqrt((w**2 * e**2).sum()) / w.sum(), rel=1e-6, abs=1e-9)
        if own["tried"] == own["width"]:
            assert hope == pytest.approx(h.max())
            compared += 1
        else:
            assert hope >= h.max() - 1e-9
    assert compared > 300


@pytest.mark.parametrize(("budget", "most"), [(200, 0.8), (2000, 0.3)])
def test_the_error_of_a_value_falls_with_the_budget(budget, most):
    for seed in range(4):
        move = plan(ring, 0, budget, horizon=20, actions=[0, 1], seed=seed)
        assert move.best == 1 and abs(move.value - 20.0) < most
        assert move.interval[0] <= 20.0 <= move.interval[1]


def test_without_noise_it_is_exact():
    move = plan(lambda s, a, rng: ((s + a) % 7, float(a)), 0, 300, horizon=20, actions=[0, 1])
    assert move.values == pytest.approx({0: 19.0, 1: 20.0}) and move.interval == pytest.approx((20.0, 20.0))


def test_samples_of_all_depths_count():
    search = Search(VarDE(), tabulate({0: {a: [(1.0, 0, float(a), 1.0)] for a in (0, 1)}}, 0), 0, 10, graph=True)
    search.run(50, stream(key(0, "again")))
    assert search.trials == search.tree.facts[TRIALS] == 50
    assert search.tree.used[0] == 1 and search.tree.edges["count"][search.edges()].sum() == 500


def sacrifice(place, action, rng):
    """A small prize again and again, or five payments for a large one."""
    if place == 5:
        return 6, 1.0, True
    return (place + 1, -0.05) if action == "pay" else (place, 0.01)


def test_no_pair_is_left_for_ever():
    move = plan(sacrifice, 0, 1000, horizon=6, actions=["stay", "pay"])
    assert move.best == "pay" and move.value == pytest.approx(0.75)


def test_moving_on_keeps_what_the_actions_do():
    planner = Planner(ring, 20, actions=[0, 1])
    planner(0, 400)
    assert 0 < planner.advance(1, 1) <= 400
    move = planner.think(20)
    assert move.best == 1 and abs(move.value - 20.0) < 1.0  # nothing of it has to be learned again


def test_looking_at_a_search_changes_nothing():
    one, other = (Planner(ring, 20, actions=[0, 1], algorithm=GapGraph(optimism=0.0)) for _ in range(2))
    one(0, 200)
    other(0, 100)
    other.recommend()
    assert other.think(100) == one.recommend("budget")


def test_it_is_for_states_that_paths_share():
    with pytest.raises(ValueError, match="GapGraph shares states in worlds of one player"):
        Planner(ring, 5, actions=[0, 1], algorithm=GapGraph(), tree=Growth(graph=False))(0, 5)


@pytest.mark.parametrize("node", [0, 3])
def test_what_is_stored_of_edges_is_of_one_depth(node):
    search = grown()
    tree, memory = search.view, in_python(search.memory)
    for depth in (HORIZON - 1, 5):
        turn_edges(search.algorithm, memory, tree, node, depth)
        assert tree.nodes.at[node] == depth
        assert (search.tree.edges["q"][search.edges(node)] >= -60.0).all()
