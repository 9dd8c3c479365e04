"""The default: every stored number recomputed by the formulas as printed; what it finds; other units."""

import math

import numpy as np
import pytest

from varde import VarDE
from varde._compile import in_python
from varde.environments import combination_lock, deep_sea, sailing, taxi
from varde.planning import GapTree, Search, measure
from varde.planning.default import sweep
from varde.planning.trial import beliefs
from varde.random import key, stream
from varde.worlds.tabulate import tabulate

from .trees import backed_up_q, children, edges_of, inner_nodes, outcomes_of

WORLD, HORIZON = sailing(4), 12


def garnet(states, actions, seed, deviation=0.0, scale=1.0):
    """A random world: three successors of every action, a tenth of the rewards far from 0."""
    rng = np.random.default_rng(seed)

    def outcomes():
        shares, paid = rng.dirichlet(np.ones(3)), rng.normal() * (rng.random() < 0.3)
        found = zip(shares, rng.choice(states, 3, replace=False), strict=True)
        return [(float(p), int(s), scale * paid, scale * deviation) for p, s in found]

    return tabulate({s: {a: outcomes() for a in range(actions)} for s in range(states)}, 0)


def grown(algorithm, trials=400, world=WORLD, horizon=HORIZON, **options):
    search = Search(algorithm, world, world.start, horizon, **options)
    search.run(trials, stream(key(0, "formulas")))
    return search


def depths(search):
    """The depth of every node that has actions, by the chains."""
    found = {}
    for depth, node in enumerate(search.memory.level["node"]):
        while node > 0 or depth == 0:
            found[int(node)] = depth
            node = search.tree.nodes["link"][node]
            if depth == 0:
                break
    return found


def variances(memory):
    return memory.level["squares"] / np.maximum(memory.level["count"] - 1, 1)


def unseen(memory, depth):
    """What a node with an untried action hopes for."""
    deviation = (
        np.sqrt(variances(memory)[depth]) or np.sqrt(variances(memory).max()) or memory.whole["largest"][0] or 1.0
    )
    return memory.level["best"][depth] + 2 * deviation


@pytest.mark.parametrize("graph", [False, True], ids=["tree", "graph"])
@pytest.mark.parametrize("world", [WORLD, garnet(24, 20, 1)], ids=["sailing", "many actions"])
def test_after_a_sweep_every_node_is_what_the_formulas_say(graph, world):
    search = grown(GapTree(), graph=graph, world=world, discount=0.9)
    tree, memory = search.tree, search.memory
    sweep(GapTree(), in_python(memory), search.view, search.settings)
    depth_of, drawn = depths(search), 0
    assert sorted(depth_of) == np.flatnonzero(tree.nodes["width"][: tree.used[0]]).tolist()
    for node in inner_nodes(tree):
        depth, own = depth_of[node], tree.nodes[node]
        visits, level = own["visits"], variances(memory)[depth]
        tried = np.array([e for e in edges_of(tree, node) if tree.edges["count"][e] > 0])
        edges = tree.edges[tried]
        noise, noises = memory.level[["noise", "noises"]][depth]
        usual, v = max(noise / noises, 0.0) if noises else 0.0, []
        for edge, n in zip(tried, edges["count"], strict=True):
            rows = outcomes_of(tree, edge)
            p, below = rows["times"] / n, tree.nodes[rows["child"]]
            x = rows["reward"] + 0.9 * below["value"]
            between = max((p * x**2).sum() - (p * x).sum() ** 2, 0.0)
            between *= between >= 1e-12 * (p * x**2).sum()
            v.append(0.81 * (p**2 * below["variance"]).sum() + (5 * usual + n * between) / (5 + n - 1) / n)
        assert edges["q"] == pytest.approx([backed_up_q(search, e) for e in tried])
        assert edges["optimistic"] == pytest.approx([backed_up_q(search, e, "optimistic") for e in tried])
        stored = beliefs(search.algorithm, in_python(memory), search.view, node).variances
        assert stored == pytest.approx(v, rel=1e-6, abs=1e-9)
        q, v = edges["q"], stored  # as stored: which of two equals leads is rounding
        b = q.argmax()
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(q == q[b], 0.0, np.minimum((q[b] - q) / np.sqrt(v[b] + v), 25.0))
        spread = (5 * level + own["squares"]) / (5 + visits - 1)
        w = 4.0 / (1.0 + np.exp(math.pi / math.sqrt(3.0) * z)) ** 2
        assert edges["score"] == pytest.approx(w * (5 * spread + edges["squares"]) / (5 + edges["count"] - 1))
        with np.errstate(invalid="ignore", divide="ignore"):
            a = np.where(v > 1e-12 * v[b], np.exp(-(z**2) / 4) * v[b] / v, 0.0)
        a[b] = 1.0
        value, u = (a * q).sum() / a.sum(), spread if visits == 1 else (a**2 * v).sum() / a.sum() ** 2
        if depth > 0:
            d, error = value - own["returns"], spread / visits
            c = (d**2 + error) / (d**2 + error + 3 * u) if d**2 + error > 0 else 1.0
            value, u = own["returns"] + c * d, (c * np.sqrt(u) + (1 - c) * np.sqrt(error)) ** 2
            drawn += c < 0.9
        assert (own["value"], own["variance"]) == pytest.approx((value, u), rel=1e-6, abs=1e-9)
        hope = edges["optimistic"].max()
        if own["tried"] < own["width"]:
            hope = max(hope, unseen(memory, depth))
        assert own["optimistic"] == pytest.approx(hope)
    assert drawn > (100 if world is WORLD else 2)


def gambler(pay=1.0, goal=31):
    """Stake up to what there is on a coin that lands well in 40 of 100; only the goal pays."""

    def moves(s):
        stakes = range(1, min(s, goal - s) + 1) if 0 < s < goal else ()
        return {a: [(0.4, s + a, pay * (s + a == goal)), (0.6, s - a, 0.0)] for a in stakes}

    return tabulate(moves, goal // 2)


@pytest.mark.parametrize("graph", [False, True], ids=["tree", "graph"])
@pytest.mark.parametrize("trials", [1, 2, 30, 300, 3000])
def test_no_value_is_beyond_what_the_world_can_pay(graph, trials):
    """The reward goes with the outcome: added to the successors of other outcomes it made 1.9 of 1."""
    search = grown(VarDE(), trials, gambler(), 40, graph=graph)
    tree, (nodes, edges, *_) = search.tree, search.tree.used
    for values in (tree.nodes["value"][:nodes], tree.edges["q"][:edges]):
        assert values.min() >= -1e-12 and values.max() <= 1.0 + 1e-12


@pytest.mark.parametrize("graph", [False, True], ids=["tree", "graph"])
def test_an_edge_tried_once_is_not_certain_where_others_were_not(graph):
    search = grown(VarDE(), 300, gambler(), 40, graph=graph)
    edges = search.tree.edges[search.edges()]
    assert (edges["count"] > 0).all()
    assert (beliefs(search.algorithm, in_python(search.memory), search.view, 0).variances > 0.0).all()


def test_nothing_seen_is_hoped_to_be_twice_the_only_return():
    search = grown(VarDE(), trials=1)
    memory, gain = search.memory, search.memory.level["best"][0]
    assert memory.whole["largest"][0] == abs(memory.level["best"]).max() == abs(gain)
    assert search.tree.nodes["optimistic"][0] == gain + 2 * abs(gain)


def test_hope_has_its_share():
    """0.6 of the share of steps that met a known node."""
    search, hoped = grown(GapTree(), trials=2000, graph=True), 0
    known = 1 - search.tree.used[0] / (search.memory.whole["steps"][0] + 1)
    rng = stream(key(0, "optimistic"))
    for _ in range(1500):
        search.run(1, rng)
        hoped += search.trials_now.now["flag"][0]
    assert known > 0.5
    assert hoped / 1500 == pytest.approx(0.6 * known, abs=0.05)


def test_of_a_known_budget_the_first_part_explores_and_the_last_follows_the_rule():
    search, rng = grown(GapTree(), trials=1000, graph=True), stream(key(0, "due"))
    search.aim(1000)
    hoped = np.zeros(3)  # while it is to hope, while it is not, after that
    known = []
    for trial in range(2000):
        if trial in (300, 1500):  # in the middle of the part it is compared with
            known.append(1 - search.tree.used[0] / (search.memory.whole["steps"][0] + 1))
        search.run(1, rng)
        hoped[0 if trial < 600 else 1 if trial < 1000 else 2] += search.trials_now.now["flag"][0]
    f, later = known
    assert hoped / (600, 400, 1000) == pytest.approx([f, 0.0, 0.6 * later], abs=0.07)


@pytest.mark.parametrize(
    ("world", "horizon", "budget"),
    [
        (taxi(rain=False, taxi=(0, 3), passenger="Y", destination="G"), 25, 5000),
        (combination_lock(12, 4), 12, 1000),
        (combination_lock(8, 4, cost=0.02), 8, 1000),
        (deep_sea(20), 20, 1000),
    ],
    ids=["taxi", "lock", "lock with costs", "deep sea"],
)
def test_what_lies_far_away_is_found(world, horizon, budget):
    """The first version froze in the first, and explored nothing while all returns were alike."""
    found = measure(VarDE(), world, budget, horizon=horizon, graph=True, runs=3, workers=1)
    assert found.values[:, -1] == pytest.approx(np.full(3, found.best))


@pytest.mark.parametrize("graph", [False, True], ids=["tree", "graph"])
@pytest.mark.parametrize("unit", [2.0**20, 2.0**-20])
@pytest.mark.parametrize(
    "make",
    [
        lambda unit: garnet(30, 4, 2, scale=unit),
        lambda unit: garnet(30, 4, 3, 1.0, unit),
        lambda unit: garnet(30, 30, 4, 0.5, unit),
    ],
    ids=["garnet", "noisy", "many actions"],
)
def test_the_default_does_not_depend_on_the_unit(make, unit, graph):
    """The same trajectories, bit for bit."""
    ours, other = (grown(VarDE(), 2000, make(by), 10, graph=graph).tree for by in (1.0, unit))
    nodes, edges = ours.used[:2]
    for field in ("state", "visits", "tried", "first"):
        assert np.array_equal(ours.nodes[field][:nodes], other.nodes[field][:nodes])
    assert np.array_equal(ours.edges["count"][:edges], other.edges["count"][:edges])
    assert np.array_equal(unit * ours.edges["q"][:edges], other.edges["q"][:edges])


def test_every_action_is_tried_before_one_is_repeated():
    moves = {a: [(1.0, "end", 1.0 if a == 0 else 0.0, 0.0)] for a in range(40)}
    search = grown(VarDE(), 40, tabulate({"s": moves, "end": {}}), 1)
    assert search.tree.edges["count"][search.edges()].tolist() == [1] * 40


def test_level_actions_do_not_lift_the_value_step_by_step():
    """In a fair game every stake is worth the same."""
    goal = 24

    def moves(s):
        stakes = range(1, min(s, goal - s) + 1) if 0 < s < goal else ()
        return {a: [(0.5, s + a, float(s + a == goal)), (0.5, s - a, 0.0)] for a in stakes}

    errors, world = [], tabulate(moves, 8)
    for seed in range(4):
        search = Search(VarDE(), world, world.start, 30, graph=True)
        search.run(1000, stream(key(seed, "level")))
        errors.append(float(search.tree.nodes["value"][0]) - 1 / 3)
    assert np.mean(errors) < 0.2  # .3 for the highest instead of the mean of those that may be level


def test_a_sweep_is_due_when_an_eighth_of_all_steps_is_new_and_as_many_as_there_are_nodes():
    search, rng = grown(GapTree(), 200, graph=True), stream(key(0, "sweeps"))
    by_nodes, by_steps = 0, 0
    for _ in range(3000):
        every, since = search.memory.whole[["steps", "since"]][0].tolist()
        search.run(1, rng)
        after, nodes = int(search.memory.whole["steps"][0]), int(search.tree.used[0])
        due = max(nodes, after // 8)
        assert (search.memory.whole["since"][0] == 0) == (since + after - every >= due)
        by_nodes, by_steps = by_nodes + (due == nodes), by_steps + (due > nodes)
    assert by_nodes > 100 < by_steps


def test_where_nothing_is_left_to_chance_what_came_once_is_the_value_and_no_ending_is_sought_twice():
    search, rng, drawn = Search(VarDE(), deep_sea(8).model, 0, 8), stream(key(0, "settled")), 0
    for _ in range(240):
        search.run(1, rng)
        tree, settled = search.tree, search.memory.whole["settled"][0] == 1
        node = max((c for e in edges_of(tree, 0) for c, _ in children(tree, e)), key=lambda c: tree.nodes["visits"][c])
        tried = [e for e in edges_of(tree, node) if tree.edges["count"][e] > 0]
        best = max(tree.edges["q"][tried])
        drawn += not settled and tree.nodes["value"][node] != best
        assert not settled or tree.nodes["value"][node] == best
    assert drawn > 0
    assert (tree.nodes["width"][: tree.used[0]] == 0).sum() > 215  # of 240 trials and 256 endings


def maze(cost):
    """A goal far away, behind walls, and steps that cost something."""
    walls = {(r, 3) for r in range(7)} | {(r, 6) for r in range(2, 9)}

    def moves(cell):
        legal = {}
        for way, (down, right) in {"n": (-1, 0), "s": (1, 0), "w": (0, -1), "e": (0, 1)}.items():
            to = cell[0] + down, cell[1] + right
            to = to if min(to) >= 0 and max(to) < 9 and to not in walls else cell
            legal[way] = [(1.0, to, cost * (100.0 * (to == (8, 8)) - 1.0))]
        return legal if cell != (8, 8) else {}

    return tabulate(moves, (0, 0))


def test_a_maze_is_found_whatever_rounding_makes_of_equal_optimism():
    """No way to the goal is lucky: with costs of 0.01, sums that are equal on paper are not."""
    lost = []
    for cost in (1.0, 0.01, 0.3):
        found = measure(VarDE(), maze(cost), 600, horizon=50, graph=True, runs=3, workers=1)
        lost.append((found.best - found.values[:, -1]) / cost)
    assert np.max(lost) < 30  # of the 100 that the goal pays and the way there
    assert np.ptp(np.mean(lost, axis=1)) < 3
