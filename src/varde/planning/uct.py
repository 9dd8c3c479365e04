"""UCT (Kocsis and Szepesvari 2006)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper
from ..check import problem_with
from ..random import integer, uniform
from .expected import best_or_most_visited
from .tree import NONE, fewest_pending, open_edge, samples_soon
from .trial import columns, recommend, select, update

AUTO = -1.0


class UCT(NamedTuple):
    """Upper confidence bounds in trees: the highest mean(a) + bias sqrt(ln N / N(a)), untried actions first.

    With probability ``epsilon`` a random action is taken.  ``bias=AUTO`` (-1) takes the largest absolute mean of the
    node, at least 0.001.  The answer is the action taken most often, or the one with the highest mean.
    """

    bias: float = AUTO
    epsilon: float = 0.0
    recommend_visits: bool = True


@columns.of(UCT)
def uct_columns(algorithm):
    return ("value",), ("q",)  # mean return


@select.of(UCT)
def highest_bound(algorithm, memory, tree, trials, t, node, depth, rng):
    width, tried, first, edges = tree.nodes.width[node], tree.nodes.tried[node], tree.nodes.first[node], tree.edges
    if algorithm.epsilon > 0.0 and uniform(rng) < algorithm.epsilon:
        return any_edge(tree, node, rng)
    if tried < width:
        return open_edge(tree, node, rng)
    bias = algorithm.bias
    if bias < 0.0:
        bias = 0.001
        for edge in range(first, first + tried):
            bias = max(bias, abs(edges.q[edge]))
    bias *= math.sqrt(math.log(tree.nodes.visits[node] + 1.0))
    best, chosen, ties = -np.inf, NONE, 1
    for edge in range(first, first + tried):
        if edges.count[edge] == 0:
            continue
        bound = edges.q[edge] + bias / math.sqrt(samples_soon(tree, edge))
        if bound > best:
            best, chosen, ties = bound, edge, 1
        elif bound == best:
            ties += 1
            chosen = edge if integer(ties, rng) == 0 else chosen
    return chosen if chosen != NONE else fewest_pending(tree, node)


@helper
def any_edge(tree, node, rng):
    """Any action, tried or not."""
    drawn = integer(tree.nodes.width[node], rng)
    return tree.nodes.first[node] + drawn if drawn < tree.nodes.tried[node] else open_edge(tree, node, rng)


@update.of(UCT)
def average_returns(algorithm, memory, tree, node, edge, depth, gain, settings):
    tree.edges.q[edge] += (gain - tree.edges.q[edge]) / tree.edges.count[edge]
    tree.nodes.value[node] += (gain - tree.nodes.value[node]) / tree.nodes.visits[node]


recommend.of(UCT)(best_or_most_visited)


@problem_with.of(UCT)
def uct_problem(algorithm):
    if not (algorithm.bias == AUTO or 0.0 <= algorithm.bias < np.inf):
        return f"bias is {algorithm.bias}: write a number, zero or more, or -1 to take it from the returns"
    if not 0.0 <= algorithm.epsilon <= 1.0:
        return f"epsilon is {algorithm.epsilon}: write a probability"
    return ""
