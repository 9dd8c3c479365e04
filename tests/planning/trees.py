"""What the tests of searches share."""

import numpy as np

from varde.planning.tree import CHILD, COUNT, EDGES, NEXT, OUTCOMES, STATE, TIMES, TRIED, VALUE, WIDTH, first_action
from varde.worlds.table import expected_reward


def same_tree(a, b):
    nodes, edges, outcomes = a.used
    assert a.used.tolist() == b.used.tolist()
    for name, used in (("node", nodes), ("values", nodes), ("edge", edges), ("scores", edges)):
        assert np.array_equal(getattr(a, name)[:used], getattr(b, name)[:used]), name
    assert np.array_equal(a.outcome[1:outcomes], b.outcome[1:outcomes])


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
    reward = expected_reward(
        search.problem, tree.node[node, STATE], edge - tree.node[node, EDGES] + first_action(tree, node)
    )
    return reward + search.settings.discount * sum(p * tree.values[c, column] for c, p in children(tree, edge))
