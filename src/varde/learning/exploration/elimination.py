"""Up to 64 states: a full matrix.  Elimination skips zeros, so that a river of S states costs S^2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ...worlds.solve import eliminate, substitute
from .solver import solve, solve_again

MOST = 64  # states; with more, sparse iterations are cheaper


class Full(NamedTuple):
    matrix: np.ndarray  # [N, N] I - g P


@helper(apart=True)
def fill_matrix(matrix, rows, size, discount):
    """I - g P; states not visited yet are decoupled."""
    for s in range(matrix.shape[0]):
        row = matrix[s]
        for t in range(row.size):
            row[t] = 0.0
        row[s] = 1.0
        if s < size:
            for k in range(rows.first[s], rows.first[s + 1]):
                row[rows.to[k]] -= discount * rows.share[k]


@solve.of(Full)
def solve_exactly(system, rows, size, discount, x, b, tolerance, most):
    fill_matrix(system.matrix, rows, size, discount)
    take_right_side(x, b, size)
    eliminate(system.matrix, x)
    return 0.0


@solve_again.of(Full)
def solve_factorised(system, rows, size, discount, x, b, tolerance, most):
    take_right_side(x, b, size)
    substitute(system.matrix, x)
    return 0.0


@helper
def take_right_side(x, b, size):
    for s in range(x.size):
        x[s] = b[s] if s < size else 0.0
