"""Q as the paper backs it up: the expected reward of an edge, and the values of where it led."""

from __future__ import annotations

import math

from .._compile import helper
from .tree import NONE, best_edge


@helper
def edge_value(tree, node, edge, sampled, discount):
    """E[r] + discount sum_k N(e, k) / N(e) V(child k), for the player who moves at ``node``.

    The expected reward is that of a table, or with ``sampled`` the mean of those seen, as in a world that does not know
    it.  A table knows the reward with each successor, so that what is sampled there is the successor.
    """
    nodes, outcomes, sign, expected = tree.nodes, tree.outcomes, tree.nodes.sign[node], tree.edges.expected[edge]
    listed = not sampled and not math.isnan(expected)
    total, outcome = 0.0, tree.edges.outcome[edge]
    while outcome != NONE:
        child = outcomes.child[outcome]
        value = nodes.value[child] if nodes.sign[child] == sign else -nodes.value[child]
        value = discount * value if listed else sign * outcomes.reward[outcome] + discount * value
        total += outcomes.times[outcome] * value
        outcome = outcomes.next[outcome]
    total /= tree.edges.drawn[edge]
    return sign * expected + total if listed else total


def keep_expected(algorithm, tree, edge, mean, label):
    """A case of ``on_new_edge``."""
    tree.edges.expected[edge] = mean


def best_or_most_visited(algorithm, tree, node, rng):
    """A case of ``recommend``, for algorithms with the setting ``recommend_visits``."""
    if algorithm.recommend_visits:
        return best_edge(tree, node, tree.edges.count, rng)
    return best_edge(tree, node, tree.edges.q, rng)
