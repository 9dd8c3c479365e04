"""The largest of many independent uncertain numbers: which one is it, and how large?

Option i has a Student posterior with location c_i, scale s_i and f_i degrees of freedom, and F_i for its distribution
function.  The largest of all has E(x) = prod_i F_i(x), and

    P(i is the largest)    = integral of (d log F_i / d log E) dE
    E[(max_j mu_j - mu_b)+] = integral of F_b(x) (1 - prod_{j != b} F_j(x)) dx,

both by sums over the slices of one grid.  The shares of a slice are positive and add up to 1, so the chances do too,
whatever the grid.  It costs O(K x nodes), without random numbers.
"""

from __future__ import annotations

import functools
import math
from typing import NamedTuple

import numpy as np

WORK = 4_000_000  # options x nodes at most, so that 100,000 options take about a second
NODES = 600
LOWEST = -37.0  # log Phi(-37) is -689, near the smallest double


class Beliefs(NamedTuple):
    """What is known about the true mean of every option; infinite ``freedom`` is a Gaussian."""

    centers: np.ndarray  # [K]
    scales: np.ndarray  # [K] 0 where the mean is known
    freedom: np.ndarray  # [K] degrees of freedom


@functools.cache
def _log_phi_table() -> tuple[np.ndarray, np.ndarray]:
    grid = np.linspace(LOWEST, 9.0, 9201)
    return grid, np.array([math.log(0.5 * math.erfc(-z / math.sqrt(2.0))) for z in grid])


def log_phi(z: np.ndarray) -> np.ndarray:
    """log Phi(z) to 3e-6, from a table: numpy has no error function."""
    return np.interp(z, *_log_phi_table())


def normal_score(t: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The normal deviate as likely as a Student ``t`` (Wallace 1959): within .001 in probability from 3 degrees on."""
    with np.errstate(invalid="ignore"):
        bent = np.sqrt(freedom * np.log1p(t * t / freedom)) * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    return np.where(np.isinf(freedom), t, np.copysign(bent, t))


def student_score(z: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The inverse: the Student deviate as likely as a normal ``z``."""
    with np.errstate(invalid="ignore"):
        straight = z * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0)
        bent = np.sqrt(freedom * np.expm1(straight * straight / freedom))
    return np.where(np.isinf(freedom), z, np.copysign(bent, z))


def log_below(beliefs: Beliefs, x: np.ndarray) -> np.ndarray:
    """[M, K] log F_i(x_m)."""
    t = (x[:, None] - beliefs.centers) / beliefs.scales
    return log_phi(normal_score(t, beliefs.freedom))


def grid(beliefs: Beliefs, taken: int) -> np.ndarray:
    """Where to look: quantiles of the likeliest winners, and even steps over the range of the largest."""
    size = beliefs.centers.size
    nodes = int(np.clip(WORK // size, 60, NODES))
    reach = beliefs.scales * student_score(np.array(6.0), beliefs.freedom)
    lows, high = beliefs.centers - reach, (beliefs.centers + reach).max()
    # Few options can win; each gets nodes at its own scale, however small that is beside the others'.
    width = min(size, max(2, nodes // 36))
    winners = np.argpartition(beliefs.centers + 2.0 * beliefs.scales, size - width)[size - width :]
    winners = np.union1d(winners, [taken])
    deviates = np.linspace(-6.0, 6.0, max(8, (nodes // 2) // winners.size))[:, None]
    own = beliefs.centers[winners] + beliefs.scales[winners] * student_score(deviates, beliefs.freedom[winners])
    x = np.concatenate([own.ravel(), np.linspace(lows.max(), high, nodes // 2)])
    return np.unique(x[(x >= lows[taken]) & (x <= high)])


def largest(beliefs: Beliefs, taken: int, weights: np.ndarray | None = None) -> tuple[np.ndarray, float]:
    """``[K]`` the chance of each to be the largest, and the expected regret of having taken option ``taken``.

    With ``weights`` each option stands for that many alike.
    """
    centers = beliefs.centers - beliefs.centers.max()
    span = max(-centers.min(), beliefs.scales.max())
    if span == 0.0:  # nothing is uncertain and all are equal
        return np.full(centers.size, 1.0 / centers.size), 0.0
    beliefs = Beliefs(
        centers, np.maximum(beliefs.scales, 1e-9 * span), beliefs.freedom
    )  # what is known is a narrow step
    x = grid(beliefs, taken)
    below = log_below(beliefs, x)
    weights = np.ones(centers.size) if weights is None else weights
    total = below @ weights
    rise = np.diff(below, axis=0)
    gain = rise @ weights
    mass = np.diff(np.exp(total))
    chances = np.divide(mass, gain, out=np.zeros(gain.size), where=gain > 0.0) @ rise
    loss = np.exp(below[:, taken]) * -np.expm1(total - below[:, taken])
    return chances / (chances @ weights), float(np.sum(np.diff(x) * (loss[1:] + loss[:-1]) / 2.0))
