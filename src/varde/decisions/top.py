"""The best m: every pair of a component inside and one outside is a gap to get right.

    D = sum over i inside, j outside of g_ij Var(mean_i - mean_j),    g_ij = exp(-focus z_ij)
    w_i^2 = sum_j g_ij,      w_j^2 = sum_i g_ij

with z_ij the gap in its own standard errors, as in ``gaps``; for m = 1 this is ``gaps``.
"""

from __future__ import annotations

import numpy as np

from ..rule import VarDE
from .gaps import log_weight
from .standard_errors import errors_of

MANY = 1000  # options up to which all pairs are weighed
NEAR = 64  # of more, those nearest to the boundary on each side: the others' pairs weigh nothing


def top_noise(rule: VarDE, m: int, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[K] w_i^2 s2_i, up to a factor common to all; equal where no noise was seen.

    >>> counts, means, squares = np.full(4, 10.0), np.array([3.0, 2.5, 2.3, 0.0]), np.full(4, 9.0)
    >>> noise = top_noise(VarDE(), 2, counts, means, squares)
    >>> (noise / noise.max()).round(2)
    array([0.03, 0.97, 1.  , 0.  ])
    """
    known = errors_of(rule.noise, counts, squares)
    if known is None or m >= counts.size:
        return np.ones(counts.size)
    merits = np.where(known.seen, means, -np.inf)
    order = np.argsort(-merits, kind="stable") if counts.size <= MANY else np.argpartition(-merits, (m - 1, m))
    inside, outside = order[:m], order[m:]
    if m * outside.size > NEAR * NEAR:
        line = 0.5 * (means[inside[-1]] + means[outside[0]]) if known.seen[outside[0]] else means[inside[-1]]
        inside, outside = (nearest(side, np.abs(means - line), known.wary) for side in (inside, outside))
    with np.errstate(invalid="ignore"):
        behind = means[outside] - means[inside][:, None]
    logs = log_weight(rule.decision, behind, known.errors[inside][:, None] + known.wary[outside])
    if not known.seen.all():  # level with all, before the first sample
        logs[~known.seen[inside]] = 0.0
        logs[:, ~known.seen[outside]] = 0.0
    weights = np.exp(logs - logs.max())  # relative to the nearest pair: nothing underflows, however clear the case is
    noise = np.zeros(counts.size)
    noise[inside], noise[outside] = weights.sum(axis=1), weights.sum(axis=0)
    return noise * known.variances


def nearest(side: np.ndarray, distances: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The ``NEAR`` of one side that are fewest standard errors away."""
    if side.size <= NEAR:
        return side
    return side[np.argpartition(distances[side] ** 2 / errors[side], NEAR - 1)[:NEAR]]
