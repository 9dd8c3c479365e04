"""Up to 64 states: a full matrix.  Elimination skips zeros, so that a river of S states costs S^2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ...worlds.solve import eliminate
from .solver import solve

MOST = 64  # states; with more, sparse iterations are cheaper


class Full(NamedTuple):
    matrix: np.ndarray  # [N, N] I - g P


@helper(apart=True)
def fill_matrix(matrix, rows, size, discount):
    """I - g P; states that were not met yet stand by themselves."""
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
    for s in range(x.size):
        x[s] = b[s] if s < size else 0.0
    eliminate(system.matrix, x)
    return 0.0
