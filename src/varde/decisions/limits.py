"""The best within limits (constraints): a sample measures the objective and the slack of every limit at once.

The leader b has the best objective among those whose slacks are all positive.  Another component j is excluded because
its objective is z_j0 standard errors behind that of b, or because it violates a limit c by z_jc of them.  For j to be
the answer all of that must be wrong, so its weight is

    g_j = exp(-focus sqrt(sum_c z_jc^2)),       w_jc^2 = g_j z_jc^2 / sum_c z_jc^2

and b serves every rival's objective, w_b0^2 = sum_j w_j0^2, and has its own limits, w_bc^2 = exp(-focus z_bc).
The variances of different numbers are compared in units of the pooled variance of each.
"""

from __future__ import annotations

import numpy as np

from ..rule import VarDE
from .gaps import TINY
from .standard_errors import errors_of

FURTHEST = 1e100  # standard errors: what is known exactly is no further away


def limit_noise(rule: VarDE, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[K] sum_c w_ic^2 s2_ic / sp2_c, up to a factor common to all; equal where no noise was seen.

    ``means`` and ``squares`` are [1 + C, K]: the objective, then the slacks.

    >>> means = np.array([[1.0, 3.0, 0.8, 0.9], [0.5, -2.0, 0.5, -0.1]])
    >>> noise = limit_noise(VarDE(), np.full(4, 10.0), means, np.full((2, 4), 9.0))
    >>> (noise / noise.max()).round(2)
    array([1.  , 0.  , 0.7 , 0.84])
    """
    known = [errors_of(rule.noise, counts, column) for column in squares]
    if not any(known):
        return np.ones(counts.size)
    seen, quiet = counts > 0, np.zeros(counts.size)
    noise = np.array([quiet if each is None else each.variances / each.pooled for each in known])
    wary = np.array([quiet if each is None else each.wary for each in known])
    errors = quiet if known[0] is None else known[0].errors
    z = means / np.sqrt(np.maximum(wary, TINY))
    leader = leader_of(seen, means)
    z[0] = 0.0
    if leader is not None:
        z[0] = (means[0] - means[0, leader]) / np.sqrt(np.maximum(wary[0] + errors[leader], TINY))
    z = np.clip(z, -FURTHEST, FURTHEST)
    lacks = np.minimum(z, 0.0) ** 2
    total = lacks.sum(axis=0)
    logs = np.where(seen, -rule.decision.focus * np.sqrt(total), 0.0)
    shares = np.where(total > 0.0, lacks / np.where(total > 0.0, total, 1.0), 1.0 / len(known))
    own = np.zeros(0)
    if leader is not None:
        own, logs[leader] = -rule.decision.focus * z[1:, leader], -np.inf
    highest = max(logs.max(), own.max(initial=-np.inf))  # nothing underflows, however clear the case is
    squares_of_weights = np.exp(logs - highest) * shares
    if leader is not None:
        squares_of_weights[1:, leader] = np.exp(own - highest)
        squares_of_weights[0, leader] = squares_of_weights[0].sum()
    return np.asarray((squares_of_weights * noise).sum(axis=0))


def leader_of(seen: np.ndarray, means: np.ndarray) -> int | None:
    """The best objective among those that seem to meet every limit; None if none does."""
    keeps = seen & (means[1:] >= 0.0).all(axis=0)
    return int(np.where(keeps, means[0], -np.inf).argmax()) if keeps.any() else None
