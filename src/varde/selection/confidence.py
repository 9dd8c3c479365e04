"""How sure is the answer, from the samples alone.

Per option N_i samples, mean m_i and M2_i; the noise as in the gap rule (``varde.gaps``), drawn towards the pooled one:

    sp2  = sum M2_i / sum (N_i - 1),      s2_i = (5 sp2 + M2_i) / (5 + N_i - 1)
    u_i  = s2_i + max(0, sp2 - s2_i) G / (G + N_i),      G = 2 max(0, kurtosis of the residuals - 3)
    mu_i ~ Student(m_i, u_i / N_i, 4 + N_i degrees of freedom)
    P_i  = P(mu_i is the largest), by quadrature;      P(best) is proportional to P_i (1 - log P_i)

Where rare large values carry the mean, an option that has not had its share of them looks quiet as well as bad or good.
So a variance below the pooled one is believed the later, the heavier the tails: u_i.

The last step is the price of not knowing how large the gaps are.  A posterior that takes all of them for equally likely
is overconfident as soon as some problems are near-ties.  If the size of a gap can be anything, on a logarithmic scale,
evidence of strength P against a tie is worth about -P log P (Sellke, Bayarri and Berger 2001).

Everything is free of unit and zero, deterministic, and larger is better here.  docs/confidence.md has the calibration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..gaps import GapVarDE, guarded, own_variance
from .quadrature import Beliefs, largest, student_score

LEVEL = 0.95  # of the intervals, and of the options that are not rejected
DEVIATE = 1.959963984540054  # the normal deviate of LEVEL, both sides
RULE = GapVarDE()
GUARD = 2.0  # G per unit of excess kurtosis


class Evidence(NamedTuple):
    """What the samples say; larger is better."""

    counts: np.ndarray  # [K] N
    means: np.ndarray  # [K] nan where there are no samples
    squares: np.ndarray  # [K] M2
    kurtosis: float = 3.0  # of the residuals; 3 if they are Gaussian
    spread: float = 0.0  # variance of all values about their mean


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
    standard = residuals**2 / own_variance(RULE, pooled_variance(evidence), squares, counts)[owner]
    return evidence._replace(kurtosis=float(np.mean(standard**2) / np.mean(standard) ** 2))


def pooled_variance(evidence: Evidence) -> float:
    """sp2, with one more degree of freedom at the spread of all values.

    So it is positive unless all values are equal: three equal values of every option do not prove that there is no noise.
    """
    free = np.maximum(evidence.counts - 1.0, 0.0).sum()
    return float((evidence.squares.sum() + evidence.spread) / (free + 1.0))


def believe(evidence: Evidence) -> Beliefs:
    """The posterior of every option; one without samples is taken for another like the rest."""
    counts, pooled = evidence.counts, pooled_variance(evidence)
    wary = RULE._replace(guard=max(GUARD * (evidence.kurtosis - 3.0), 1e-9))
    variances = guarded(wary, pooled, own_variance(RULE, pooled, evidence.squares, counts), counts)
    tried = counts > 0
    centers = np.where(tried, evidence.means, evidence.means[tried].mean())
    scales = np.sqrt(np.where(tried, variances / np.maximum(counts, 1.0), evidence.spread + pooled))
    return Beliefs(centers, scales, RULE.prior - 1.0 + counts)


def sceptical(chances: np.ndarray, weights: np.ndarray | float = 1.0) -> np.ndarray:
    """P (1 - log P), normalised: equal chances stay equal, small ones grow by the factor that near-ties ask for."""
    with np.errstate(divide="ignore", invalid="ignore"):
        doubted = np.where(chances > 0.0, chances * (1.0 - np.log(chances)), 0.0)
    return doubted / np.sum(weights * doubted)


def assess(evidence: Evidence, shared: np.ndarray | None = None) -> Confidence:
    """Everything about the option with the highest mean, the first of those on ties.

    ``shared`` is the covariance of each mean with the mean of that option (``pairs``), where samples came in pairs.
    """
    best = int(np.nanargmax(evidence.means))
    beliefs = believe(evidence)
    errors = np.hypot(beliefs.scales, beliefs.scales[best])  # of the gaps to the best
    raw, regret = largest(beliefs, best)
    if shared is not None and shared.any():
        errors = np.sqrt(np.maximum(errors**2 - 2.0 * shared, 0.01 * errors**2))
        # The gaps share the error of the best, so that they depend on each other positively: their chances multiplied
        # are a lower bound (Slepian).  So is the answer for independent samples; take the better of the two.
        known = np.where(np.arange(errors.size) == best, 0.0, errors)
        paired, loss = largest(beliefs._replace(scales=known), best)
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


def covariances(values: Sequence[np.ndarray], replicates: Sequence[np.ndarray], best: int) -> np.ndarray:
    """[K] of every option's mean with the mean of ``best``, from the replicates that both have (common random numbers).

    Only positive ones are believed, and the fewer the pairs, the less.
    """
    found = np.zeros(len(values))
    first = dict(zip(replicates[best].tolist(), values[best].tolist(), strict=True))
    for j, (mine, theirs) in enumerate(zip(values, replicates, strict=True)):
        both = [(x, first[r]) for r, x in zip(theirs.tolist(), mine.tolist(), strict=True) if r in first]
        if j == best or len(both) < 5:
            continue
        x, y = np.array(both).T
        covariance = float(np.mean((x - x.mean()) * (y - y.mean()))) * len(both) / (len(both) + 5.0)
        found[j] = max(covariance, 0.0) * len(both) / (mine.size * values[best].size)
    return found
