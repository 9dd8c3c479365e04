"""Few states: full matrices, everything exact.  Elimination skips zeros, so that a river of S states costs S^2."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ...worlds.solve import eliminate, invert
from .chart import STATES
from .solver import begin_causes, begin_errors, cause, gap_error, returns_factor, solve

MOST = 64  # states; with more, sparse iterations are cheaper


class Near(NamedTuple):
    matrix: np.ndarray  # [N, N] I - g P
    inverse: np.ndarray  # [N, N]
    errors: np.ndarray  # [N]
    influence: np.ndarray  # [N] I_j
    causes: np.ndarray  # [N]


def make_near(size: int) -> Near:
    return Near(np.zeros((size, size)), np.zeros((size, size)), np.zeros(size), np.zeros(size), np.zeros(size))


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


@solve.of(Near)
def solve_exactly(solver, rows, size, discount, x, b, tolerance, most):
    fill_matrix(solver.matrix, rows, size, discount)
    for s in range(x.size):
        x[s] = b[s] if s < size else 0.0
    eliminate(solver.matrix, x)
    return 0.0


@begin_errors.of(Near)
def invert_matrix(solver, rows, size, discount, errors, rng):
    fill_matrix(solver.matrix, rows, size, discount)
    invert(solver.matrix, solver.inverse)
    for s in range(errors.size):
        solver.errors[s] = errors[s] if s < size else 0.0


@helper
def fill_influence(solver, chart, s, p, discount):
    """I_j = (unit_s - g P(.|p)) M."""
    influence, source = solver.influence, solver.inverse[s]
    for x in range(influence.size):
        influence[x] = source[x]
    for k in range(chart.rows[p], chart.rows[p + 1]):
        source, factor = solver.inverse[chart.to[k]], discount * chart.share[k]
        for x in range(influence.size):
            influence[x] -= factor * source[x]


@gap_error.of(Near)
def error_by_influence(solver, chart, s, p, discount):
    fill_influence(solver, chart, s, p, discount)
    total, influence, errors = 0.0, solver.influence, solver.errors
    for x in range(influence.size):
        total += influence[x] * influence[x] * errors[x]
    return total


@returns_factor.of(Near)
def returns_by_inverse(solver, chart, policy, s, p, discount):
    back = 0.0
    for k in range(chart.rows[p], chart.rows[p + 1]):
        back += chart.share[k] * solver.inverse[chart.to[k], s]
    left = 1.0 - discount * back / solver.inverse[s, s]
    return 1.0 / (left if left > 1e-9 else 1e-9)


@begin_causes.of(Near)
def add_influences(solver, chart, rows, policy, weights, size, discount, rng):
    influence, causes = solver.influence, solver.causes
    for x in range(causes.size):
        causes[x] = 0.0
    for s in range(1, chart.size[STATES]):
        for p in range(chart.first[s], chart.first[s + 1]):
            weight = weights[p]
            if weight > 1e-30:
                fill_influence(solver, chart, s, p, discount)
                for x in range(causes.size):
                    causes[x] += weight * influence[x] * influence[x]


@cause.of(Near)
def summed_cause(solver, s):
    return solver.causes[s]
