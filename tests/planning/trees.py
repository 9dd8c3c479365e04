"""What the tests of searches share."""

import numpy as np


def same_tree(a, b):
    assert a.used.tolist() == b.used.tolist()
    for name, used in zip(("nodes", "edges", "outcomes"), a.used, strict=False):
        first, second = getattr(a, name)[:used], getattr(b, name)[:used]
        assert first.dtype == second.dtype
        for field in first.dtype.names:
            assert np.array_equal(first[field], second[field]), (name, field)


def inner_nodes(tree):
    """Nodes that were backed up, children before parents (in a tree children are made later)."""
    return np.flatnonzero(tree.nodes["tried"][: tree.used[0]] > 0)[::-1].tolist()


def edges_of(tree, node):
    first = tree.nodes["first"][node]
    return np.arange(first, first + tree.nodes["made"][node])


def outcomes_of(tree, edge):
    """The rows of the outcomes of an edge."""
    found, outcome = [], tree.edges["outcome"][edge]
    while outcome:
        found.append(outcome)
        outcome = tree.outcomes["next"][outcome]
    return tree.outcomes[found]


def children(tree, edge):
    """(child, share) of every outcome of an edge."""
    rows = outcomes_of(tree, edge)
    return list(zip(rows["child"].tolist(), (rows["times"] / rows["times"].sum()).tolist(), strict=True))


def backed_up_q(search, edge, column="value"):
    """Q(e) from the successors: every outcome brings its own reward."""
    rows, nodes = outcomes_of(search.tree, edge), search.tree.nodes
    below = rows["reward"] + search.settings.discount * nodes[column][rows["child"]]
    return (rows["times"] * below).sum() / rows["times"].sum()
