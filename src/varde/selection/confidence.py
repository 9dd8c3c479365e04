"""How sure is the answer, from the samples alone.

Per option N_i samples, mean m_i and M2_i; the noise as in the gap rule (``varde.noise``), drawn towards the pooled one:

    sp2  = sum M2_i / sum (N_i - 1),      s2_i = (5 sp2 + M2_i) / (5 + N_i - 1)
    u_i  = s2_i + max(0, sp2 - s2_i) G / (G + N_i),      G = 1.5 max(0, kurtosis of the residuals - 3)
    mu_i ~ Student(m_i, u_i / N_i, 4 + N_i degrees of freedom)
    P_i  = P(mu_i is the largest), by quadrature
    P(best) = h(P) / (h(P) + h(1 - P)),  h(p) = p (1 - log p),  for the option with more than half of all chances

Where rare large values carry the mean, an option that has not had its share of them looks quiet as well as bad or good.
So a variance below the pooled one is believed the later, the heavier the tails: u_i.

The last step is the price of not knowing how large the gaps are.  A posterior that takes all of them for equally likely
is overconfident as soon as some problems are near-ties.  If the size of a gap can be anything, on a logarithmic scale,
a small chance p of being wrong must be taken for about -p log p (Sellke, Bayarri and Berger 2001).

Everything is free of unit and zero, deterministic, and larger is better here.  docs/confidence.md has the calibration.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..noise import Pooled, own_variance, wary_variance
from ..rule import VarDE
from .quadrature import Beliefs, largest, student_score

LEVEL = 0.95  # of the intervals, and of the options that are not rejected
DEVIATE = 1.959963984540054  # the normal deviate of LEVEL, both sides
RULE, NOISE = VarDE(), Pooled()
GUARD = 1.5  # G per unit of excess kurtosis


class Evidence(NamedTuple):
    """What the samples say; larger is better."""

    counts: np.ndarray  # [K] N
    means: np.ndarray  # [K] nan where there are no samples
    squares: np.ndarray  # [K] M2
    kurtosis: float = 3.0  # of the residuals; 3 if they are Gaussian
    spread: float = 0.0  # variance of all values about their mean


class Pairs(NamedTuple):
    """What common random numbers add: samples of two options with the same replicate go up and down together."""

    counts: np.ndarray  # [K] replicates in common with the best option
    correlations: np.ndarray  # [K] of the two means


class Confidence(NamedTuple):
    """How sure it is that option ``best`` is the best."""

    best: int
    chances: np.ndarray  # [K] P(best)
    regret: float  # expected loss from taking ``best``
    lows: np.ndarray  # [K] 95 % interval of the mean
    highs: np.ndarray
    verdicts: list[str]  # [K] best, possible or rejected
    gap: tuple[int, float, float] | None  # the strongest rival, the lead over it, and the 95 % margin of that lead


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
    standard = residuals**2 / own_variance(NOISE, pooled_variance(evidence), squares, counts)[owner]
    return evidence._replace(kurtosis=float(np.mean(standard**2) / np.mean(standard) ** 2))


def pooled_variance(evidence: Evidence) -> float:
    """sp2, with one more degree of freedom at the spread of all values.

    So it is positive unless all values are equal: three equal values of every option are no proof against noise.
    """
    free = np.maximum(evidence.counts - 1.0, 0.0).sum()
    return float((evidence.squares.sum() + evidence.spread) / (free + 1.0))


def believe(evidence: Evidence) -> Beliefs:
    """The posterior of every option; one without samples is taken for another like the rest."""
    counts, pooled = evidence.counts, pooled_variance(evidence)
    wary = NOISE._replace(guard=max(GUARD * (evidence.kurtosis - 3.0), 1e-9))
    variances = wary_variance(wary, pooled, own_variance(NOISE, pooled, evidence.squares, counts), counts)
    tried = counts > 0
    centers = np.where(tried, evidence.means, evidence.means[tried].mean())
    scales = np.sqrt(np.where(tried, variances / np.maximum(counts, 1.0), evidence.spread + pooled))
    return Beliefs(centers, scales, NOISE.prior - 1.0 + counts)


def sceptical(chances: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """A chance above one half, lowered as near-ties ask for; the others share what it loses."""
    top = int(np.argmax(chances))
    wrong = float(np.delete(chances if weights is None else chances * weights, top).sum())  # not 1 - P: it may be tiny
    if chances[top] <= 0.5 or wrong <= 0.0:
        return chances
    for_it, against = (p * (1.0 - math.log(p)) for p in (1.0 - wrong, wrong))
    doubted = chances * (against / (for_it + against) / wrong)
    doubted[top] = for_it / (for_it + against)
    return doubted


def assess(evidence: Evidence, pairs: Pairs | None = None) -> Confidence:
    """Everything about the option with the highest mean, the first of those on ties."""
    best = int(np.nanargmax(evidence.means))
    beliefs = believe(evidence)
    errors = np.hypot(beliefs.scales, beliefs.scales[best])  # of the gaps to the best
    raw, regret = largest(beliefs, best)
    if pairs is not None and pairs.correlations.any():
        shared = pairs.correlations * beliefs.scales * beliefs.scales[best]
        errors = np.sqrt(np.maximum(errors**2 - 2.0 * shared, 1e-4 * errors**2))
        freedom = np.where(pairs.correlations > 0.0, pairs.counts - 1.0, beliefs.freedom)
        # The gaps share the error of the best, so that they depend on each other positively: their chances multiplied
        # are a lower bound (Slepian).  So is the answer for independent samples; take the better of the two.
        known = np.where(np.arange(errors.size) == best, 0.0, errors)
        paired, loss = largest(Beliefs(beliefs.centers, known, freedom), best)
        if paired[best] > raw[best]:
            raw, regret = paired, loss
    chances, tried = sceptical(raw), evidence.counts > 0
    deviates = student_score(np.array(DEVIATE), beliefs.freedom)
    reach = np.where(tried, deviates * beliefs.scales, np.inf)
    rivals = np.where(tried, chances, -1.0)
    rivals[best] = -1.0
    j = int(np.argmax(rivals))
    gap = (j, float(evidence.means[best] - evidence.means[j]), float(max(deviates[best], deviates[j]) * errors[j]))
    lows, highs = beliefs.centers - reach, beliefs.centers + reach
    return Confidence(best, chances, regret, lows, highs, judge(chances, best), gap if rivals[j] >= 0.0 else None)


def judge(chances: np.ndarray, best: int) -> list[str]:
    """Reject the unlikeliest, as many as together have at most a 5 % chance to hold the best one."""
    verdicts = np.full(chances.size, "possible", dtype=object)
    order = np.argsort(chances, kind="stable")
    order = order[order != best]
    verdicts[order[np.cumsum(chances[order]) <= 1.0 - LEVEL]] = "rejected"
    verdicts[best] = "best"
    return verdicts.tolist()


def pair_up(values: Sequence[np.ndarray], replicates: Sequence[np.ndarray], best: int) -> Pairs:
    """How the means of all options go along with that of ``best``, from the replicates that both have.

    Only a positive correlation is believed, lowered by one standard error (Fisher), and from five pairs on.
    """
    counts, correlations = np.zeros(len(values)), np.zeros(len(values))
    first = dict(zip(replicates[best].tolist(), values[best].tolist(), strict=True))
    for j, (mine, theirs) in enumerate(zip(values, replicates, strict=True)):
        both = [(x, first[r]) for r, x in zip(theirs.tolist(), mine.tolist(), strict=True) if r in first]
        counts[j] = len(both)
        if j == best or len(both) < 5:
            continue
        x, y = (column - column.mean() for column in np.array(both).T)
        spread = math.sqrt((x @ x) * (y @ y))
        if spread > 0.0:
            correlation = math.tanh(math.atanh(min(x @ y / spread, 1.0 - 1e-9)) - 1.0 / math.sqrt(len(both) - 3.0))
            correlations[j] = max(correlation, 0.0) * len(both) / math.sqrt(mine.size * values[best].size)
    return Pairs(counts, correlations)
