"""Few states: exact, by the inverse matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ...worlds.solve import invert
from .elimination import Full, fill_matrix
from .model import STATES
from .solver import begin_causes, begin_errors, cause, gap_error, returns_factor, solve, solve_route

FEW = 16  # states; with more, random probes are as good, and their noise prevents premature plans


class ByInverse(NamedTuple):
    system: Full
    inverse: np.ndarray  # [N, N]
    errors: np.ndarray  # [N]
    influence: np.ndarray  # [N] I_j
    causes: np.ndarray  # [N]


def make_inverse(size: int) -> ByInverse:
    return ByInverse(
        Full(np.zeros((size, size))), np.zeros((size, size)), np.zeros(size), np.zeros(size), np.zeros(size)
    )


@solve_route.of(ByInverse)
@solve.of(ByInverse)
def solve_by_elimination(solver, rows, size, discount, x, b, tolerance, most):
    return solve(solver.system, rows, size, discount, x, b, tolerance, most)


@begin_errors.of(ByInverse)
def invert_matrix(solver, memory, discount, rng):
    size = memory.model.size[STATES]
    fill_matrix(solver.system.matrix, memory.rows, size, discount)
    invert(solver.system.matrix, solver.inverse)
    for s in range(solver.errors.size):
        solver.errors[s] = memory.spare[s] if s < size else 0.0


@helper(apart=True)
def fill_influence(solver, model, s, p, discount):
    """I_j = (unit_s - g P(.|p)) M."""
    influence, source = solver.influence, solver.inverse[s]
    for x in range(influence.size):
        influence[x] = source[x]
    for k in range(model.rows[p], model.rows[p + 1]):
        source, factor = solver.inverse[model.to[k]], discount * model.share[k]
        for x in range(influence.size):
            influence[x] -= factor * source[x]


@gap_error.of(ByInverse)
def error_by_influence(solver, model, s, p, discount):
    fill_influence(solver, model, s, p, discount)
    total, influence, errors = 0.0, solver.influence, solver.errors
    for x in range(influence.size):
        total += influence[x] * influence[x] * errors[x]
    return total


@returns_factor.of(ByInverse)
def returns_by_inverse(solver, model, s, p, discount):
    back = 0.0
    for k in range(model.rows[p], model.rows[p + 1]):
        back += model.share[k] * solver.inverse[model.to[k], s]
    left = 1.0 - discount * back / solver.inverse[s, s]
    return 1.0 / (left if left > 1e-9 else 1e-9)


@begin_causes.of(ByInverse)
def add_influences(solver, memory, discount, rng):
    model, weights, influence, causes = memory.model, memory.weights, solver.influence, solver.causes
    for x in range(causes.size):
        causes[x] = 0.0
    for s in range(1, model.size[STATES]):
        for p in range(model.first[s], model.first[s + 1]):
            weight = weights[p]
            if weight > 1e-30:
                fill_influence(solver, model, s, p, discount)
                for x in range(causes.size):
                    causes[x] += weight * influence[x] * influence[x]


@cause.of(ByInverse)
def summed_cause(solver, s):
    return solver.causes[s]
