"""More than a few states: random probes in place of the inverse.

The variance that the errors of the backups give to a gap is the mean square over probes X = (I - g P)^-1 b, b normal
with these variances.  For the causes, X = (I - g P')^-1 b with b = sum_j e_j sqrt(w_j) (unit_s - g P(.|j)), e_j = +-1:
the mean over the signs of X(x)^2 is sum_j w_j I_j(x)^2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..._compile import helper
from ...random import bits, normal
from .elimination import MOST, Full
from .krylov import Sparse, largest_of
from .model import OVER, STATES
from .solver import (
    Rows,
    begin_causes,
    begin_errors,
    cause,
    gap_error,
    go_on,
    make_rows,
    returns_factor,
    solve,
    solve_again,
    solve_route,
)

PROBES = 8
COARSE = 0.03  # residual of a probe, of its right side
DONE, SIZE = 0, 1  # places in ByProbes.at


class ByProbes(NamedTuple):
    matrix: Rows  # what ``go_on`` solves: P of the policy, or its transpose
    probes: np.ndarray  # [K, N] X
    given: np.ndarray  # [K, N] b
    system: Any  # solves one: ``Full`` or ``Sparse``
    rough: Sparse  # solves for the exploration policy
    at: np.ndarray  # [2] probes solved, states
    discount: np.ndarray  # [1]


def make_probes(size: int, room: int) -> ByProbes:
    return ByProbes(
        make_rows(size, room + 2 * size),
        np.zeros((PROBES, size)),
        np.zeros((PROBES, size)),
        Full(np.zeros((size, size))) if size <= MOST + 1 else Sparse(np.zeros((5, size))),
        Sparse(np.zeros((5, size))),
        np.zeros(2, np.int64),
        np.zeros(1),
    )


@solve.of(ByProbes)
def solve_by_system(solver, rows, size, discount, x, b, tolerance, most):
    return solve(solver.system, rows, size, discount, x, b, tolerance, most)


@solve_route.of(ByProbes)
def solve_roughly(solver, rows, size, discount, x, b, tolerance, most):
    return solve(solver.rough, rows, size, discount, x, b, tolerance, most)


# -- probes --------------------------------------------------------------------------------------


@go_on.of(ByProbes)
def next_probe(solver):
    k, size = solver.at[DONE], solver.at[SIZE]
    x, b = solver.probes[k], solver.given[k]
    for s in range(size):
        x[s] = b[s]
    tolerance = COARSE * largest_of(b, size)
    if k == 0:
        work = solve(solver.system, solver.matrix, size, solver.discount[0], x, b, tolerance, 60)
    else:
        work = solve_again(solver.system, solver.matrix, size, solver.discount[0], x, b, tolerance, 60)
    solver.at[DONE] = k + 1
    return k + 1 == PROBES, work


@begin_errors.of(ByProbes)
def draw_errors(solver, memory, discount, rng):
    matrix, rows, size = solver.matrix, memory.rows, memory.model.size[STATES]
    for k in range(rows.first[size]):
        matrix.to[k], matrix.share[k] = rows.to[k], rows.share[k]
    for s in range(size):
        matrix.first[s + 1] = rows.first[s + 1]
        root = math.sqrt(memory.spare[s])
        for k in range(PROBES):
            solver.given[k, s] = root * normal(rng) if s != OVER else 0.0
    solver.at[DONE], solver.at[SIZE], solver.discount[0] = 0, size, discount


@gap_error.of(ByProbes)
def error_by_probes(solver, model, s, p, discount):
    total = 0.0
    for k in range(PROBES):
        x = solver.probes[k]
        off = x[s]
        for o in range(model.rows[p], model.rows[p + 1]):
            off -= discount * model.share[o] * x[model.to[o]]
        total += off * off
    return total / PROBES


@helper(apart=True)
def transpose(rows, size, turned):
    """``turned`` = P', without END: nothing comes back from there."""
    for s in range(size + 1):
        turned.first[s] = 0
    for k in range(rows.first[size]):
        if rows.to[k] != OVER:
            turned.first[rows.to[k] + 1] += 1
    for s in range(size):
        turned.first[s + 1] += turned.first[s]
    for s in range(size - 1, -1, -1):
        for k in range(rows.first[s], rows.first[s + 1]):
            t = rows.to[k]
            if t != OVER:  # each row is filled from its end, which then is where the next begins
                turned.first[t + 1] -= 1
                turned.to[turned.first[t + 1]], turned.share[turned.first[t + 1]] = s, rows.share[k]
    for s in range(size):
        turned.first[s] = turned.first[s + 1]
    turned.first[size] = 0
    for k in range(rows.first[size]):
        turned.first[size] += 1 if rows.to[k] != OVER else 0


@begin_causes.of(ByProbes)
def draw_signs(solver, memory, discount, rng):
    model, weights, size = memory.model, memory.weights, memory.model.size[STATES]
    transpose(memory.rows, size, solver.matrix)
    for k in range(PROBES):
        given = solver.given[k]
        for s in range(size):
            given[s] = 0.0
    for s in range(1, size):
        for p in range(model.first[s], model.first[s + 1]):
            if weights[p] > 1e-30:
                root, signs = math.sqrt(weights[p]), bits(rng)
                for k in range(PROBES):
                    signed = root if ((signs >> (8 + k)) & 1) == 1 else -root
                    solver.given[k, s] += signed
                    for o in range(model.rows[p], model.rows[p + 1]):
                        solver.given[k, model.to[o]] -= discount * model.share[o] * signed
    for k in range(PROBES):
        solver.given[k, OVER] = 0.0
    solver.at[DONE] = 0


@cause.of(ByProbes)
def mean_square(solver, s):
    total = 0.0
    for k in range(PROBES):
        total += solver.probes[k, s] * solver.probes[k, s]
    return total / PROBES


# -- probabilities of returning ------------------------------------------------------------------


@helper
def chance(rows, s, t):
    """P(t|s)."""
    total = 0.0
    for k in range(rows.first[s], rows.first[s + 1]):
        total += rows.share[k] if rows.to[k] == t else 0.0
    return total


@returns_factor.of(ByProbes)
def returns_nearby(solver, model, s, p, discount):
    """Returns within at most three steps, with self-loops and detours summed up."""
    rows, back = solver.matrix, 0.0
    for o in range(model.rows[p], model.rows[p + 1]):
        t = model.to[o]
        if t == s:
            back += model.share[o]
        elif t != OVER:
            back += model.share[o] * chance_back(rows, t, s, discount)
    back = back if back < 1.0 else 1.0
    return 1.0 / (1.0 - discount * back)


@helper(apart=True)
def chance_back(rows, t, s, discount):
    """F(t, s): the discounted probability of reaching ``s`` from ``t``."""
    back, stay = 0.0, 0.0
    for k in range(rows.first[t], rows.first[t + 1]):
        u, q = rows.to[k], rows.share[k]
        if u == s:
            back += q
        elif u == t:
            stay += q
        elif u != OVER:
            open_ = q * discount / (1.0 - discount * chance(rows, u, u))
            back += open_ * chance(rows, u, s)
            stay += open_ * chance(rows, u, t)
    stay = stay if stay < 0.999999 else 0.999999
    found = discount * back / (1.0 - discount * stay)
    return found if found < 1.0 else 1.0
