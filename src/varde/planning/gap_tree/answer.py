"""The recommendation and the reported value at the end of a search."""

from __future__ import annotations

import numpy as np

from ...decisions import Gaps
from ...decisions.decision import weigh
from ..loop import hoped_value, known_share, reported_value, return_variance, value_variance
from ..tree import EDGES, VALUE, VISITS, WIDTH
from .edges import Edges
from .levels import known_steps
from .records import EDGE, NODE, ROOT_FOCUS, GapTree


@value_variance.of(GapTree)
def propagated_variance(algorithm, tree, edge):
    return tree.scores[edge, EDGE.variance]


@hoped_value.of(GapTree)
def hope_of_edge(algorithm, tree, edge):
    return tree.scores[edge, EDGE.hope]


@known_share.of(GapTree)
def share_of_known_steps(algorithm, memory, tree):
    return known_steps(memory, tree)


@return_variance.of(GapTree)
def variance_at_node(algorithm, tree, node):
    return tree.values[node, NODE.squares] / max(tree.node[node, VISITS] - 1.0, 1.0)


@reported_value.of(GapTree)
def mild_value(algorithm, tree):
    """The value of the root from the weights exp(-2 z); runs in Python."""
    if not algorithm.report:
        return tree.values[0, VALUE]
    first, width = int(tree.node[0, EDGES]), int(tree.node[0, WIDTH])
    weights = np.zeros(width)
    weigh(Gaps(ROOT_FOCUS, False), Edges(tree, first, width, algorithm.rule.noise, 0.0), weights)
    return float(weights @ tree.scores[first : first + width, EDGE.report] / weights.sum())
