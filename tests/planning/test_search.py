"""The loop: engines, pool, checkpoints, modes."""

import numpy as np
import pytest

from varde import VarDE
from varde.environments import frozen_lake, synthetic_tree, taxi
from varde.paper.reading import LEADING, Reading
from varde.planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, GapTree, Search, measure
from varde.planning import search as searching
from varde.random import key, stream

from .trees import same_tree

ALGORITHMS = [
    UCT(),
    UCT(2.0, 0.2, recommend_visits=False),
    MENTS(0.2, 0.5),
    RENTS(0.2, 0.5),
    TENTS(0.5, 0.5),
    DENTS(0.5, 0.5),
    BTS(0.5, 0.5),
    Reading(sampled=False).varde(0.5, 0.1),
    LEADING.varde(0.5, 0.1),
    VarDE(),
    GapTree(prior=0.5, bias=0.0, optimism=1.0),
]
MODES = [{}, {"graph": True}, {"keep": False, "discount": 0.9}]
# A graph is another kernel, which takes seconds to compile: the searches that share a file with DENTS grow trees only.
GROWN = [(algorithm, {}) for algorithm in ALGORITHMS]
GROWN += [(algorithm, mode) for algorithm in (UCT(), DENTS(0.5, 0.5), VarDE()) for mode in MODES[1:]]


def search_tree(algorithm, trials, options, problem=None, start=None, horizon=10, engine="compiled"):
    world = taxi()
    search = Search(
        algorithm, problem or world.model, world.start if start is None else start, horizon, engine=engine, **options
    )
    search.run(trials, stream(key(0, "search")))
    return search


@pytest.mark.parametrize(("algorithm", "options"), GROWN, ids=str)
def test_both_engines_grow_the_same_tree(algorithm, options):
    compiled, python = (search_tree(algorithm, 120, options, engine=e) for e in ("compiled", "python"))
    same_tree(compiled.tree, python.tree)


@pytest.mark.parametrize("landing", [False, True])
def test_both_engines_agree_on_synthetic_trees(landing):
    problem = synthetic_tree(5, 3)._replace(credit_landing=landing)
    trees = [search_tree(UCT(0.1), 120, {}, problem, 0, 3, e).tree for e in ("compiled", "python")]
    same_tree(*trees)


@pytest.mark.parametrize("options", MODES, ids=str)
def test_growing_the_pool_changes_nothing(options, monkeypatch):
    roomy = search_tree(VarDE(), 3000, options)
    monkeypatch.setattr(searching, "ROOM", 1)
    tight = search_tree(VarDE(), 3000, options)
    assert len(tight.tree.nodes) < 4 * tight.tree.used[0]
    same_tree(roomy.tree, tight.tree)


@pytest.mark.parametrize("algorithm", [MENTS(), VarDE()], ids=str)
def test_continuing_is_searching(algorithm):
    world = frozen_lake()
    once, twice = (Search(algorithm, world.model, world.start, 10, graph=True) for _ in range(2))
    once.run(700, stream(key(0, "continue")))
    rng = stream(key(0, "continue"))
    for part in (1, 299, 400):
        twice.run(part, rng)
    same_tree(once.tree, twice.tree)
    # And again in the same memory.
    twice.restart()
    assert twice.trials == 0
    twice.run(700, stream(key(0, "continue")))
    same_tree(once.tree, twice.tree)


def test_threads_and_blocks_do_not_change_results():
    world = frozen_lake()
    one = measure(VarDE(), world, 300, horizon=10, runs=7, at=[100], workers=1)
    two = measure(VarDE(), world, 300, horizon=10, runs=7, at=[100], workers=2)
    few = measure(VarDE(), world, 300, horizon=10, runs=3, at=[50, 100])
    assert np.array_equal(one.values, two.values)
    assert np.array_equal(one.values[:3], few.values[:, 1:])


def test_a_graph_has_one_node_per_state_and_depth():
    search = search_tree(VarDE(), 3000, {"graph": True})
    assert search.tree.used[0] <= 51 * 11
    tree = search_tree(VarDE(), 3000, {})
    assert tree.tree.used[0] > 5 * search.tree.used[0]


def test_rollout_mode_adds_two_nodes_a_trial_at_most():
    """The node at which the trial stops, if it is new, and the successor from which random play starts."""
    search = search_tree(Reading(sampled=False).varde(1.0, 1.0), 500, {"keep": False})
    assert 500 < search.tree.used[0] <= 1001
    assert search.tree.nodes["visits"][0] == 500


def test_landing_credit_gives_an_edge_one_outcome():
    problem = synthetic_tree(5, 2)._replace(credit_landing=True)
    search = search_tree(UCT(0.1), 400, {}, problem, 0, 2)
    assert search.tree.used[2] == search.tree.used[0]  # every node but the root is the one outcome of an edge


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda w: Search(UCT(), w.model, 0, 0), ValueError, "horizon is 0"),
        (lambda w: Search(UCT(), w.model, 0, 5, 0.0), ValueError, "discount is 0.0"),
        (lambda w: Search(UCT(), w.model, 0, 5, 1.1), ValueError, "discount is 1.1"),
        (lambda w: Search(UCT(), w.model, 999, 5), ValueError, "start is 999"),
        (lambda w: Search(UCT(), w.model, w.state("delivered"), 5), ValueError, "has no actions"),
        (lambda w: Search("UCT", w.model, 0, 5), TypeError, "write a record"),
        (lambda w: Search(UCT(-3.0), w.model, 0, 5), ValueError, "UCT: bias is -3.0"),
        (lambda w: Search(MENTS(0.0), w.model, 0, 5), ValueError, "MENTS: temperature is 0.0"),
        (lambda w: Search(DENTS(bonus=-1), w.model, 0, 5), ValueError, "DENTS: bonus is -1"),
        (lambda w: Search(Reading(sampled=False).varde(0.1, 0.0), w.model, 0, 5), ValueError, "least is 0.0"),
        (lambda w: Search(GapTree(optimism=-1.0), w.model, 0, 5), ValueError, "optimism is -1.0"),
        (lambda w: Search(UCT(), w.model, 0, 5, engine="fast"), ValueError, "engine is 'fast'"),
        (lambda w: measure(UCT(), w.model, 5, horizon=3), TypeError, "write a Table"),
        (lambda w: measure(UCT(), w, 0, horizon=3), ValueError, "budget is 0"),
        (lambda w: measure(UCT(), w, 5, horizon=3, at=[9]), ValueError, "at.0. is 9"),
        (lambda w: measure(UCT(), w, 5, horizon=3, runs=0), ValueError, "runs is 0"),
    ],
)
def test_bad_input_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(taxi())
