"""Every stored number of a finished tree, recomputed from its counts by the formulas as printed."""

import numpy as np
import pytest

from varde import VarDE
from varde.beliefs import Floor
from varde.decisions import LogSumExp
from varde.environments import sailing, taxi
from varde.paper.reading import LEADING, Reading
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
)
from varde.random import key, stream

from .trees import backed_up_q, children, edges_of, inner_nodes

WORLD, HORIZON = sailing(4), 12


def q_of(tree, edges, default=0.0):
    """Q where tried, the default elsewhere."""
    return np.where(tree.edges["count"][edges] > 0, tree.edges["q"][edges], default)


def grown(algorithm, trials=300, world=WORLD, **options):
    search = Search(algorithm, world.model, world.start, HORIZON, **options)
    search.run(trials, stream(key(0, "formulas")))
    return search


@pytest.mark.parametrize(
    ("algorithm", "options"),
    [(UCT(5.0, 0.1), {}), (MENTS(), {"graph": True}), (GapTree(), {"graph": True}), (PaperTree(), {"keep": False})],
)
def test_counts_add_up(algorithm, options):
    search = grown(algorithm, **options)
    tree = search.tree
    assert tree.nodes["visits"][0] == search.trials == 300
    for node in inner_nodes(tree):
        edges = edges_of(tree, node)
        ended_here = tree.nodes["visits"][node] - tree.edges["count"][edges].sum()
        # In rollout mode the trial that added a node ended there.
        assert ended_here == 0 or (not search.settings.keep and 0 < ended_here <= 1)
        assert (tree.edges["count"][edges] > 0).sum() == tree.nodes["tried"][node]
        for edge in edges[tree.edges["count"][edges] > 0]:
            assert sum(p for _, p in children(tree, edge)) == pytest.approx(1.0)


@pytest.mark.parametrize("algorithm", [MENTS(0.7, 0.3), MENTS(0.05, 0.3, default=-3.0)])
def test_ments(algorithm):
    search = grown(algorithm)
    tree = search.tree
    for node in inner_nodes(tree):
        edges = edges_of(tree, node)
        tried = tree.edges["count"][edges] > 0
        q = np.array([backed_up_q(search, e) if t else algorithm.default for e, t in zip(edges, tried, strict=True)])
        assert q_of(tree, edges, algorithm.default) == pytest.approx(q)
        soft = q.max() + algorithm.temperature * np.log(np.exp((q - q.max()) / algorithm.temperature).sum())
        assert tree.nodes["value"][node] == pytest.approx(soft)
        softmax = np.exp((q - q.max()) / algorithm.temperature)
        assert tree.edges["chance"][edges] == pytest.approx(softmax / softmax.sum(), abs=1e-9)


def test_rents_without_a_prior_backs_up_as_ments_does():
    search = grown(RENTS(0.7, 0.3, prior=False))
    tree = search.tree
    for node in inner_nodes(tree):
        q = q_of(tree, edges_of(tree, node))
        assert tree.nodes["value"][node] == pytest.approx(0.7 * np.log(np.exp(q / 0.7).sum()))


def test_rents_uses_the_parents_distribution():
    """One step below the root, V is a soft maximum weighted by the root's mixed distribution."""
    algorithm = RENTS(0.7, 0.3)
    world = taxi()
    search = Search(algorithm, world.model, world.start, 2)
    rng = stream(key(0, "rents"))
    search.run(60, rng)
    before = q_of(search.tree, edges_of(search.tree, 0))
    visits = search.tree.nodes["visits"][0] + 1
    search.run(1, rng)
    tree = search.tree
    share = min(1.0, 0.3 / np.log(visits + 1))
    softmax = np.exp((before - before.max()) / 0.7)
    pi = (1 - share) * softmax / softmax.sum() + share / 6
    offered = search.memory.policies.reshape(6, 3)[:, 0]
    assert offered[tree.edges["label"][edges_of(tree, 0)].astype(int)] == pytest.approx(pi)
    node = search.trials_now.path["node"][1]
    q = q_of(tree, edges_of(tree, node))
    pi = offered[tree.edges["label"][edges_of(tree, node)].astype(int)]
    assert tree.nodes["value"][node] == pytest.approx(0.7 * np.log((pi * np.exp(q / 0.7)).sum()))


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
        chances, value = sparse(q_of(tree, edges) / 0.8)
        assert tree.edges["chance"][edges] == pytest.approx(chances, abs=1e-9)
        assert tree.nodes["value"][node] == pytest.approx(0.8 * value)


@pytest.mark.parametrize("algorithm", [BTS(1.5, 0.3), DENTS(1.5, 0.3), Reading(sampled=False).varde(1.5, 1.0)])
def test_maximum_backup(algorithm):
    search = grown(algorithm, discount=0.9)
    tree = search.tree
    for node in inner_nodes(tree):
        tried = [e for e in edges_of(tree, node) if tree.edges["count"][e] > 0]
        q = [backed_up_q(search, e) for e in tried]
        assert tree.edges["q"][tried] == pytest.approx(q)
        assert tree.nodes["value"][node] == pytest.approx(max(q))


def test_dents_entropies():
    algorithm = DENTS(1.5, 0.3, bonus=0.8)
    search = grown(algorithm)
    tree = search.tree
    for node in inner_nodes(tree):
        edges, visits = edges_of(tree, node), tree.nodes["visits"][node]
        tried = tree.edges["count"][edges] > 0
        inside = np.array(
            [
                sum(p * tree.nodes["entropy"][c] for c, p in children(tree, e)) if t else 0.0
                for e, t in zip(edges, tried, strict=True)
            ]
        )
        q = np.where(tried, tree.edges["q"][edges] + 0.8 / np.sqrt(1 + visits) * inside, 0.0)
        softmax = np.exp((q - q.max()) / 1.5)
        share = min(1.0, 0.3 / np.log(visits + 1))
        pi = (1 - share) * softmax / softmax.sum() + share / edges.size
        assert tree.nodes["entropy"][node] == pytest.approx((pi * (inside - np.log(pi))).sum())
    fresh = [n for n in range(tree.used[0]) if tree.nodes["width"][n] == 0]
    assert (tree.nodes["entropy"][fresh] == 0.0).all()


@pytest.mark.parametrize(
    "algorithm",
    [
        Reading(sampled=False).varde(1.5, 0.2),
        LEADING.varde(1.5, 0.2),
        PaperTree(VarDE(LogSumExp(0.7), Floor(0.1), 3), 1.4, False),
    ],
)
def test_varde_scores(algorithm):
    search = grown(algorithm)
    tree, rule = search.tree, algorithm.rule
    for node in inner_nodes(tree):
        edges = edges_of(tree, node)
        for edge in edges[tree.edges["count"][edges] > 0]:
            n = tree.edges["count"][edge]
            score = tree.edges["score"][edge]
            if n < rule.warm_start:
                assert score == np.inf
                continue
            squares = tree.edges["squares"][edge]
            least, ddof = rule.noise
            variance = max(squares / (n - ddof) if n > ddof else 0.0, least)
            printed = algorithm.power * tree.edges["q"][edge] / rule.decision.temperature + np.log(
                variance / (n * (n + 1))
            )
            assert score == pytest.approx(printed)
            if algorithm.mean_value:
                assert tree.edges["q"][edge] == tree.edges["returns"][edge]


def test_with_n_less_1_every_action_is_taken_twice_first():
    search = grown(LEADING.varde(1.5, 0.2), trials=2 * 3)
    assert search.tree.edges["count"][edges_of(search.tree, 0)].tolist() == [2, 2, 2]


def test_uct_means_and_choice():
    algorithm = UCT(0.7)
    search = grown(algorithm, trials=300)
    tree, rng = search.tree, stream(key(0, "choice"))
    edges = edges_of(tree, 0)
    edges = edges[np.argsort(tree.edges["action"][edges])]
    means, counts = tree.edges["q"][edges].copy(), tree.edges["count"][edges].copy()
    assert tree.nodes["value"][0] == pytest.approx((means * counts).sum() / counts.sum())
    bounds = means + 0.7 * np.sqrt(np.log(301) / counts)
    search.run(1, rng)
    assert tree.edges["count"][edges].tolist() == (counts + (bounds == bounds.max())).tolist()
