"""The largest of many independent uncertain numbers: which one is it, and how large?

Option i has a Student posterior with location c_i, scale s_i and f_i degrees of freedom, and F_i for its distribution
function.  The largest of all has E(x) = prod_i F_i(x), and

    P(i is the largest)    = integral of (d log F_i / d log E) dE
    E[(max_j mu_j - mu_b)+] = integral of F_b(x) (1 - prod_{j != b} F_j(x)) dx,

both by sums over the slices of one grid.  The shares of a slice are positive and add up to 1, so the chances do too,
whatever the grid.  It costs O(K x nodes), without random numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .student import log_phi, normal_score, student_score

WORK = 4_000_000  # options x nodes at most, so that 100,000 options take about a second
NODES = 600
NARROW = 1e-9  # of the whole range: a mean that is known counts as a step of this width


class Beliefs(NamedTuple):
    """What is known about the true mean of every option; infinite ``freedom`` is a Gaussian."""

    centers: np.ndarray  # [K]
    scales: np.ndarray  # [K] 0 where the mean is known
    freedom: np.ndarray  # [K] degrees of freedom


def grid(beliefs: Beliefs, taken: int) -> np.ndarray:
    """The nodes: quantiles of the likeliest winners, and even steps over the range of the largest."""
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

    >>> chances, regret = largest(Beliefs(np.array([1.0, 0.0]), np.ones(2), np.full(2, np.inf)), taken=0)
    >>> chances.round(3), round(regret, 3)
    (array([0.76, 0.24]), 0.199)
    """
    centers = beliefs.centers - beliefs.centers.max()
    span = max(-centers.min(), beliefs.scales.max())
    if span == 0.0:  # nothing is uncertain and all are equal
        return np.full(centers.size, 1.0 / centers.size), 0.0
    beliefs = Beliefs(centers, np.maximum(beliefs.scales, NARROW * span), beliefs.freedom)
    x = grid(beliefs, taken)
    deviates = (x[:, None] - beliefs.centers) / beliefs.scales
    below = log_phi(normal_score(deviates, beliefs.freedom))  # [M, K] log F_i(x_m)
    weights = np.ones(centers.size) if weights is None else weights
    total = below @ weights
    rise = np.diff(below, axis=0)
    gain = rise @ weights
    mass = np.diff(np.exp(total))
    chances = np.divide(mass, gain, out=np.zeros(gain.size), where=gain > 0.0) @ rise
    loss = np.exp(below[:, taken]) * -np.expm1(total - below[:, taken])
    return chances / (chances @ weights), float(np.sum(np.diff(x) * (loss[1:] + loss[:-1]) / 2.0))
