"""Code shared by MENTS, RENTS, TENTS, DENTS and BTS: actions drawn from a softmax of Q.

    pi(a) = (1 - lambda) soft(q / tau)(a) + lambda / k,     lambda = min(1, epsilon / ln(N + 1))

with q(a) = Q(a) where tried and ``default`` elsewhere.  Weights exp((q - top) / tau) are kept with the edges: a
trial changes one Q of a node, so it costs one exponential.  ``top`` follows the largest q only when the weights
would lose precision, since any number near it will do.  Each of the five uses the cases here for which it has none of
its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper, verb
from ..check import unless_positive
from ..random import below, roulette, uniform
from .tree import EDGES, VALUE, VISITS, WIDTH, Q, edge_value

FAR = 20.0  # temperatures that q may rise above top before it is moved


class Node(NamedTuple):
    """Columns of a node."""

    value: int = VALUE
    top: int = 1  # where weights are measured from
    total: int = 2  # their sum
    entropy: int = 3  # DENTS alone


class Edge(NamedTuple):
    """Columns of an edge."""

    q: int = Q
    weight: int = 1  # exp((q - top) / tau)
    entropy: int = 2  # DENTS alone


NODE, EDGE = Node(), Edge()


@verb(fallback=True)
def level(algorithm, tree, edge, visits):
    """q(a): what the weight of an edge is made from."""
    return tree.scores[edge, Q]


@helper
def mixing(algorithm, tree, node, visits):
    """lambda: the share of uniform choices; ``per_action`` multiplies epsilon by the number of actions."""
    share = algorithm.epsilon * (tree.node[node, WIDTH] if algorithm.per_action else 1.0)
    return min(1.0, share / math.log(visits + 1.0))


def boltzmann_columns(algorithm):
    """``columns`` of all but DENTS."""
    return NODE[:3], EDGE[:2]


@helper
def equal_start(algorithm, memory, tree, node, depth):
    """``welcome``: every q is the default, every weight 1."""
    first, width = tree.node[node, EDGES], tree.node[node, WIDTH]
    for edge in range(first, first + width):
        tree.scores[edge, Q] = algorithm.default
        tree.scores[edge, EDGE.weight] = 1.0
    tree.values[node, NODE.top] = algorithm.default
    tree.values[node, NODE.total] = width


@helper
def draw(tree, node, rng):
    """An action with probability proportional to its weight."""
    first, stop = tree.node[node, EDGES], tree.node[node, EDGES] + tree.node[node, WIDTH]
    return roulette(tree.scores[first:stop, EDGE.weight], tree.values[node, NODE.total], rng)


@helper
def mixed_draw(algorithm, memory, problem, tree, lane, node, depth, rng):
    """``select``: an action from pi."""
    if uniform(rng) < mixing(algorithm, tree, node, tree.node[node, VISITS] + 1):
        return below(tree.node[node, WIDTH], rng)
    return draw(tree, node, rng)


@helper
def enter_value(problem, tree, node, edge, discount):
    """Q(e) from the successors seen."""
    tree.scores[edge, Q] = edge_value(problem, tree, node, edge, discount)


@helper
def reweigh(algorithm, tree, node, edge):
    """Refresh the weight of ``edge`` and the total; all weights if ``top`` no longer serves."""
    rise = (tree.scores[edge, Q] - tree.values[node, NODE.top]) / algorithm.temperature
    if rise > FAR:
        weigh_all(algorithm, tree, node, tree.node[node, VISITS])
        return
    tree.scores[edge, EDGE.weight] = math.exp(rise)
    total, first = 0.0, tree.node[node, EDGES]
    for other in range(first, first + tree.node[node, WIDTH]):
        total += tree.scores[other, EDGE.weight]
    tree.values[node, NODE.total] = total
    if total < 1e-6:
        weigh_all(algorithm, tree, node, tree.node[node, VISITS])


@helper
def weigh_all(algorithm, tree, node, visits):
    """Recompute every weight, relative to the largest q."""
    first, width = tree.node[node, EDGES], tree.node[node, WIDTH]
    top, total = -np.inf, 0.0
    for edge in range(first, first + width):
        top = max(top, level(algorithm, tree, edge, visits))
    for edge in range(first, first + width):
        weight = math.exp((level(algorithm, tree, edge, visits) - top) / algorithm.temperature)
        tree.scores[edge, EDGE.weight] = weight
        total += weight
    tree.values[node, NODE.top] = top
    tree.values[node, NODE.total] = total


def boltzmann_problem(algorithm):
    """``problem_with`` for the family: what can be wrong in its settings."""
    if not 0.0 <= algorithm.epsilon < np.inf:
        return f"epsilon is {algorithm.epsilon}: write a number, zero or more, such as 0.5"
    if not np.isfinite(algorithm.default):
        return f"default is {algorithm.default}: write the finite Q of an action never tried, such as 0.0"
    return unless_positive("temperature", algorithm.temperature, "1.0")
