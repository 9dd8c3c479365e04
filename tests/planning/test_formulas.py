"""Every stored number of a finished tree, recomputed from its counts by the formulas as printed."""

import numpy as np
import pytest

from varde import Floor, LogSumExp, VarDE
from varde.decisions import Gaps
from varde.environments import sailing, taxi
from varde.planning import (
    BTS,
    DENTS,
    MENTS,
    RENTS,
    TENTS,
    UCT,
    GapTree,
    PaperTree,
    Search,
    boltzmann,
    gap_tree,
    paper_tree,
)
from varde.planning.tree import CHILD, COUNT, EDGES, NEXT, OUTCOMES, STATE, TIMES, TRIED, VALUE, VISITS, WIDTH, Q
from varde.random import key, stream
from varde.worlds.table import expected_reward

WORLD, HORIZON = sailing(4), 12


def grown(algorithm, trials=400, world=WORLD, **options):
    search = Search(algorithm, world.model, world.start, HORIZON, **options)
    search.run(trials, stream(key(0, "formulas")))
    return search


def variant(focus, **settings):
    return GapTree(VarDE(Gaps(focus, False)), softness=1.0, **settings)


def inner_nodes(tree):
    """Nodes that were backed up, children before parents (in a tree children are made later)."""
    return [n for n in range(int(tree.used[0]) - 1, -1, -1) if tree.node[n, TRIED] > 0]


def edges_of(tree, node):
    first = tree.node[node, EDGES]
    return np.arange(first, first + tree.node[node, WIDTH])


def children(tree, edge):
    """(child, share) of every outcome of an edge."""
    found, outcome = [], tree.edge[edge, OUTCOMES]
    while outcome:
        child, times = tree.outcome[outcome, CHILD], tree.outcome[outcome, TIMES]
        found.append((child, times / tree.edge[edge, COUNT]))
        outcome = tree.outcome[outcome, NEXT]
    return found


def backed_up_q(search, node, edge, column=VALUE):
    tree = search.tree
    reward = expected_reward(search.problem, tree.node[node, STATE], edge - tree.node[node, EDGES])
    return reward + search.settings.discount * sum(p * tree.values[c, column] for c, p in children(tree, edge))


@pytest.mark.parametrize("algorithm", [UCT(5.0, 0.1), MENTS(), BTS(), PaperTree(), VarDE()])
@pytest.mark.parametrize("options", [{}, {"graph": True}, {"keep": False}])
def test_counts_add_up(algorithm, options):
    search = grown(algorithm, **options)
    tree = search.tree
    assert tree.node[0, VISITS] == search.trials == 400
    for node in inner_nodes(tree):
        edges = edges_of(tree, node)
        ended_here = tree.node[node, VISITS] - tree.edge[edges, COUNT].sum()
        # In rollout mode the trial that added a node ended there.
        assert ended_here == 0 or (not search.settings.keep and 0 < ended_here <= 1)
        assert (tree.edge[edges, COUNT] > 0).sum() == tree.node[node, TRIED]
        for edge in edges[tree.edge[edges, COUNT] > 0]:
            assert sum(p for _, p in children(tree, edge)) == pytest.approx(1.0)


@pytest.mark.parametrize("algorithm", [MENTS(0.7, 0.3), MENTS(0.05, 0.3), MENTS(0.05, 0.3, default=-3.0)])
def test_ments(algorithm):
    search = grown(algorithm)
    tree = search.tree
    for node in inner_nodes(tree):
        edges = edges_of(tree, node)
        tried = tree.edge[edges, COUNT] > 0
        q = np.array(
            [backed_up_q(search, node, e) if t else algorithm.default for e, t in zip(edges, tried, strict=True)]
        )
        assert tree.scores[edges, Q] == pytest.approx(q)
        soft = q.max() + algorithm.temperature * np.log(np.exp((q - q.max()) / algorithm.temperature).sum())
        assert tree.values[node, VALUE] == pytest.approx(soft)
        weights = tree.scores[edges, boltzmann.EDGE.weight]
        softmax = np.exp((q - q.max()) / algorithm.temperature)
        assert weights / weights.sum() == pytest.approx(softmax / softmax.sum(), abs=1e-9)


def test_rents_without_a_prior_backs_up_as_ments_does():
    search = grown(RENTS(0.7, 0.3, prior=False))
    tree = search.tree
    for node in inner_nodes(tree):
        q = tree.scores[edges_of(tree, node), Q]
        assert tree.values[node, VALUE] == pytest.approx(0.7 * np.log(np.exp(q / 0.7).sum()))


def test_rents_uses_the_parents_distribution():
    """One step below the root, V is a soft maximum weighted by the root's mixed distribution."""
    algorithm = RENTS(0.7, 0.3)
    world = taxi()
    search = Search(algorithm, world.model, world.start, 2)
    rng = stream(key(0, "rents"))
    search.run(60, rng)
    before = search.tree.scores[edges_of(search.tree, 0), Q].copy()
    visits = search.tree.node[0, VISITS] + 1
    search.run(1, rng)
    tree, path = search.tree, search.path
    share = min(1.0, 0.3 / np.log(visits + 1))
    softmax = np.exp((before - before.max()) / 0.7)
    pi = (1 - share) * softmax / softmax.sum() + share / 6
    assert search.memory.policies[0, 0] == pytest.approx(pi)
    node = path.nodes[0, 1]
    q = tree.scores[edges_of(tree, node), Q]
    assert tree.values[node, VALUE] == pytest.approx(0.7 * np.log((pi * np.exp(q / 0.7)).sum()))


def sparse(x):
    """Sparse maximum by sorting, as printed: probabilities and value of x."""
    ordered = np.sort(x)[::-1]
    sums = np.cumsum(ordered)
    kept = int(sum(1 + (i + 1) * ordered[i] > sums[i] for i in range(x.size)))
    theta = (sums[kept - 1] - 1) / kept
    inside = ordered[:kept]
    return np.maximum(x - theta, 0), 0.5 + sum(inside**2 / 2 - (sums[kept - 1] - 1) ** 2 / (2 * kept**2))


def test_tents():
    algorithm = TENTS(0.8, 0.3)
    search = grown(algorithm)
    tree = search.tree
    for node in inner_nodes(tree):
        edges = edges_of(tree, node)
        chances, value = sparse(tree.scores[edges, Q] / 0.8)
        assert tree.scores[edges, boltzmann.EDGE.weight] == pytest.approx(chances, abs=1e-9)
        assert tree.values[node, VALUE] == pytest.approx(0.8 * value)


@pytest.mark.parametrize("algorithm", [BTS(1.5, 0.3), DENTS(1.5, 0.3), PaperTree.printed(1.5, 1.0)])
@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_maximum_backup(algorithm, discount):
    search = grown(algorithm, discount=discount)
    tree = search.tree
    for node in inner_nodes(tree):
        tried = [e for e in edges_of(tree, node) if tree.edge[e, COUNT] > 0]
        q = [backed_up_q(search, node, e) for e in tried]
        assert tree.scores[tried, Q] == pytest.approx(q)
        assert tree.values[node, VALUE] == pytest.approx(max(q))


def test_dents_entropies():
    algorithm = DENTS(1.5, 0.3, bonus=0.8)
    search = grown(algorithm)
    tree = search.tree
    for node in inner_nodes(tree):
        edges, visits = edges_of(tree, node), tree.node[node, VISITS]
        tried = tree.edge[edges, COUNT] > 0
        inside = np.array(
            [
                sum(p * tree.values[c, boltzmann.NODE.entropy] for c, p in children(tree, e)) if t else 0.0
                for e, t in zip(edges, tried, strict=True)
            ]
        )
        q = np.where(tried, tree.scores[edges, Q] + 0.8 / np.sqrt(1 + visits) * inside, 0.0)
        softmax = np.exp((q - q.max()) / 1.5)
        share = min(1.0, 0.3 / np.log(visits + 1))
        pi = (1 - share) * softmax / softmax.sum() + share / edges.size
        assert tree.values[node, boltzmann.NODE.entropy] == pytest.approx((pi * (inside - np.log(pi))).sum())
    fresh = [n for n in range(tree.used[0]) if tree.node[n, WIDTH] == 0]
    assert (tree.values[fresh, boltzmann.NODE.entropy] == 0.0).all()


@pytest.mark.parametrize(
    "algorithm",
    [
        PaperTree.printed(1.5, 0.2),
        PaperTree.as_run(1.5, 0.2),
        PaperTree(VarDE(LogSumExp(0.7), Floor(0.1), 3), 1.4, False),
    ],
)
def test_varde_scores(algorithm):
    search = grown(algorithm)
    tree, rule = search.tree, algorithm.rule
    for node in inner_nodes(tree):
        edges = edges_of(tree, node)
        for edge in edges[tree.edge[edges, COUNT] > 0]:
            n = tree.edge[edge, COUNT]
            score = tree.scores[edge, paper_tree.EDGE.score]
            if n < rule.warm_start:
                assert score == np.inf
                continue
            squares = tree.scores[edge, paper_tree.EDGE.squares]
            least, ddof = rule.noise
            variance = max(squares / (n - ddof) if n > ddof else 0.0, least)
            printed = algorithm.power * tree.scores[edge, Q] / rule.decision.temperature + np.log(
                variance / (n * (n + 1))
            )
            assert score == pytest.approx(printed)
            if algorithm.mean_value:
                assert tree.scores[edge, Q] == tree.scores[edge, paper_tree.EDGE.mean]


def test_as_run_takes_every_action_twice_first():
    search = grown(PaperTree.as_run(1.5, 0.2), trials=2 * 3)
    assert search.tree.edge[edges_of(search.tree, 0), COUNT].tolist() == [2, 2, 2]


def test_uct_means_and_choice():
    algorithm = UCT(0.7)
    search = grown(algorithm, trials=300)
    tree, rng = search.tree, stream(key(0, "choice"))
    edges = edges_of(tree, 0)
    means, counts = tree.scores[edges, 0].copy(), tree.edge[edges, COUNT].copy()
    assert tree.values[0, VALUE] == pytest.approx((means * counts).sum() / counts.sum())
    bounds = means + 0.7 * np.sqrt(np.log(301) / counts)
    search.run(1, rng)
    assert tree.edge[edges, COUNT].tolist() == (counts + (bounds == bounds.max())).tolist()


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize(
    "algorithm",
    [GapTree(), variant(2.0), variant(1.0, report=True)],
)
def test_gaps(algorithm, graph):
    search = grown(algorithm, graph=graph)
    tree = search.tree
    # In a graph a node is exact when it was just refreshed: those of the last trial, whose children were too.
    nodes = [0] if graph else [n for n in inner_nodes(tree) if tree.node[n, VISITS] > 1]
    for node in nodes:
        tried = np.array([e for e in edges_of(tree, node) if tree.edge[e, COUNT] > 0])
        q = np.array([backed_up_q(search, node, e) for e in tried])
        v = []
        for edge in tried:
            kids = children(tree, edge)
            p, values = np.array([s for _, s in kids]), np.array([tree.values[c, VALUE] for c, _ in kids])
            own = np.array([tree.values[c, gap_tree.NODE.variance] for c, _ in kids])
            v.append((p**2 * own).sum() + ((p * values**2).sum() - (p * values).sum() ** 2) / tree.edge[edge, COUNT])
        v = np.maximum(v, 0.0)
        assert tree.scores[tried, Q] == pytest.approx(q)
        assert tree.scores[tried, gap_tree.EDGE.variance] == pytest.approx(v, abs=1e-12)
        q, v = (
            tree.scores[tried, Q],
            tree.scores[tried, gap_tree.EDGE.variance],
        )  # as stored: which of two equals leads is rounding
        b = q.argmax()
        with np.errstate(invalid="ignore", divide="ignore"):
            z = np.where(q == q[b], 0.0, (q[b] - q) / np.sqrt(v[b] + v))
        h = np.exp(-algorithm.softness * z)
        assert tree.values[node, VALUE] == pytest.approx((h * q).sum() / h.sum())
        assert tree.values[node, gap_tree.NODE.variance] == pytest.approx((h**2 * v).sum() / h.sum() ** 2, abs=1e-12)
    # What more samples of the root's edges are worth, with the depth's own moments.
    tried, n = edges_of(tree, 0), tree.node[0, VISITS]
    level = search.memory.returns[0, 2] / (search.memory.returns[0, 0] - 1)
    wide = (5 * level + tree.values[0, gap_tree.NODE.squares]) / (5 + n - 1)
    counts = tree.edge[tried, COUNT]
    noise = (5 * wide + tree.scores[tried, gap_tree.EDGE.squares]) / (5 + counts - 1)
    q, v = tree.scores[tried, Q], tree.scores[tried, gap_tree.EDGE.variance]
    z = np.where(q == q.max(), 0.0, (q.max() - q) / np.sqrt(v[q.argmax()] + v))
    assert tree.scores[tried, gap_tree.EDGE.worth] == pytest.approx(np.exp(-algorithm.rule.decision.focus * z) * noise)


def test_the_default_hopes_for_more_than_was_seen_where_an_action_is_untried():
    search = grown(VarDE(), trials=300)
    tree = search.tree
    complete = 0
    for node in inner_nodes(tree):
        tried = [e for e in edges_of(tree, node) if tree.edge[e, COUNT] > 0]
        hopes = [backed_up_q(search, node, e, gap_tree.NODE.hope) for e in tried]
        assert tree.scores[tried, gap_tree.EDGE.hope] == pytest.approx(hopes)
        hope = tree.values[node, gap_tree.NODE.hope]
        if len(tried) == tree.node[node, WIDTH]:
            assert hope == pytest.approx(max(hopes))
            complete += 1
        else:  # as of its last visit; the depth may have seen better since
            assert hope >= max(hopes) - 1e-12
    assert complete > 10
    # The first trial of a new search: one return at every depth, no spread, every action but one untried.
    search.restart()
    search.run(1, stream(key(0, "first")))
    assert (
        search.tree.values[0, gap_tree.NODE.hope] == search.memory.best[0] == search.tree.values[0, gap_tree.NODE.mean]
    )


def test_the_default_does_not_depend_on_the_unit():
    """Rewards times 1024: the same trajectories, bit for bit."""
    model = WORLD.model
    scaled = model._replace(means=1024.0 * model.means, rewards=1024.0 * model.rewards)
    trees = []
    for problem in (model, scaled):
        search = Search(VarDE(), problem, WORLD.start, HORIZON, graph=True)
        search.run(2000, stream(key(0, "unit")))
        trees.append(search.tree)
    used = int(trees[0].used[0])
    assert np.array_equal(trees[0].node[:used], trees[1].node[:used])
    assert np.array_equal(1024.0 * trees[0].values[:used, VALUE], trees[1].values[:used, VALUE])
