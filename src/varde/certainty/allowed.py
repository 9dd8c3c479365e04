"""The largest of many uncertain numbers of which only some are allowed, and it is uncertain which.

Option i is allowed with probability a_i, independently of its number.  It lies below x, or does not count, with
F'_i(x) = 1 - a_i (1 - F_i(x)); the largest that counts is ``largest`` of these, and with chance prod (1 - a_i) there is
none.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .largest import EDGE, FEWEST, NODES, WORK


def largest_allowed(beliefs: Any, chances: np.ndarray, taken: int | None) -> tuple[np.ndarray, float, float]:
    """``[K]`` the chance of each to be allowed and the largest of those, that none is, and the regret of ``taken``.

    >>> from .beliefs import Beliefs
    >>> two = Beliefs.students(np.array([9.0, 0.0]), np.ones(2), np.full(2, np.inf))
    >>> best, none, regret = largest_allowed(two, np.array([0.25, 0.8]), 1)
    >>> best.round(3), round(none, 3), round(regret, 3)
    (array([0.25, 0.6 ]), 0.15, 2.25)
    """
    none = math.exp(float(np.log1p(-np.minimum(chances, 1.0 - 1e-16)).sum()))
    x = grid(beliefs, chances)
    counts = chances * -np.expm1(beliefs.log_below(x))  # [M, K] P(allowed and above x)
    below = np.log1p(-np.minimum(counts, 1.0 - 1e-16))
    total = below.sum(axis=1)
    rise, mass = np.diff(below, axis=0), np.diff(np.exp(total))
    gain = rise.sum(axis=1)
    best = np.divide(mass, gain, out=np.zeros(gain.size), where=gain > 0.0) @ rise
    best *= (1.0 - none) / max(float(best.sum()), 1e-300)
    if taken is None:
        return best, none, 0.0
    own = np.exp(beliefs.log_below(x)[:, taken])
    return best, none, float(np.trapezoid(own * -np.expm1(total - below[:, taken]), x))


def grid(beliefs: Any, chances: np.ndarray) -> np.ndarray:
    """Nodes at quantiles of the likeliest winners, at their own scales, and in even steps over the whole range."""
    size = beliefs.size
    nodes = min(NODES, max(FEWEST, WORK // size))
    lows, hopes, highs = beliefs.quantile(np.array([-EDGE, 2.0, EDGE]))
    may = chances > 1e-9
    may = may if may.any() else np.ones(size, dtype=bool)
    width = min(size, max(2, nodes // 30))
    promise = np.where(chances > 0.05, hopes, -np.inf) if (chances > 0.05).any() else hopes
    winners = np.sort(np.argpartition(-promise, width - 1)[:width])
    own = beliefs.take(winners).quantile(np.linspace(-EDGE, EDGE, max(8, nodes // 2 // width)))
    return np.unique(np.concatenate([own.ravel(), np.linspace(lows[may].min(), highs[may].max(), nodes // 2)]))
