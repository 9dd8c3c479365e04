"""Relevance: options that are clearly worse than the leader do not count.

Everything estimated from several options (noise, tails, sizes of jumps, the spread of the means) is weighted by
relevance r in [0, 1], which is 0 for an option whose plausible range is wholly below the leader.  So a hopeless option
affects only its own row.  With W the normal deviate of a Student one, b the leader, v own variances:

    e_i = v'_i / N_i,  l_i = v'_b / N_b,  t_i = (m_b - m_i) / sqrt(e_i + l_i),  f by Welch, at least 3
    r_i = clip((3.25 - W(t_i, f)) / (3.25 - 2), 0, 1)

If the question is which are the best m, b is the m-th, and options far above it do not count either; if it is which are
above a line, the line replaces b.

v' of an option that never varied is that of the other of the two: equal results do not prove that there is no noise.
With fewer than two results r = 1; never tried: r = 0.
"""

from __future__ import annotations

import numpy as np

from .samples import Sample
from .student import normal_score

NEAR, FAR = 2.0, 3.25  # standard scores below the leader: full relevance, none
LEAST = 3.0  # degrees of freedom: with fewer, two results would count however far away


def relevance(sample: Sample, variance: np.ndarray, free: np.ndarray) -> np.ndarray:
    """[K] r."""
    if sample.line is not None:
        return relevance_to_a_line(sample, variance, free)
    counts, worth = sample.counts, sample.worth
    best = sample.leader if sample.rank == 1 else int(sample.ranked[min(sample.rank, counts.size) - 1])
    error = np.where(variance > 0.0, variance, variance[best]) / worth
    lead = np.where(variance[best] > 0.0, variance[best], variance) / worth[best]
    both = error + lead
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(sample.means[best] - sample.means) / np.sqrt(both)
        welch = 1.0 / ((error / both) ** 2 / free + (lead / both) ** 2 / free[best])
        z = normal_score(t, np.maximum(welch, LEAST))
    z = np.where((counts < 2) | (counts[best] < 2) | ~np.isfinite(z), 0.0, z)
    return np.where(counts > 0, np.clip((FAR - z) / (FAR - NEAR), 0.0, 1.0), 0.0)


def relevance_to_a_line(sample: Sample, variance: np.ndarray, free: np.ndarray) -> np.ndarray:
    """[K] r; if all are far from the line, all of them count."""
    tried, moving = sample.counts > 0, variance > 0.0
    usual = variance[moving].mean() if moving.any() else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(sample.means - sample.line) / np.sqrt(np.where(moving, variance, usual) / sample.worth)
        z = normal_score(t, np.maximum(free, 1.0))
    z = np.where((sample.counts < 2) | ~np.isfinite(z), 0.0, z)
    near = np.where(tried, np.clip((FAR - z) / (FAR - NEAR), 0.0, 1.0), 0.0)
    return near if near.any() else tried.astype(float)
