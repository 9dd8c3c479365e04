"""MENTS (Xiao et al. 2019): maximum-entropy tree search, values backed up by log-sum-exp."""

from __future__ import annotations

import math
from typing import NamedTuple

from ..check import problem_with
from .boltzmann import NODE, boltzmann_columns, boltzmann_problem, enter_value, equal_start, mixed_draw, reweigh
from .loop import back_up, columns, select, welcome
from .tree import VALUE


class MENTS(NamedTuple):
    """Maximum entropy: V = tau ln sum_a exp(q(a) / tau), untried actions at ``default``; pi mixed softmax of q."""

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False


columns.of(MENTS)(boltzmann_columns)
welcome.of(MENTS)(equal_start)
select.of(MENTS)(mixed_draw)
problem_with.of(MENTS)(boltzmann_problem)


@back_up.of(MENTS)
def soft_value(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    enter_value(problem, tree, node, edge, discount)
    reweigh(algorithm, tree, node, edge)
    top, total = tree.values[node, NODE.top], tree.values[node, NODE.total]
    tree.values[node, VALUE] = top + algorithm.temperature * math.log(total)
