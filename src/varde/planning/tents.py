"""TENTS (Dam et al. 2021): Tsallis entropy, so that poor actions get probability 0."""

from __future__ import annotations

from typing import NamedTuple

from ..arrays import largest
from ..check import problem_with
from ..decisions import project
from .boltzmann import EDGE, NODE, boltzmann_columns, boltzmann_problem, enter_value, equal_start, mixed_draw
from .loop import back_up, columns, select, welcome
from .tree import EDGES, VALUE, WIDTH, Q


class TENTS(NamedTuple):
    """Tsallis entropy: pi is the mixed sparsemax of x = q / tau, the nearest point of the simplex, (x(a) - theta)+.

    V = tau [1/2 + sum_K (x(a)^2 - theta^2) / 2] with K the actions of positive weight, measured from the largest x.
    """

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False


columns.of(TENTS)(boltzmann_columns)
welcome.of(TENTS)(equal_start)
select.of(TENTS)(mixed_draw)
problem_with.of(TENTS)(boltzmann_problem)


@back_up.of(TENTS)
def sparse_value(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    enter_value(problem, tree, node, edge, discount)
    first, stop = tree.node[node, EDGES], tree.node[node, EDGES] + tree.node[node, WIDTH]
    values, weights = tree.scores[first:stop, Q], tree.scores[first:stop, EDGE.weight]
    project(values, 1.0 / algorithm.temperature, weights)
    top, total, squares, kept = largest(values), 0.0, 0.0, 0
    for i in range(values.size):
        if weights[i] > 0.0:
            x = (values[i] - top) / algorithm.temperature
            total += x
            squares += x * x
            kept += 1
    theta = (total - 1.0) / kept
    tree.values[node, NODE.total] = 1.0
    tree.values[node, VALUE] = top + algorithm.temperature * 0.5 * (1.0 + squares - kept * theta * theta)
