"""The largest of many independent uncertain numbers: which one is it, and how large?

Option i has the distribution function F_i.  The largest of all has E(x) = prod_i F_i(x), and

    P(i is the largest)    = integral of (d log F_i / d log E) dE
    E[(max_j mu_j - mu_b)+] = integral of F_b(x) (1 - prod_{j != b} F_j(x)) dx,

both by sums over the slices of one grid.  The shares of a slice are positive and add up to 1, so the chances do too,
whatever the grid.  The regret ignores what is beyond 4 standard errors of each option: the heavy tails of poorly
known options would dominate it.  It costs O(K x nodes), without random numbers.

If option i is allowed only with probability a_i, independently of its number, F_i is 1 - a_i (1 - F_i(x)), and with
chance prod (1 - a_i) there is none.
"""

from __future__ import annotations

import math

import numpy as np

from ..beliefs.means import Beliefs

NODES, FEWEST = 240, 60
WORK = 200_000  # options x nodes, as long as there are FEWEST
EDGE = 6.0  # normal deviates covered on either side
PLAUSIBLE = 4.0  # standard errors that count in the regret
PART = 4_096  # options at a time
CERTAIN = 1.0 - 1e-16  # the largest double below 1


def largest(beliefs: Beliefs, taken: int, weights: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """``[K]`` the chance of each to be the largest, and the expected regret of having taken option ``taken``.

    With ``weights`` each option stands for that many alike, and the chances are of one of them.

    >>> chances, regret = largest(Beliefs.students(np.array([1.0, 0.0]), np.ones(2), np.full(2, np.inf)), taken=0)
    >>> chances.round(3), round(regret, 3)
    (array([0.76, 0.24]), 0.199)
    """
    chances, _, regret = largest_allowed(beliefs, np.ones(beliefs.size), taken, weights)
    return chances, regret


def largest_allowed(
    beliefs: Beliefs, allowed: np.ndarray, taken: int | None, weights: np.ndarray | None = None
) -> tuple[np.ndarray, float, float]:
    """``[K]`` the chance of each to be allowed and the largest of those, that none is, and the regret of ``taken``.

    >>> two = Beliefs.students(np.array([9.0, 0.0]), np.ones(2), np.full(2, np.inf))
    >>> best, none, regret = largest_allowed(two, np.array([0.25, 0.8]), 1)
    >>> best.round(3), round(none, 3), round(regret, 3)
    (array([0.25, 0.6 ]), 0.15, 2.25)
    """
    none = math.exp(float(np.log1p(-np.minimum(allowed, CERTAIN)).sum())) if (allowed < 1.0).all() else 0.0
    if taken is None and none >= 1.0:
        return np.zeros(beliefs.size), 1.0, 0.0
    lows, hopes, highs = beliefs.quantile(np.array([-EDGE, 2.0, EDGE]))
    tops = beliefs.centers + PLAUSIBLE * beliefs.scales
    free = allowed >= 1.0
    floor = lows[free].max() if free.any() else lows.min()
    if not highs.max() > floor:  # nothing is uncertain
        top = highs >= highs.max()
        return top / top.sum(), 0.0, 0.0 if taken is None else float(highs.max() - highs[taken])
    x = grid(beliefs, allowed, taken, (floor, lows, hopes, tops, highs))
    alive = np.flatnonzero((highs >= x[0]) & (allowed > 0.0) | (np.arange(beliefs.size) == taken))
    below = beliefs.take(alive).log_cdf(x)
    place = 0 if taken is None else int(np.searchsorted(alive, taken))
    mine = below[:, place].copy()
    if not free.all():
        below = np.log1p(allowed[alive] * np.maximum(np.expm1(below), -CERTAIN))
    many = None if weights is None else weights[alive]
    total = total_over(below, many)
    mass, gain = np.diff(np.exp(total)), np.diff(total)
    share, chances = np.divide(mass, gain, out=np.zeros(gain.size), where=gain > 0.0), np.zeros(beliefs.size)
    # In one thread: several would take more time in all.
    rises = [np.einsum("m,mk->k", share, np.diff(part, axis=0)) for part in parts_of(below)]
    chances[alive] = np.concatenate(rises)
    chances *= (1.0 - none) / max(float(total_over(chances[alive], many)), 1e-300)
    if taken is None:
        return chances, none, 0.0
    for part, top in zip(parts_of(below), parts_of(tops[alive]), strict=True):
        part[x[:, None] >= top] = 0.0
    others = total_over(below, many) - below[:, place]
    bottom = beliefs.centers[taken] - PLAUSIBLE * beliefs.scales[taken]
    loss = np.where(x < bottom, 0.0, np.exp(mine) * -np.expm1(others))
    return chances, none, float(np.diff(np.minimum(x, tops.max())) @ (loss[1:] + loss[:-1])) / 2.0


def parts_of(numbers: np.ndarray) -> list[np.ndarray]:
    """Views of some columns each, few enough for the processor's cache."""
    return [numbers[..., first : first + PART] for first in range(0, numbers.shape[-1], PART)]


def total_over(numbers: np.ndarray, many: np.ndarray | None) -> np.ndarray:
    """The sums over the last axis, of ``many`` alike each."""
    return np.asarray(numbers.sum(axis=-1) if many is None else numbers @ many)


def grid(
    beliefs: Beliefs,
    allowed: np.ndarray,
    taken: int | None,
    ends: tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> np.ndarray:
    """The nodes: half at quantiles of the likeliest winners, at their own scales; half in even steps."""
    floor, lows, hopes, tops, highs = ends
    size = beliefs.size
    nodes = min(NODES, max(FEWEST, WORK // size))
    width = min(size, max(2, nodes // 30))
    promise = np.where(allowed > 0.05, hopes, -np.inf) if (allowed > 0.05).any() else hopes
    winners = np.argpartition(promise, size - width)[size - width :]
    winners = winners if taken is None else np.union1d(winners, [taken])
    own = beliefs.take(winners).quantile(np.linspace(-EDGE, EDGE, max(8, nodes // 2 // winners.size)))
    x = np.concatenate([own.ravel(), np.linspace(floor, max(tops.max(), floor), nodes // 2)])
    start = floor if taken is None else min(float(lows[taken]), floor)
    return np.unique(x[(x >= start) & (x <= highs.max())])
