"""DENTS (Painter et al. 2023): an entropy bonus that decays with the visits, beside values backed up by the maximum."""

from __future__ import annotations

import math
from typing import NamedTuple

from .._compile import helper
from ..check import problem_with
from .boltzmann import EDGE, NODE, boltzmann_problem, enter_value, equal_start, level, mixed_draw, mixing, weigh_all
from .loop import back_up, columns, select, welcome
from .tree import CHILD, COUNT, EDGES, NEXT, NONE, OUTCOMES, TIMES, TRIED, VISITS, WIDTH, Q, draws, raise_value

LEAST_BONUS = 1e-6


class DENTS(NamedTuple):
    """Decaying entropy: pi is the mixed softmax of q(a) = Q(a) + beta(N) H(a), with beta(N) = bonus / sqrt(1 + N).

    Q and V are as in BTS.  H(a) is the mean entropy of the successors, H(n) = sum_a pi(a) (H(a) - ln pi(a)), ln k when
    new.
    """

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False
    bonus: float = 1.0


@columns.of(DENTS)
def dents_columns(algorithm):
    return NODE, EDGE


@welcome.of(DENTS)
def dents_node(algorithm, memory, tree, node, depth):
    equal_start(algorithm, memory, tree, node, depth)
    width = tree.node[node, WIDTH]
    tree.values[node, NODE.entropy] = math.log(width) if width > 0 else 0.0


@level.of(DENTS)
def with_bonus(algorithm, tree, edge, visits):
    if tree.edge[edge, COUNT] == 0:
        return algorithm.default
    beta = max(algorithm.bonus / math.sqrt(1.0 + visits), LEAST_BONUS)
    return tree.scores[edge, Q] + beta * tree.scores[edge, EDGE.entropy]


@select.of(DENTS)
def choice_with_bonus(algorithm, memory, problem, tree, lane, node, depth, rng):
    if tree.node[node, TRIED] > 0:  # the bonus of every action changes with the visits
        weigh_all(algorithm, tree, node, tree.node[node, VISITS] + 1)
    return mixed_draw(algorithm, memory, problem, tree, lane, node, depth, rng)


@helper
def successors_entropy(tree, edge):
    """sum_k N(e, k) / N(e) H(child k)."""
    total, outcome = 0.0, tree.edge[edge, OUTCOMES]
    while outcome != NONE:
        total += tree.outcome[outcome, TIMES] * tree.values[tree.outcome[outcome, CHILD], NODE.entropy]
        outcome = tree.outcome[outcome, NEXT]
    return total / draws(tree, edge)


@back_up.of(DENTS)
def value_and_entropy(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    before = tree.scores[edge, Q]
    enter_value(problem, tree, node, edge, discount)
    tree.scores[edge, EDGE.entropy] = successors_entropy(tree, edge)
    raise_value(tree, node, before, tree.scores[edge, Q], tree.edge[edge, COUNT] == 1)
    visits = tree.node[node, VISITS]
    weigh_all(algorithm, tree, node, visits)
    first, width = tree.node[node, EDGES], tree.node[node, WIDTH]
    share, total, entropy = mixing(algorithm, tree, node, visits), tree.values[node, NODE.total], 0.0
    for other in range(first, first + width):
        chance = (1.0 - share) * tree.scores[other, EDGE.weight] / total + share / width
        entropy += chance * (tree.scores[other, EDGE.entropy] - math.log(chance)) if chance > 0.0 else 0.0
    tree.values[node, NODE.entropy] = entropy


@problem_with.of(DENTS)
def dents_problem(algorithm):
    if not 0.0 <= algorithm.bonus < math.inf:
        return f"bonus is {algorithm.bonus}: write a number, zero or more, such as 1.0"
    return boltzmann_problem(algorithm)
