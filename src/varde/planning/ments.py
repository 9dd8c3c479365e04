"""MENTS (Xiao et al. 2019): maximum-entropy tree search, values backed up by log-sum-exp."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..check import problem_with
from .boltzmann import TOP, TOTAL, boltzmann_problem, enter_value, equal_start, mixed_draw, reweigh
from .search import back_up, columns, select, welcome
from .tree import VALUE


class MENTS(NamedTuple):
    """V = tau ln sum_a exp(q(a) / tau) over all actions, untried ones at ``default``; pi the mixed softmax of q."""

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False


@columns.of(MENTS)
def ments_columns(algorithm):
    return 3, 2


@welcome.of(MENTS)
def ments_node(algorithm, tree, node):
    equal_start(algorithm, tree, node)


@select.of(MENTS)
def soft_choice(algorithm, problem, tree, path, node, depth, rng):
    return mixed_draw(algorithm, tree, node, rng)


@back_up.of(MENTS)
def soft_value(algorithm, problem, tree, path, node, edge, depth, gain, discount):
    enter_value(problem, tree, node, edge, discount)
    reweigh(algorithm, tree, node, edge)
    tree.values[node, VALUE] = tree.values[node, TOP] + algorithm.temperature * math.log(tree.values[node, TOTAL])


@problem_with.of(MENTS)
def ments_problem(algorithm):
    return boltzmann_problem(algorithm)
