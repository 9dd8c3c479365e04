"""BTS (Painter et al. 2023): Boltzmann tree search, values backed up by the maximum."""

from __future__ import annotations

from typing import NamedTuple

from ..check import problem_with
from .boltzmann import boltzmann_columns, boltzmann_problem, enter_value, equal_start, mixed_draw, reweigh
from .loop import back_up, columns, select, welcome
from .tree import COUNT, Q, raise_value


class BTS(NamedTuple):
    """Boltzmann tree search: pi as in MENTS; V = max over tried actions of Q."""

    temperature: float = 1.0
    epsilon: float = 0.5
    default: float = 0.0
    per_action: bool = False


columns.of(BTS)(boltzmann_columns)
welcome.of(BTS)(equal_start)
select.of(BTS)(mixed_draw)
problem_with.of(BTS)(boltzmann_problem)


@back_up.of(BTS)
def highest_value(algorithm, memory, problem, tree, lane, node, edge, depth, gain, discount):
    before = tree.scores[edge, Q]
    enter_value(problem, tree, node, edge, discount)
    reweigh(algorithm, tree, node, edge)
    raise_value(tree, node, before, tree.scores[edge, Q], tree.edge[edge, COUNT] == 1)
