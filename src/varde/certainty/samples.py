"""What samples say about the true means: beliefs from raw values, or from estimates and their errors.

Per option N_i samples, mean m_i and M2_i; the noise drawn towards the pooled one, as the rule that samples does it:

    sp2  = sum M2_i / sum (N_i - 1),      s2_i = (5 sp2 + M2_i) / (5 + N_i - 1)
    u_i  = s2_i + max(0, sp2 - s2_i) G / (G + N_i),      G = 1.5 max(0, kurtosis of the residuals - 3)
    mu_i ~ Student(m_i, u_i / N_i, 4 + N_i degrees of freedom)

Where rare large values carry the mean, an option that has not had its share of them looks quiet as well as bad or good.
So a variance below the pooled one is believed the later, the heavier the tails: u_i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .largest import Beliefs

PRIOR = 5.0  # samples that the pooled variance counts for in each option's own
GUARD = 1.5  # G per unit of excess kurtosis
PAIRS = 5  # replicates in common from which on a correlation is believed


class Evidence(NamedTuple):
    """What the samples say; larger is better."""

    counts: np.ndarray  # [K] N
    means: np.ndarray  # [K] nan where there are no samples
    squares: np.ndarray  # [K] M2
    kurtosis: float = 3.0  # of the residuals; 3 if they are Gaussian
    spread: float = 0.0  # variance of all values about their mean


class Matched(NamedTuple):
    """What common random numbers add: samples of two options with the same replicate go up and down together."""

    counts: np.ndarray  # [K] replicates in common with the best option
    correlations: np.ndarray  # [K] of the two means


def gather(values: Sequence[np.ndarray]) -> Evidence:
    """The moments of raw values, one array per option."""
    counts = np.array([x.size for x in values], dtype=float)
    flat = np.concatenate([np.asarray(x, dtype=float) for x in values])
    owner = np.repeat(np.arange(counts.size), counts.astype(np.int64))
    origin = flat[0] if flat.size else 0.0  # a large shift must not cost digits
    with np.errstate(invalid="ignore"):
        means = np.bincount(owner, flat - origin, counts.size) / counts
    residuals = flat - origin - means[owner]
    squares = np.bincount(owner, residuals**2, counts.size)
    evidence = Evidence(counts, means + origin, squares, 3.0, float((flat - origin).var()) if flat.size else 0.0)
    if not squares.any():
        return evidence
    standard = residuals**2 / own_variances(evidence)[owner]
    if standard.max() < 1e-100:  # beside options that are far away; its square would be 0
        standard /= standard.max()
    return evidence._replace(kurtosis=float(np.mean(standard**2) / np.mean(standard) ** 2))


def pooled_variance(evidence: Evidence) -> float:
    """sp2, with one more degree of freedom at the spread of all values.

    So it is positive unless all values are equal: three equal values of every option are no proof against noise.
    """
    free = np.maximum(evidence.counts - 1.0, 0.0).sum()
    return float((evidence.squares.sum() + evidence.spread) / (free + 1.0))


def own_variances(evidence: Evidence) -> np.ndarray:
    """[K] s2."""
    return (PRIOR * pooled_variance(evidence) + evidence.squares) / (PRIOR - 1.0 + evidence.counts)


def believe(evidence: Evidence) -> Beliefs:
    """The posterior of every option; one without samples is taken for another like the rest."""
    counts, pooled, variances = evidence.counts, pooled_variance(evidence), own_variances(evidence)
    guard = max(GUARD * (evidence.kurtosis - 3.0), 1e-9)
    variances = np.maximum(variances, variances + (pooled - variances) * (guard / (guard + counts)))
    tried = counts > 0
    centers = np.where(tried, evidence.means, evidence.means[tried].mean())
    scales = np.sqrt(np.where(tried, variances / np.maximum(counts, 1.0), evidence.spread + pooled))
    return Beliefs(centers, scales, PRIOR - 1.0 + counts)


def from_estimates(estimates: np.ndarray, errors: np.ndarray, counts: np.ndarray) -> Beliefs:
    """Beliefs from estimates, their standard errors and the samples behind them.

    One without samples is level with the leader, and further from it by chance than the others are.
    """
    tried = counts > 0
    if not tried.any():
        return Beliefs(np.zeros(counts.size), np.ones(counts.size), np.full(counts.size, PRIOR))
    known, error = estimates[tried], errors[tried]
    return Beliefs(
        np.where(tried, estimates, known.max()),
        np.where(tried, errors, math.sqrt(float(known.var() + (error * error).max()))),
        PRIOR - 1.0 + np.asarray(counts, float),
    )


def pair_up(values: Sequence[np.ndarray], replicates: Sequence[np.ndarray], best: int) -> Matched:
    """How the means of all options go along with that of ``best``, from the replicates that both have.

    Only a positive correlation is believed, lowered by one standard error (Fisher), and from five pairs on.
    """
    counts, correlations = np.zeros(len(values)), np.zeros(len(values))
    first = dict(zip(replicates[best].tolist(), values[best].tolist(), strict=True))
    for j, (mine, theirs) in enumerate(zip(values, replicates, strict=True)):
        both = [(x, first[r]) for r, x in zip(theirs.tolist(), mine.tolist(), strict=True) if r in first]
        counts[j] = len(both)
        if j == best or len(both) < PAIRS:
            continue
        x, y = (column - column.mean() for column in np.array(both).T)
        spread = math.sqrt((x @ x) * (y @ y))
        if spread > 0.0:
            correlation = math.tanh(math.atanh(min(x @ y / spread, 1.0 - 1e-9)) - 1.0 / math.sqrt(len(both) - 3.0))
            correlations[j] = max(correlation, 0.0) * len(both) / math.sqrt(mine.size * values[best].size)
    return Matched(counts, correlations)
