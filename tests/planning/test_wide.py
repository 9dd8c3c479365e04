"""Outcomes that never repeat: old ones are followed, and count as what they are; where outcomes repeat none is."""

import numpy as np
import pytest

from varde import SimulationError, VarDE
from varde._compile import in_python
from varde.planning import UCT, GapTree
from varde.planning.asking import AskingSearch
from varde.planning.trial import beliefs
from varde.planning.workers import Workers
from varde.random import key, stream
from varde.worlds.discovered import Discovered

VARDE = VarDE()


def drift(x, action, rng):
    """A walk on a line; what is paid depends on where it led."""
    to = x + action + rng.standard_normal()
    return to, -abs(to)


def searched(step, trials, start=0.3, algorithm=VARDE, horizon=6, **options):
    known = Discovered([-1, 0, 1])
    search = AskingSearch(algorithm, known, start, horizon, 1.0, stream(key(1, "wide")), graph=True, **options)
    search.run_steps(trials, step, np.random.default_rng(0))
    return search


def chain(tree, edge):
    outcome = tree.edges["outcome"][edge]
    while outcome != 0:
        yield outcome
        outcome = tree.outcomes["next"][outcome]


@pytest.mark.parametrize("successors", [1, 3, 50])
def test_nothing_is_followed_where_outcomes_repeat(successors):
    search = searched(lambda s, a, rng: (int(rng.integers(successors)), float(s)), 600, start=0)
    edges = search.tree.used[1]
    assert np.array_equal(search.tree.edges["drawn"][:edges], search.tree.edges["count"][:edges])


@pytest.mark.parametrize("algorithm", [VarDE(), UCT()], ids=str)
def test_outcomes_seen_before_are_followed_where_none_repeats(algorithm):
    paid = {}

    def step(x, action, rng):
        to, reward = drift(x, action, rng)
        paid[to] = reward
        return to, reward

    search = searched(step, 1500, algorithm=algorithm)
    tree, (nodes, edges, outcomes, *_) = search.tree, search.tree.used
    assert len(paid) == len(search.known.states) - 1 == tree.edges["drawn"][:edges].sum() < 6 * 1500 - 500
    for edge in range(edges):
        found = list(chain(tree, edge))
        assert tree.edges["drawn"][edge] == tree.outcomes["times"][found].sum() <= tree.edges["count"][edge]
        assert tree.edges["drawn"][edge] == min(tree.edges["count"][edge], tree.edges["drawn"][edge])
    for outcome in range(1, outcomes):
        assert tree.outcomes["reward"][outcome] == paid[search.known.states[tree.outcomes["successor"][outcome]]]
        child = tree.outcomes["child"][outcome]
        assert tree.nodes["visits"][child] >= tree.outcomes["times"][outcome] == 1
    for node in range(nodes):
        if tree.nodes["width"][node] > 0:
            taken = tree.edges["count"][search.edges(node)].sum()
            assert taken == tree.nodes["visits"][node] or taken == 0  # at the horizon nothing is taken


def test_of_n_trials_through_an_edge_n_to_three_quarters_see_something_new():
    search = searched(drift, 3000)
    edges = search.tree.used[1]
    counts, drawn = search.tree.edges["count"][:edges], search.tree.edges["drawn"][:edges]
    many = counts >= 100
    assert many.sum() >= 2
    assert 0.9 < np.median(drawn[many] / counts[many] ** 0.75) < 1.1


def test_an_action_that_always_leads_to_the_same_state_hides_nothing():
    search = searched(lambda x, a, rng: (x, 0.0) if a == 0 else drift(x, a, rng), 1500)
    assert search.tree.edges["drawn"][search.edges()].sum() < 400


def test_followed_outcomes_are_no_new_samples_in_the_variance():
    search = searched(drift, 1500, algorithm=GapTree())
    tree, found, level = search.tree, 0, search.memory.level[0]
    usual = max(level["noise"] / level["noises"], 0.0)
    variances = beliefs(search.algorithm, in_python(search.memory), search.view, 0).variances
    for edge in range(search.edges().start, search.edges().stop):
        k, n = list(chain(tree, edge)), int(tree.edges["drawn"][edge])
        children = tree.outcomes["child"][k]
        gains = tree.outcomes["reward"][k] + tree.nodes["value"][children]
        within = tree.nodes["variance"][children].sum() / n**2
        own = (5 * usual + n * gains.var()) / (5 + n - 1) / n
        place = edge - search.edges().start
        assert variances[place] == pytest.approx(within + own, rel=0.05)  # C_t has learned since
        found += n < tree.edges["count"][edge] / 2
    assert found >= 2  # the third action is hardly taken


@pytest.mark.parametrize("pending", [1, 5])
def test_a_failing_step_leaves_no_trace_where_outcomes_are_followed(pending):
    chance = np.random.default_rng(3)

    def step(state, action, rng):
        if chance.random() < 0.02:
            raise ValueError("no answer")
        return drift(state, action, rng)

    known = Discovered([-1, 1])
    search = AskingSearch(VarDE(), known, 0.0, 5, 1.0, stream(key(1, "wide")), graph=True, pending=pending)
    failures = 0
    while search.trials < 600:
        try:
            with Workers(step, known, 1, (failures,)) as workers:
                search.drive(600 - search.trials, workers)
        except SimulationError:
            failures += 1
        edges = search.tree.used[1]
        assert not search.tree.edges["pending"][:edges].any()
    assert failures > 5 and search.tree.edges["drawn"][search.edges()].sum() < 300
