"""The optimal allocation of samples over state-action pairs that can only be reached by following the Markov chain.

MDP-NaS and O-BPI both ask for weights omega of the pairs (s, a) that minimise a maximum of terms
weight / omega, subject to navigation: omega is a circulation, what flows into a state flows out of it.
The objectives are homogeneous, so the total may be left free: with a single scalar q each of them becomes

    minimise  sum_j nu_j    over circulations nu and q > 0,    nu_j >= l_j(q),

and omega = nu / sum nu.  Every bound is a convex function of the same form,

    l_j(q) = slope_j q + base_j + weight_j / (q - pole_j),       0 < q < limit.

The solver is a primal-dual interior point (Mehrotra's predictor and corrector) on the slacks x and on q,
with nu = l(q) + x and multipliers y of the circulation:

    A (l(q) + x) = 0,     z'l'(q) = 0,     x z = mu -> 0,     where z = 1 - A'y.

Eliminating all but dy leaves one positive definite system A W A' with S - 1 unknowns, W = x / z, and a
rank-one term for q.  The slacks are variables of their own: computed as nu - l(q) they lose all digits
where the bounds differ by many orders of magnitude.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from .._compile import helper

ITERATIONS = 50
TOLERANCE = 1e-8  # of the gap, relative to the optimum
USABLE = 1e-3  # a solution with a larger gap is not taken
REACH = 0.995  # of the way to the boundary in one step
BRAKE = 0.8  # q moves at most this share of the way to an end: its bounds are straight only nearby


class Bounds(NamedTuple):
    """l_j(q) = slope q + base + weight / (q - pole), for 0 < q < limit."""

    slope: np.ndarray  # [n]
    base: np.ndarray  # [n]
    weight: np.ndarray  # [n]
    pole: np.ndarray  # [n] outside (0, limit)
    limit: np.ndarray  # [1]


class Allocator(NamedTuple):
    """The solver's arrays; n = S A pairs, m = S - 1 independent flow equations."""

    bounds: Bounds
    flow: np.ndarray  # [n, m] A', row j: one unit leaves s and arrives by P(.|s, a)
    matrix: np.ndarray  # [m, m] A W A', then its factor
    pairs: np.ndarray  # [9, n] the rows named below
    duals: np.ndarray  # [4, m]
    weights: np.ndarray  # [S, A] the answer: omega
    optimum: np.ndarray  # [3] sum nu, the relative gap left, iterations


SLACK, Z, LOW, SLOPE, RATIO, CENTRE, NU, D_SLACK, D_Z = range(9)
CURVE, AIM, BEND, D_Y = range(4)


def make_allocator(num_states: int, num_actions: int) -> Allocator:
    """Room for a model of that size; the weights are uniform until a problem is solved."""
    n, m = num_states * num_actions, num_states - 1
    return Allocator(
        Bounds(np.zeros(n), np.zeros(n), np.zeros(n), np.full(n, -1.0), np.full(1, np.inf)),
        np.zeros((n, m)),
        np.zeros((m, m)),
        np.zeros((9, n)),
        np.zeros((4, m)),
        np.full((num_states, num_actions), 1.0 / n),
        np.zeros(3),
    )


@helper
def bound(bounds, j, q):
    """l_j(q) and its first two derivatives."""
    inverse = 1.0 / (q - bounds.pole[j])
    pull = bounds.weight[j] * inverse
    value = bounds.slope[j] * q + bounds.base[j] + pull
    return value, bounds.slope[j] - pull * inverse, 2.0 * pull * inverse * inverse


@helper(apart=True)
def navigate(allocator, transitions):
    """Fill the flow equations from ``transitions [S, A, S]``; that of the last state follows from the rest."""
    flow = allocator.flow
    num_states, num_actions = transitions.shape[0], transitions.shape[1]
    for s in range(num_states):
        for a in range(num_actions):
            row, arrivals = flow[s * num_actions + a], transitions[s, a]
            for t in range(row.size):
                row[t] = -arrivals[t]
            if s < row.size:
                row[s] += 1.0


@helper(apart=True)
def normal_matrix(matrix, flow, ratio):
    """The lower triangle of A W A'.  Every inner loop begins at 0: others do not become vector code."""
    size = matrix.shape[0]
    for i in range(size):
        row = matrix[i]
        for k in range(i + 1):
            row[k] = 0.0
        for j in range(0, flow.shape[0] - 1, 2):
            first, second = flow[j], flow[j + 1]
            f, g = ratio[j] * first[i], ratio[j + 1] * second[i]
            for k in range(i + 1):
                row[k] += f * first[k] + g * second[k]
        if flow.shape[0] % 2:
            last = flow[flow.shape[0] - 1]
            f = ratio[flow.shape[0] - 1] * last[i]
            for k in range(i + 1):
                row[k] += f * last[k]


@helper(apart=True)
def factorise(matrix):
    """U with U'U = matrix, in the upper triangle; the lower one holds what is left to factorise.

    A pivot that vanishes belongs to an equation that the others imply: it gets a huge weight, so that its
    unknown does not move.
    """
    size, top = matrix.shape[0], 0.0
    for i in range(size):
        top = max(top, matrix[i, i])
    for i in range(size):
        pivot = matrix[i, i]
        if pivot <= 1e-30 * top:
            pivot = 1e128
        root = math.sqrt(pivot)
        matrix[i, i] = root
        row, inverse = matrix[i, i + 1 :], 1.0 / root
        for k in range(row.size):
            row[k] = matrix[i + 1 + k, i] * inverse
        for k in range(row.size):
            below, factor = matrix[i + 1 + k, i + 1 :], row[k]
            for c in range(k + 1):
                below[c] -= factor * row[c]


@helper(apart=True)
def substitute(matrix, right):
    """Solve U'U x = right in place."""
    size = right.size
    for i in range(size):
        row, rest = matrix[i, i + 1 :], right[i + 1 :]
        x = right[i] / matrix[i, i]
        right[i] = x
        for k in range(row.size):
            rest[k] -= x * row[k]
    for i in range(size - 1, -1, -1):
        row, rest, x = matrix[i, i + 1 :], right[i + 1 :], right[i]
        for k in range(row.size):
            x -= row[k] * rest[k]
        right[i] = x / matrix[i, i]


@helper(apart=True)
def multiply(flow, amounts, result):
    """result = A amounts."""
    for i in range(result.size):
        result[i] = 0.0
    for j in range(amounts.size):
        row, amount = flow[j], amounts[j]
        for i in range(result.size):
            result[i] += row[i] * amount


@helper(apart=True)
def newton_step(allocator, curvature, tilt):
    """Fill the step towards x z = CENTRE, for a matrix already factorised; returns dq.

    A W A' dy + (A l') dq = -A (l + centre / z)   and   -(A l')'dy + curvature dq = -tilt,
    with curvature = z'l''(q), tilt = z'l'(q), CURVE = A l' and BEND = (A W A')^-1 A l'.
    """
    flow, pairs, duals = allocator.flow, allocator.pairs, allocator.duals
    slack, z, centre, amounts = pairs[SLACK], pairs[Z], pairs[CENTRE], pairs[NU]
    aim, curve, bend, d_y = duals[AIM], duals[CURVE], duals[BEND], duals[D_Y]
    for j in range(slack.size):
        amounts[j] = -pairs[LOW, j] - centre[j] / z[j]
    multiply(flow, amounts, aim)
    substitute(allocator.matrix, aim)
    up, down = -tilt, curvature
    for i in range(aim.size):
        up += curve[i] * aim[i]
        down += curve[i] * bend[i]
    d_q = up / down
    for i in range(aim.size):
        d_y[i] = aim[i] - d_q * bend[i]
    for j in range(slack.size):
        row, leaves = flow[j], 0.0
        for i in range(d_y.size):
            leaves += row[i] * d_y[i]
        pairs[D_Z, j] = -leaves
        pairs[D_SLACK, j] = (centre[j] + slack[j] * leaves) / z[j] - slack[j]
    return d_q


@helper
def longest_step(values, change):
    """How far one can go before a value becomes negative, at most 1."""
    most = 0.0
    for j in range(values.size):
        most = max(most, -change[j] / values[j])
    return 1.0 / most if most > 1.0 else 1.0


@helper
def start_slacks(allocator, q):
    """x about as large as the bounds, z = 1, y = 0; returns the scale on which the bounds sum to one."""
    pairs, size, scale = allocator.pairs, allocator.flow.shape[0], 0.0
    for j in range(size):
        low, _, _ = bound(allocator.bounds, j, q)
        pairs[LOW, j] = low
        scale += low
    for j in range(size):
        pairs[SLACK, j] = max(pairs[LOW, j] / scale, 1.0 / size)
        pairs[Z, j] = 1.0
    return scale


@helper(apart=True)
def measure_point(allocator, q, scale):
    """Bounds and residuals at the present point: sum nu, x'z, z'l', z'l''."""
    pairs = allocator.pairs
    total, product, tilt, curvature = 0.0, 0.0, 0.0, 0.0
    for j in range(allocator.flow.shape[0]):
        low, slope, bend = bound(allocator.bounds, j, q)
        pairs[LOW, j], pairs[SLOPE, j] = low / scale, slope / scale
        pairs[NU, j] = pairs[LOW, j] + pairs[SLACK, j]
        pairs[RATIO, j] = pairs[SLACK, j] / pairs[Z, j]
        pairs[CENTRE, j] = 0.0
        total += pairs[NU, j]
        product += pairs[SLACK, j] * pairs[Z, j]
        tilt += pairs[Z, j] * pairs[SLOPE, j]
        curvature += pairs[Z, j] * bend / scale
    return total, product, tilt, curvature


@helper(apart=True)
def allocate(allocator, transitions, q):
    """Solve for the bounds set in ``allocator``, starting near ``q``; returns the relative gap left.

    Weights keep their old values when that is above ``USABLE``.  A good start is the minimiser of sum l(q):
    with y = 0 and z = 1 it satisfies every equation but the circulation.
    """
    pairs, duals, flow, matrix = allocator.pairs, allocator.duals, allocator.flow, allocator.matrix
    slack, z, centre, d_slack, d_z = pairs[SLACK], pairs[Z], pairs[CENTRE], pairs[D_SLACK], pairs[D_Z]
    size, limit, gap, iteration = slack.size, allocator.bounds.limit[0], np.inf, 0
    navigate(allocator, transitions)
    scale = start_slacks(allocator, q)
    while True:
        total, product, tilt, curvature = measure_point(allocator, q, scale)
        multiply(flow, pairs[NU], duals[AIM])
        lost = 0.0
        for i in range(duals.shape[1]):
            lost += abs(duals[AIM, i])
        gap = (product + lost + abs(tilt) * min(q, limit - q)) / total
        if gap <= TOLERANCE or iteration == ITERATIONS or not gap < np.inf:
            break
        iteration += 1
        normal_matrix(matrix, flow, pairs[RATIO])
        factorise(matrix)
        multiply(flow, pairs[SLOPE], duals[CURVE])
        for i in range(duals.shape[1]):
            duals[BEND, i] = duals[CURVE, i]
        substitute(matrix, duals[BEND])
        # The predictor goes straight for the boundary; how far it gets says how much to aim at the centre.
        newton_step(allocator, curvature, tilt)
        reach = min(longest_step(slack, d_slack), longest_step(z, d_z))
        after = 0.0
        for j in range(size):
            after += (slack[j] + reach * d_slack[j]) * (z[j] + reach * d_z[j])
        share = after / product
        # Products that vanish before the flow is balanced leave a system too singular to balance it.
        aim = product / size * (max(share * share * share, 0.1) if lost > product else share * share * share)
        for j in range(size):
            centre[j] = aim - d_slack[j] * d_z[j]
        d_q = newton_step(allocator, curvature, tilt)
        reach = REACH * min(longest_step(slack, d_slack), longest_step(z, d_z))
        reach = min(reach, BRAKE * q / -d_q) if d_q < 0.0 else min(reach, BRAKE * (limit - q) / max(d_q, 1e-300))
        q += reach * d_q
        for j in range(size):
            slack[j] += reach * d_slack[j]
            z[j] += reach * d_z[j]
    allocator.optimum[0], allocator.optimum[1], allocator.optimum[2] = total * scale, gap, iteration
    if gap <= USABLE:
        share_out(allocator, total)
    return gap


@helper
def share_out(allocator, total):
    """omega = nu / sum nu, at least 1e-10 and summing to one."""
    weights, nu, mass = allocator.weights, allocator.pairs[NU], 0.0
    num_actions = weights.shape[1]
    for j in range(nu.size):
        nu[j] = max(nu[j] / total, 1e-10)
        mass += nu[j]
    for s in range(weights.shape[0]):
        for a in range(num_actions):
            weights[s, a] = nu[s * num_actions + a] / mass
