"""UCT (Kocsis and Szepesvari 2006)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..check import problem_with
from ..random import below, uniform
from .loop import back_up, best_or_most_visited, columns, lazy, recommend, select
from .tree import samples_soon, untried

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
def highest_bound(algorithm, memory, problem, tree, lane, node, depth, rng):
    width, first, edges = tree.nodes.width[node], tree.nodes.first[node], tree.edges
    if algorithm.epsilon > 0.0 and uniform(rng) < algorithm.epsilon:
        return below(width, rng)
    if tree.nodes.tried[node] < width:
        return untried(problem, tree, node, rng)
    bias = algorithm.bias
    if bias < 0.0:
        bias = 0.001
        for edge in range(first, first + width):
            bias = max(bias, abs(edges.q[edge]))
    bias *= math.sqrt(math.log(tree.nodes.visits[node] + 1.0))
    best, chosen, ties = -np.inf, 0, 1
    for action in range(width):
        bound = edges.q[first + action] + bias / math.sqrt(samples_soon(tree, first + action))
        if bound > best:
            best, chosen, ties = bound, action, 1
        elif bound == best:
            ties += 1
            chosen = action if below(ties, rng) == 0 else chosen
    return chosen


@back_up.of(UCT)
def average_returns(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    tree.edges.q[edge] += (gain - tree.edges.q[edge]) / tree.edges.count[edge]
    tree.nodes.value[node] += (gain - tree.nodes.value[node]) / tree.nodes.visits[node]


@lazy.of(UCT)
def one_edge_will_do(algorithm):
    return True


recommend.of(UCT)(best_or_most_visited)


@problem_with.of(UCT)
def uct_problem(algorithm):
    if not (algorithm.bias == AUTO or 0.0 <= algorithm.bias < np.inf):
        return f"bias is {algorithm.bias}: write a number, zero or more, or -1 to take it from the returns"
    if not 0.0 <= algorithm.epsilon <= 1.0:
        return f"epsilon is {algorithm.epsilon}: write a probability"
    return ""
