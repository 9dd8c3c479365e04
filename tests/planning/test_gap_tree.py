"""The default: every stored number recomputed by the formulas as printed; what it finds; other units."""

import numpy as np
import pytest

from varde import VarDE
from varde.decisions import Gaps
from varde.environments import combination_lock, deep_sea, sailing, taxi
from varde.planning import GapTree, Search, measure
from varde.planning.gap_tree import EDGE, NODE, sweep
from varde.planning.tree import COUNT, LINK, TRIED, VALUE, VISITS, WIDTH, Q, has_untried
from varde.random import key, stream
from varde.worlds.table import tabulate

from .trees import backed_up_q, children, edges_of, inner_nodes

WORLD, HORIZON = sailing(4), 12
SWAYED = 0.3


def garnet(states, actions, seed, deviation=0.0, scale=1.0):
    """A random world: three successors of every action, a tenth of the rewards far from 0."""
    rng = np.random.default_rng(seed)

    def outcomes():
        shares, paid = rng.dirichlet(np.ones(3)), rng.normal() * (rng.random() < 0.3)
        found = zip(shares, rng.choice(states, 3, replace=False), strict=True)
        return [(float(p), int(s), scale * paid, scale * deviation) for p, s in found]

    return tabulate({s: {a: outcomes() for a in range(actions)} for s in range(states)}, 0)


def grown(algorithm, trials=400, world=WORLD, horizon=HORIZON, **options):
    search = Search(algorithm, world.model, world.start, horizon, **options)
    search.run(trials, stream(key(0, "formulas")))
    return search


def depths(search):
    """The depth of every node that has actions, by the chains."""
    found = {}
    for depth, node in enumerate(search.memory.first):
        while node >= 0:
            found[int(node)] = depth
            node = search.tree.node[node, LINK]
    return found


def unseen(memory, depth):
    """What a node with an untried action hopes for."""
    variances = memory.returns[:, 2] / np.maximum(memory.returns[:, 0] - 1, 1)
    deviation = np.sqrt(variances[depth]) or np.sqrt(variances.max()) or memory.marks[1] or 1.0
    return memory.best[depth] + 2 * deviation


VARIANTS = [GapTree(), GapTree(VarDE(Gaps(2.0, False)), softness=1.0, report=True)]


@pytest.mark.parametrize("graph", [False, True], ids=["tree", "graph"])
@pytest.mark.parametrize("algorithm", VARIANTS, ids=["default", "report"])
@pytest.mark.parametrize("world", [WORLD, garnet(24, 20, 1)], ids=["sailing", "many actions"])
def test_after_a_sweep_every_node_is_what_the_formulas_say(algorithm, graph, world):
    search = grown(algorithm, graph=graph, world=world, discount=0.9)
    tree, memory, focus = search.tree, search.memory, algorithm.rule.decision.focus
    sweep(algorithm, memory, search.problem, tree, 0.9)
    depth_of, drawn, swayed, competing = depths(search), 0, 0, 0
    assert sorted(depth_of) == [n for n in range(tree.used[0]) if tree.node[n, WIDTH] > 0]
    for node in inner_nodes(tree):
        depth, visits, values = depth_of[node], tree.node[node, VISITS], tree.values[node]
        tried = np.array([e for e in edges_of(tree, node) if tree.edge[e, COUNT] > 0])
        n, scores = tree.edge[tried, COUNT], tree.scores[tried]
        v, novelty = [], []
        for edge, count in zip(tried, n, strict=True):
            kids = children(tree, edge)
            p, below = np.array([s for _, s in kids]), tree.values[[c for c, _ in kids]]
            between = max((p * below[:, VALUE] ** 2).sum() - (p * below[:, VALUE]).sum() ** 2, 0.0)
            v.append(0.81 * ((p**2 * below[:, NODE.variance]).sum() + between / count))
            novelty.append(max(1 / (count + 1), (p * below[:, NODE.novelty]).sum()))
        assert scores[:, Q] == pytest.approx([backed_up_q(search, node, e) for e in tried])
        assert scores[:, EDGE.hope] == pytest.approx([backed_up_q(search, node, e, NODE.hope) for e in tried])
        assert scores[:, EDGE.variance] == pytest.approx(v, abs=1e-12)
        assert scores[:, EDGE.novelty] == pytest.approx(novelty)
        q, v = scores[:, Q], scores[:, EDGE.variance]  # as stored: which of two equals leads is rounding
        b = q.argmax()
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(q == q[b], 0.0, np.minimum((q[b] - q) / np.sqrt(v[b] + v), 25.0))
        level = memory.returns[depth, 2] / max(memory.returns[depth, 0] - 1, 1)
        spread = (5 * level + values[NODE.squares]) / (5 + visits - 1)
        noise = (5 * spread + scores[:, EDGE.squares]) / (5 + n - 1)
        assert scores[:, EDGE.worth] == pytest.approx(np.exp(-focus * z) * noise)
        w = np.exp(-algorithm.softness * z)
        u = spread if visits == 1 else (w**2 * v).sum() / w.sum() ** 2
        c, mean, soft = 1.0, memory.returns[depth, 1], (w * q).sum() / w.sum()
        if depth > 0 and level > 0 and not algorithm.report:
            c, drawn = level / (level + 3.0 * u), drawn + 1
            if not graph and (1.0 - c) * (soft - mean) > SWAYED * np.sqrt(u):
                c, swayed = 1.0 - SWAYED * np.sqrt(u) / (soft - mean), swayed + 1
        assert values[VALUE] == pytest.approx(mean + c * (soft - mean))
        assert values[NODE.variance] == pytest.approx(c * u, abs=1e-12)
        hope, newest = scores[:, EDGE.hope].max(), scores[:, EDGE.novelty].max()
        if has_untried(tree, node):
            hope, newest = max(hope, unseen(memory, depth)), 1.0
        assert (values[NODE.hope], values[NODE.novelty]) == pytest.approx((hope, newest))
        if 16 <= len(tried) < tree.node[node, WIDTH]:
            gaps, competing = q[b] - q, competing + 1
            deviation = gaps.std(ddof=1)
            errors = min(gaps.mean() / deviation, 25.0) if deviation > 1e-12 else 25.0 * (gaps.mean() > 1e-12)
            assert values[NODE.untried] == pytest.approx(np.exp(-focus * errors) * spread / 2, rel=1e-6)
    assert algorithm.report or (drawn > 100 and (graph or swayed > 50))
    assert world is WORLD or competing > 0


def test_nothing_seen_is_hoped_to_be_twice_the_only_return():
    search = grown(VarDE(), trials=1)
    memory, gain = search.memory, search.memory.best[0]
    assert memory.marks[1] == max(abs(memory.best)) == abs(gain)
    assert search.tree.values[0, NODE.hope] == gain + 2 * abs(gain)


def test_the_moods_have_their_shares():
    """Follow 0.6 and 0.1 of the steps that met a known node; with both 0 the rule alone."""
    search, counts = grown(VarDE(), trials=2000, graph=True), np.zeros(3)
    known = 1 - search.tree.used[0] / (search.memory.steps[0] + 1)
    rng = stream(key(0, "moods"))
    for _ in range(1500):
        search.run(1, rng)
        counts[[EDGE.hope, EDGE.novelty, EDGE.worth].index(search.memory.moods[0])] += 1
    assert known > 0.5
    assert counts / 1500 == pytest.approx([0.6 * known, 0.1 * known, 1 - 0.7 * known], abs=0.05)


def test_of_a_known_budget_the_first_part_explores_and_the_last_follows_the_rule():
    search, rng = grown(VarDE(), trials=1000, graph=True), stream(key(0, "due"))
    search.aim(1000)
    counts = np.zeros((3, 3))  # hoping, not hoping, after that; by mood
    for trial in range(2000):
        search.run(1, rng)
        mood = [EDGE.hope, EDGE.novelty, EDGE.worth].index(search.memory.moods[0])
        counts[0 if trial < 700 else 1 if trial < 1000 else 2, mood] += 1
    known = 1 - search.tree.used[0] / (search.memory.steps[0] + 1)
    assert counts[0] / 700 == pytest.approx([6 / 7 * known, 1 / 7 * known, 1 - known], abs=0.07)
    assert counts[1].tolist() == [0, 0, 300]
    assert counts[2] / 1000 == pytest.approx([0.6 * known, 0.1 * known, 1 - 0.7 * known], abs=0.07)


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
    assert np.array_equal(ours.node[:nodes], other.node[:nodes])
    assert np.array_equal(ours.edge[:edges], other.edge[:edges])
    assert np.array_equal(unit * ours.scores[:edges, Q], other.scores[:edges, Q])


def test_of_many_actions_the_untried_ones_compete():
    """Sixteen are tried first; then not one more, where the tried ones are known to be alike and one is better."""
    moves = {a: [(1.0, "end", 1.0 if a == 0 else 0.0, 0.0)] for a in range(40)}
    search = grown(GapTree(optimism=0.0, novelty=0.0, exploration=0.0), 16, tabulate({"s": moves, "end": {}}), 1)
    assert search.tree.node[0, TRIED] == 16
    search.run(200, stream(key(1, "untried")))
    assert 16 < search.tree.node[0, TRIED] <= 40


def test_a_sweep_is_due_when_an_eighth_of_all_steps_is_new_and_as_many_as_there_are_nodes():
    search, rng = grown(VarDE(), 200, graph=True), stream(key(0, "sweeps"))
    by_nodes, by_steps = 0, 0
    for _ in range(3000):
        every, since = search.memory.steps[:2].tolist()
        search.run(1, rng)
        after, nodes = int(search.memory.steps[0]), int(search.tree.used[0])
        due = max(nodes, after // 8)
        assert (search.memory.steps[1] == 0) == (since + after - every >= due)
        by_nodes, by_steps = by_nodes + (due == nodes), by_steps + (due > nodes)
    assert by_nodes > 100 < by_steps


def test_in_a_graph_a_visit_brings_two_other_edges_up_to_date():
    search, rng, most = grown(VarDE(), 500, garnet(20, 6, 1), 8, graph=True), stream(key(0, "in turn")), 0
    for _ in range(30):
        search.tree.scores[search.edges(), EDGE.hope] = -1e9
        search.run(1, rng)
        if search.memory.steps[1] > 0:  # no sweep
            most = max(most, int((search.tree.scores[search.edges(), EDGE.hope] > -1e8).sum()))
    assert most == 3


def test_where_nothing_is_left_to_chance_what_came_once_is_the_value_and_no_ending_is_sought_twice():
    search, rng, drawn = Search(VarDE(), deep_sea(8).model, 0, 8), stream(key(0, "settled")), 0
    for _ in range(240):
        search.run(1, rng)
        tree, settled = search.tree, search.memory.steps[3] >= 30
        node = max((c for e in edges_of(tree, 0) for c, _ in children(tree, e)), key=lambda c: tree.node[c, VISITS])
        tried = [e for e in edges_of(tree, node) if tree.edge[e, COUNT] > 0]
        best = max(tree.scores[tried, Q])
        drawn += not settled and tree.values[node, VALUE] != best
        assert not settled or tree.values[node, VALUE] == best
    assert drawn > 0
    assert (tree.node[: tree.used[0], WIDTH] == 0).sum() > 215  # of 240 trials and 256 endings
