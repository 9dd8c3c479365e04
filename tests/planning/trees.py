"""What the tests of searches share."""

import numpy as np

from varde.planning.tree import CHILD, COUNT, EDGES, NEXT, OUTCOMES, STATE, TIMES, TRIED, VALUE, WIDTH, first_action
from varde.worlds.table import expected_reward, tabulate


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


def lock(length, keys, cost=0.0, seed=0):
    """A door of ``length`` digits: one wrong digit and one begins again; each right one costs a little."""
    right = np.random.default_rng(seed).integers(keys, size=length)

    def moves(place):
        if place == length:
            return {}
        paid = 1.0 if place == length - 1 else -cost
        return {a: [(1.0, place + 1, paid)] if a == right[place] else [(1.0, 0, 0.0)] for a in range(keys)}

    return tabulate(moves, 0)


def deep_sea(size, seed=0):
    """Down a square, always to the right if one wants the treasure, which costs a little at each step."""
    right = np.random.default_rng(seed).integers(2, size=(size, size))

    def moves(place):
        row, column = place
        if row == size:
            return {}
        paid = (1.0 if row == column == size - 1 else 0.0) - 0.01 / size
        ways = [(1.0, (row + 1, max(column - 1, 0)), 0.0)], [(1.0, (row + 1, min(column + 1, size - 1)), paid)]
        return {a: ways[int(a == right[row, column])] for a in range(2)}

    return tabulate(moves, (0, 0))
