"""Many states: BiCGSTAB (van der Vorst 1992) on sparse rows, and random probes in place of the inverse.

The variance that the errors of the backups give to a gap is the mean square over probes X = (I - g P)^-1 b, b normal
with these variances.  For the causes, X = (I - g P')^-1 b with b = sum_j e_j sqrt(w_j) (unit_s - g P(.|j)), e_j = +-1:
the mean over the signs of X(x)^2 is sum_j w_j I_j(x)^2.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..._compile import helper
from ...random import bits, normal
from .chart import OVER, STATES
from .solver import Rows, begin_causes, begin_errors, cause, gap_error, go_on, make_rows, returns_factor, solve

PROBES = 8
COARSE = 0.03  # residual of a probe, of its right side
DONE, SIZE = 0, 1  # places in Far.at
DIRECTION, AGAINST, SHADOW, STEPPED, TURNED = range(5)  # rows of Far.vectors


class Far(NamedTuple):
    matrix: Rows  # what ``go_on`` solves: P of the policy, or its transpose
    probes: np.ndarray  # [K, N] X
    given: np.ndarray  # [K, N] b
    vectors: np.ndarray  # [5, N] of BiCGSTAB
    at: np.ndarray  # [2] probes solved, states
    discount: np.ndarray  # [1]


def make_far(size: int, room: int) -> Far:
    return Far(
        make_rows(size, room + 2 * size),
        np.zeros((PROBES, size)),
        np.zeros((PROBES, size)),
        np.zeros((5, size)),
        np.zeros(2, np.int64),
        np.zeros(1),
    )


# -- one system ----------------------------------------------------------------------------------


@helper(apart=True)
def multiply(rows, size, discount, x, y):
    """y = (I - g P) x."""
    for s in range(size):
        total = 0.0
        for k in range(rows.first[s], rows.first[s + 1]):
            total += rows.share[k] * x[rows.to[k]]
        y[s] = x[s] - discount * total


@helper(apart=True)
def product(x, y, size):
    """x'y, in four sums: one by one, each addition would wait for the last."""
    a, b, c, d = 0.0, 0.0, 0.0, 0.0
    whole = size - size % 4
    for i in range(0, whole, 4):
        a += x[i] * y[i]
        b += x[i + 1] * y[i + 1]
        c += x[i + 2] * y[i + 2]
        d += x[i + 3] * y[i + 3]
    for i in range(whole, size):
        a += x[i] * y[i]
    return (a + b) + (c + d)


@helper(apart=True)
def largest_of(x, size):
    """max |x|; infinite if one of them is not a number."""
    top, sound = 0.0, True
    for i in range(size):
        top = abs(x[i]) if abs(x[i]) > top else top
        sound = sound and x[i] == x[i]
    return top if sound else np.inf


@helper(apart=True)
def iterate(rows, size, discount, x, b, tolerance, most, vectors):
    """BiCGSTAB from x; returns passes over the matrix.  Where it breaks down, plain sweeps go on."""
    r, p, v, shadow, t = vectors[STEPPED], vectors[DIRECTION], vectors[AGAINST], vectors[SHADOW], vectors[TURNED]
    multiply(rows, size, discount, x, r)
    for i in range(size):
        r[i] = b[i] - r[i]
        shadow[i] = r[i]
        p[i] = v[i] = 0.0
    if largest_of(r, size) <= tolerance:
        return 1.0
    rho, alpha, omega, done = 1.0, 1.0, 1.0, 0
    while done < most:
        new = product(shadow, r, size)
        if new == 0.0 or omega == 0.0:
            break
        beta = (new / rho) * (alpha / omega) if done > 0 else 0.0
        rho = new
        for i in range(size):
            p[i] = r[i] + beta * (p[i] - omega * v[i])
        multiply(rows, size, discount, p, v)
        below = product(shadow, v, size)
        if below == 0.0:
            break
        alpha = rho / below
        for i in range(size):
            r[i] -= alpha * v[i]
        multiply(rows, size, discount, r, t)
        square = product(t, t, size)
        omega = product(t, r, size) / square if square > 0.0 else 0.0
        for i in range(size):
            x[i] += alpha * p[i] + omega * r[i]
            r[i] -= omega * t[i]
        done += 1
        left = largest_of(r, size)
        if left <= tolerance or square == 0.0:
            return 2.0 * done + 1.0
        if not left < 1e100:
            break
    if done == most:
        return 2.0 * done + 1.0
    return 2.0 * done + sweep(rows, size, discount, x, b, tolerance, r)


@helper(apart=True)
def sweep(rows, size, discount, x, b, tolerance, r):
    """x <- b + g P x, at most 200 times."""
    if not largest_of(x, size) < 1e200:
        for i in range(size):
            x[i] = 0.0
    for done in range(200):
        multiply(rows, size, discount, x, r)
        for i in range(size):
            r[i] = b[i] - r[i]
            x[i] += r[i]
        if largest_of(r, size) <= tolerance:
            return done + 2.0
    return 201.0


@solve.of(Far)
def solve_sparse(solver, rows, size, discount, x, b, tolerance, most):
    return iterate(rows, size, discount, x, b, tolerance, most, solver.vectors)


# -- probes --------------------------------------------------------------------------------------


@go_on.of(Far)
def next_probe(solver):
    k, size = solver.at[DONE], solver.at[SIZE]
    x, b = solver.probes[k], solver.given[k]
    for s in range(size):
        x[s] = b[s]
    tolerance = COARSE * largest_of(b, size)
    work = iterate(solver.matrix, size, solver.discount[0], x, b, tolerance, 60, solver.vectors)
    solver.at[DONE] = k + 1
    return k + 1 == PROBES, work


@begin_errors.of(Far)
def draw_errors(solver, rows, size, discount, errors, rng):
    matrix = solver.matrix
    for k in range(rows.first[size]):
        matrix.to[k], matrix.share[k] = rows.to[k], rows.share[k]
    for s in range(size):
        matrix.first[s + 1] = rows.first[s + 1]
        root = math.sqrt(errors[s])
        for k in range(PROBES):
            solver.given[k, s] = root * normal(rng) if s != OVER else 0.0
    solver.at[DONE], solver.at[SIZE], solver.discount[0] = 0, size, discount


@gap_error.of(Far)
def error_by_probes(solver, chart, s, p, discount):
    total = 0.0
    for k in range(PROBES):
        x = solver.probes[k]
        off = x[s]
        for o in range(chart.rows[p], chart.rows[p + 1]):
            off -= discount * chart.share[o] * x[chart.to[o]]
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


@begin_causes.of(Far)
def draw_signs(solver, chart, rows, policy, weights, size, discount, rng):
    transpose(rows, size, solver.matrix)
    for k in range(PROBES):
        given = solver.given[k]
        for s in range(size):
            given[s] = 0.0
    for s in range(1, chart.size[STATES]):
        for p in range(chart.first[s], chart.first[s + 1]):
            if weights[p] > 1e-30:
                root, signs = math.sqrt(weights[p]), bits(rng)
                for k in range(PROBES):
                    signed = root if ((signs >> (8 + k)) & 1) == 1 else -root
                    solver.given[k, s] += signed
                    for o in range(chart.rows[p], chart.rows[p + 1]):
                        solver.given[k, chart.to[o]] -= discount * chart.share[o] * signed
    for k in range(PROBES):
        solver.given[k, OVER] = 0.0
    solver.at[DONE] = 0


@cause.of(Far)
def mean_square(solver, s):
    total = 0.0
    for k in range(PROBES):
        total += solver.probes[k, s] * solver.probes[k, s]
    return total / PROBES


# -- the way back --------------------------------------------------------------------------------


@helper
def chance(rows, s, t):
    """P(t|s)."""
    total = 0.0
    for k in range(rows.first[s], rows.first[s + 1]):
        total += rows.share[k] if rows.to[k] == t else 0.0
    return total


@returns_factor.of(Far)
def returns_nearby(solver, chart, policy, s, p, discount):
    """Ways back of at most three steps, self-loops and detours between closed."""
    rows, back = solver.matrix, 0.0
    for o in range(chart.rows[p], chart.rows[p + 1]):
        t = chart.to[o]
        if t == s:
            back += chart.share[o]
        elif t != OVER:
            back += chart.share[o] * chance_back(rows, t, s, discount)
    back = back if back < 1.0 else 1.0
    return 1.0 / (1.0 - discount * back)


@helper(apart=True)
def chance_back(rows, t, s, discount):
    """F(t, s): the discounted chance to come to ``s`` from ``t``."""
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
