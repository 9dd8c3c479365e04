"""The m largest of many independent uncertain numbers: which are they?  And which are above a given line?

Option i is among them when fewer than m of the others lie above it.  With F_i its distribution function and N_i(x) the
number of others above x, a sum of independent 0/1 numbers of which each has its own chance (Poisson's binomial),

    P(i is among the m)     = integral of P(N_i(x) < m) dF_i(x)
    P(all of a set are)     = integral of prod_outside F_j(x) d(1 - prod_inside (1 - F_i(x)))
    E[sum of the m largest - sum of the set] = integral of E[min(m, N(x))] - sum_inside (1 - F_i(x)) dx

by sums over the slices of one grid.  Options that are surely in or out are left aside, and the fewer of those above and
those below x are counted; with very many the sum is taken as normal.  It costs O(K x nodes x m) at most, without random
numbers.
"""

from __future__ import annotations

import math

import numpy as np

from ..beliefs.means import Beliefs, Known
from ..beliefs.samples import Sample
from ..beliefs.student import log_phi
from .chances import ends
from .largest import EDGE, FEWEST, NODES, WORK

EXACT = 50_000  # options times m up to which the count is exact
DEVIATES = np.linspace(-7.0, 7.0, 281)
SHARES = np.exp(-0.5 * DEVIATES**2) / np.exp(-0.5 * DEVIATES**2).sum()


def members(beliefs: Beliefs, inside: np.ndarray) -> tuple[np.ndarray, float, float]:
    """``[K]`` the chance of each to be among the m largest, that ``inside`` [m] are just those, and the expected loss.

    >>> from varde.certainty import Beliefs
    >>> three = Beliefs.students(np.array([2.0, 1.0, 0.0]), np.ones(3), np.full(3, np.inf))
    >>> chances, right, loss = members(three, np.array([0, 1]))
    >>> chances.round(3), round(right, 3), round(loss, 3)
    (array([0.953, 0.776, 0.271]), 0.729, 0.225)
    """
    m, size = inside.size, beliefs.size
    lows, highs = beliefs.quantile(np.array([-EDGE, EDGE]))
    chances, chosen = np.zeros(size), np.zeros(size, dtype=bool)
    chosen[inside] = True
    if m >= size:
        return np.ones(size), 1.0, 0.0
    surely_in = lows > np.partition(highs, size - m - 1)[size - m - 1]
    surely_out = highs < np.partition(lows, size - m)[size - m]
    chances[surely_in] = 1.0
    open_ = np.flatnonzero(~surely_in & ~surely_out)
    wanted = m - int(surely_in.sum())
    if not 0 < wanted < open_.size:
        chances[open_[: max(wanted, 0)]] = 1.0
        return chances, float(np.array_equal(chances > 0.5, chosen)), 0.0
    some = beliefs.take(open_)
    x = nodes_of(some, lows[open_], highs[open_], wanted)
    below = np.exp(some.log_cdf(x))
    mine, chances[open_] = chosen[open_], among(below, wanted)
    loss = float(np.trapezoid(expected_members(below, wanted) - (1.0 - below[:, mine]).sum(axis=1), x))
    with np.errstate(divide="ignore"):
        lowest = 1.0 - np.exp(np.log1p(-below[:, mine]).sum(axis=1))  # distribution of the lowest of the set
        highest = np.exp(np.log(below[:, ~mine]).sum(axis=1))
    right = float(np.diff(lowest) @ (highest[1:] + highest[:-1])) / 2.0
    sure = bool(chosen[surely_in].all() and not chosen[surely_out].any())
    return chances, right if sure else 0.0, max(loss, 0.0)


def nodes_of(beliefs: Beliefs, lows: np.ndarray, highs: np.ndarray, m: int) -> np.ndarray:
    """Half at quantiles of those nearest to the boundary, at their own scales; half in even steps."""
    size = beliefs.size
    nodes = min(NODES, max(FEWEST, WORK // size))
    middle, one = beliefs.quantile(np.array([0.0, 1.0]))
    ranked = np.sort(middle)
    line = 0.5 * (ranked[size - m] + ranked[size - m - 1])
    width = min(size, max(2, nodes // 30))
    with np.errstate(over="ignore"):
        distance = np.abs(middle - line) / np.maximum(one - middle, 1e-300)
    near = np.sort(np.argpartition(distance, width - 1)[:width])
    own = beliefs.take(near).quantile(np.linspace(-EDGE, EDGE, max(8, nodes // 2 // width)))
    return np.unique(np.concatenate([own.ravel(), np.linspace(lows.min(), highs.max(), nodes // 2)]))


def among(below: np.ndarray, m: int) -> np.ndarray:
    """[K] P(fewer than m of the others are above), from F [M, K]."""
    size = below.shape[1]
    few, side = (m, 1.0 - below) if 2 * m <= size else (size - m, below)
    chances, rise = np.zeros(size), np.diff(below, axis=0)
    if size * few > EXACT:
        part = nearly_fewer(side, few)
        part = part if side is not below else 1.0 - part
        chances = (rise * (part[1:] + part[:-1])).sum(axis=0) / 2.0
        return chances * (m / max(chances.sum(), 1e-300))
    step = max(1, 4_000_000 // (size * few))
    for start in range(0, below.shape[0] - 1, step):  # some nodes at a time, for the memory
        part = fewer(side[start : start + step + 1], few)  # [nodes, K] P(fewer than ``few`` others on that side)
        part = part if side is not below else 1.0 - part
        chances += (rise[start : start + step] * (part[1:] + part[:-1])).sum(axis=0) / 2.0
    return chances * (m / max(chances.sum(), 1e-300))


def fewer(chances: np.ndarray, few: int) -> np.ndarray:
    """[M, K] P(fewer than ``few`` of all but i), each with its chance [M, K]: what comes before i, and after it."""
    nodes, size = chances.shape
    before = np.zeros((size, nodes, few))
    after = np.zeros((size, nodes, few))
    before[0, :, 0] = after[-1, :, 0] = 1.0
    for i in range(size - 1):
        before[i + 1] = one_more(before[i], chances[:, i])
        after[size - 2 - i] = one_more(after[size - 1 - i], chances[:, size - 1 - i])
    return np.asarray(np.einsum("imk,imk->mi", before, np.cumsum(after, axis=2)[:, :, ::-1]))


def nearly_fewer(chances: np.ndarray, few: int) -> np.ndarray:
    """The same for very many: the normal distribution, corrected for skewness (Volkova 1996)."""
    spread = chances * (1.0 - chances)
    lean = spread * (1.0 - 2.0 * chances)
    mean, variance, third = (x.sum(axis=1, keepdims=True) - x for x in (chances, spread, lean))
    variance = np.maximum(variance, 1e-9)
    x = np.clip((few - 0.5 - mean) / np.sqrt(variance), -37.0, 37.0)
    bend = third / variance**1.5 * (1.0 - x * x) * np.exp(-0.5 * x * x) / (6.0 * math.sqrt(2.0 * math.pi))
    return np.clip(np.exp(log_phi(x)) + bend, 0.0, 1.0)


def one_more(distribution: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """The number of successes, [M, few], after one more trial."""
    more = distribution * (1.0 - chance)[:, None]
    more[:, 1:] += distribution[:, :-1] * chance[:, None]
    return more


def expected_members(below: np.ndarray, m: int) -> np.ndarray:
    """[M] E[min(m, number above x)]."""
    nodes, size = below.shape
    if size * m > EXACT:
        mean, deviation = (1.0 - below).sum(axis=1), np.sqrt(np.maximum((below * (1.0 - below)).sum(axis=1), 1e-9))
        z = np.clip((m - mean) / deviation, -37.0, 37.0)
        short = (m - mean) * np.exp(log_phi(z)) + deviation * np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        return np.asarray(m - np.maximum(short, np.maximum(m - mean, 0.0)))
    above = np.zeros((nodes, m))
    above[:, 0] = 1.0
    for i in range(size):
        above = one_more(above, 1.0 - below[:, i])
    return np.asarray(m - above @ (m - np.arange(m)))


# -- on which side of a line ------------------------------------------------------------------------


def exceeding(sample: Sample, known: Known, line: float) -> np.ndarray:
    """[K] P(mu_i > line).

    Of an option that never varied, a result like the worst of the others or at a bound may have been missed: it takes
    a share x of those to get to the line, and the chance of none in N results is (1 - x)^N.
    """
    if known.blank:
        return np.full(sample.counts.size, 0.5)
    found = -np.expm1(known.compared.log_cdf(np.array([line]))[0])
    low, high = ends(sample, known.relevant > 0.0)
    still = (sample.squares == 0.0) & (sample.counts > 0.0)
    if not low < high or not still.any():
        return found
    worst = np.maximum(np.where(sample.means > line, sample.means - low, high - sample.means), 1e-300)
    share = np.minimum(np.abs(sample.means - line), worst) / worst
    limit = np.where(still, np.maximum(1.0 - (1.0 - share) ** sample.effective, 0.5), 1.0)
    return np.clip(found, 1.0 - limit, limit)
