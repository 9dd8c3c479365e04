"""The largest of many independent uncertain numbers: which one is it, and how large?

Option i has the distribution function F_i.  The largest of all has E(x) = prod_i F_i(x), and

    P(i is the largest)    = integral of (d log F_i / d log E) dE
    E[(max_j mu_j - mu_b)+] = integral of F_b(x) (1 - prod_{j != b} F_j(x)) dx,

both by sums over the slices of one grid.  The shares of a slice are positive and add up to 1, so the chances do too,
whatever the grid.  The regret ignores what is beyond 2.5 normal deviates of each option: the heavy tails of poorly
known options would dominate it.  It costs O(K x nodes), without random numbers.
"""

from __future__ import annotations

import math

import numpy as np

from .beliefs import Beliefs

NODES, FEWEST = 240, 60
WORK = 200_000  # options x nodes, as long as there are FEWEST
EDGE = 6.0  # normal deviates covered on either side
PLAUSIBLE = 2.5  # and those that count in the regret
BOTTOM, TOP = (math.log(0.5 * math.erfc(-z / math.sqrt(2.0))) for z in (-PLAUSIBLE, PLAUSIBLE))


def largest(beliefs: Beliefs, taken: int, weights: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """``[K]`` the chance of each to be the largest, and the expected regret of having taken option ``taken``.

    With ``weights`` each option stands for that many alike.

    >>> chances, regret = largest(Beliefs.students(np.array([1.0, 0.0]), np.ones(2), np.full(2, np.inf)), taken=0)
    >>> chances.round(3), round(regret, 3)
    (array([0.76, 0.24]), 0.199)
    """
    lows, hopes, tops, highs = beliefs.quantile(np.array([-EDGE, 2.0, PLAUSIBLE, EDGE]))
    weights = np.ones(beliefs.size) if weights is None else weights
    if not highs.max() > lows.max():  # nothing is uncertain
        top = highs >= highs.max()
        return top / float(top @ weights), float(highs.max() - highs[taken])
    x = grid(beliefs, taken, lows, hopes, tops, highs)
    alive = np.flatnonzero(highs >= x[0])
    below = beliefs.take(alive).log_below(x)
    total, rise = below @ weights[alive], np.diff(below, axis=0)
    gain, mass = rise @ weights[alive], np.diff(np.exp(total))
    chances = np.zeros(beliefs.size)
    chances[alive] = np.divide(mass, gain, out=np.zeros(gain.size), where=gain > 0.0) @ rise
    below[below > TOP - 1e-9] = 0.0  # rounding must not decide
    mine = below[:, int(np.searchsorted(alive, taken))]
    loss = np.where(mine < BOTTOM + 1e-9, 0.0, np.exp(mine) * -np.expm1(below @ weights[alive] - mine))
    return chances / (chances @ weights), float(np.diff(np.minimum(x, tops.max())) @ (loss[1:] + loss[:-1])) / 2.0


def grid(
    beliefs: Beliefs, taken: int, lows: np.ndarray, hopes: np.ndarray, tops: np.ndarray, highs: np.ndarray
) -> np.ndarray:
    """The nodes: half at quantiles of the likeliest winners, at their own scales; half in even steps."""
    size = beliefs.size
    nodes = min(NODES, max(FEWEST, WORK // size))
    width = min(size, max(2, nodes // 30))
    winners = np.union1d(np.argpartition(hopes, size - width)[size - width :], [taken])
    own = beliefs.take(winners).quantile(np.linspace(-EDGE, EDGE, max(8, nodes // 2 // winners.size)))
    x = np.concatenate([own.ravel(), np.linspace(lows.max(), max(tops.max(), lows.max()), nodes // 2)])
    return np.unique(x[(x >= min(lows[taken], lows.max())) & (x <= highs.max())])
