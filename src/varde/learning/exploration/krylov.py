"""Many states: BiCGSTAB (van der Vorst 1992) on sparse rows, from the solution of the last plan."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._compile import helper
from .solver import solve, solve_again

DIRECTION, AGAINST, SHADOW, STEPPED, TURNED = range(5)  # rows of Sparse.vectors


class Sparse(NamedTuple):
    vectors: np.ndarray  # [5, N]


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
    """x'y in four partial sums, so that additions do not wait for each other."""
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
    """BiCGSTAB from x; returns passes over the matrix.  If it breaks down, plain sweeps continue."""
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


@solve_again.of(Sparse)
@solve.of(Sparse)
def solve_sparse(system, rows, size, discount, x, b, tolerance, most):
    return iterate(rows, size, discount, x, b, tolerance, most, system.vectors)
