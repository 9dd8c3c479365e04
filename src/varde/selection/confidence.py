"""How sure is the answer, from the samples alone.

Per option N_i samples, mean m_i and M2_i; the noise as in the gap rule (``varde.gaps``), drawn towards the pooled one:

    sp2  = sum M2_i / sum (N_i - 1),      s2_i = (5 sp2 + M2_i) / (5 + N_i - 1)
    mu_i ~ Student(m_i, u_i / N_i, 4 + N_i degrees of freedom)

u_i is s2_i, guarded where rare large values may simply not have come yet: a variance below the pooled one is believed
only after a number of samples that grows with the kurtosis of the residuals.  Then

    P_i  = P(mu_i is the largest)                        by quadrature
    P(best) is proportional to P_i (1 - log P_i)

The last line is the price of not knowing how large gaps are: a posterior that takes every gap for equally likely is
badly overconfident as soon as some problems are near-ties.  If the size of a gap can be anything, on a logarithmic
scale, evidence of strength p against a tie is worth about -p log p (Sellke, Bayarri and Berger 2001).
Everything is unit- and shift-free, deterministic, and larger is better here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..gaps import GapVarDE, gap_scores, guarded, own_variance
from .quadrature import Beliefs, largest, student_score

LEVEL = 0.95  # of the intervals, and of the options that are not rejected
Z = 1.959963984540054  # the normal deviate of LEVEL
FURTHEST = 1000.0  # times the budget spent: beyond, nothing is promised about the samples still needed


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
    evidence = Evidence(counts, means + origin, squares, 3.0, float(flat.var()) if flat.size else 0.0)
    pooled = pooled_variance(evidence)
    if not squares.any():
        return evidence
    standard = residuals**2 / own_variance(RULE, pooled, squares, counts)[owner]
    return evidence._replace(kurtosis=float(np.mean(standard**2) / np.mean(standard) ** 2))


RULE = GapVarDE()


def pooled_variance(evidence: Evidence) -> float:
    """Noise pooled over all options, with one more degree of freedom at the spread of all values.

    So it is positive unless all values are equal: three equal values of every option are no proof that there is no noise.
    """
    free = np.maximum(evidence.counts - 1.0, 0.0).sum()
    return float((evidence.squares.sum() + evidence.spread) / (free + 1.0))


def believe(evidence: Evidence) -> Beliefs:
    """The posterior of every option; one without samples is taken for another like the rest."""
    counts, pooled = evidence.counts, pooled_variance(evidence)
    wary = RULE._replace(guard=max(evidence.kurtosis - 3.0, 1e-3) * GUARD)
    variances = guarded(wary, pooled, own_variance(RULE, pooled, evidence.squares, counts), counts)
    tried = counts > 0
    centers = np.where(tried, evidence.means, evidence.means[tried].mean())
    scales = np.sqrt(np.where(tried, variances / np.maximum(counts, 1.0), evidence.spread + pooled))
    return Beliefs(centers, scales, RULE.prior - 1.0 + counts)


GUARD = 1.0  # samples per unit of excess kurtosis until a variance below the pooled one is half believed
SCEPTICISM = 1.0


def sceptical(chances: np.ndarray) -> np.ndarray:
    """P (1 - log P), normalised: equal chances stay equal, small ones grow by the factor that near-ties ask for."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(chances > 0.0, chances * (1.0 - SCEPTICISM * np.log(chances)), 0.0)
    return weights / weights.sum()


def assess(evidence: Evidence) -> Confidence:
    """Everything about the option with the highest mean, the first of those on ties."""
    if not (evidence.counts > 0).any():
        raise ValueError("there are no results yet: tell at least one")
    beliefs = believe(evidence)
    best = int(np.nanargmax(evidence.means))
    raw, regret = largest(beliefs, best)
    chances = sceptical(raw)
    reach = student_score(np.array(Z), beliefs.freedom) * beliefs.scales
    tried = evidence.counts > 0
    lows = np.where(tried, beliefs.centers - reach, -np.inf)
    highs = np.where(tried, beliefs.centers + reach, np.inf)
    return Confidence(best, chances, regret, lows, highs, judge(chances, best), lead(evidence, reach, chances, best))


def lead(evidence: Evidence, reach: np.ndarray, chances: np.ndarray, best: int) -> tuple[int, float, float] | None:
    """Over the likeliest of the other options that were tried."""
    rivals = np.where(evidence.counts > 0, chances, -1.0)
    rivals[best] = -1.0
    rival = int(np.argmax(rivals))
    if rivals[rival] < 0.0:
        return None
    return rival, float(evidence.means[best] - evidence.means[rival]), float(np.hypot(reach[best], reach[rival]))


def judge(chances: np.ndarray, best: int) -> list[str]:
    """Reject the unlikeliest, as many as together have at most a 5 % chance to hold the best one."""
    verdicts = np.full(chances.size, "possible", dtype=object)
    order = np.argsort(chances, kind="stable")
    order = order[order != best]
    verdicts[order[np.cumsum(chances[order]) <= 1.0 - LEVEL]] = "rejected"
    verdicts[best] = "best"
    return verdicts.tolist()


def more_budget(
    evidence: Evidence, levels: Sequence[float] = (0.95, 0.99), costs: np.ndarray | None = None
) -> dict[float, float]:
    """About how much more to spend until P(best) reaches each level, should the estimates stay as they are.

    The gap rule goes on in steps of 3 % of what was spent, until 1000 times that; infinite if it is not enough.
    """
    costs = np.ones(evidence.counts.size) if costs is None else costs
    spent = float(evidence.counts @ costs)
    evidence, costs = contenders(evidence, costs)
    best = int(np.nanargmax(evidence.means))
    counts = np.maximum(evidence.counts, 1.0)
    means = np.where(evidence.counts > 0, evidence.means, np.nanmean(evidence.means))
    noise = np.where(evidence.counts > 1, evidence.squares / counts, pooled_variance(evidence))

    def sure(counts: np.ndarray) -> float:
        then = evidence._replace(counts=counts, means=means, squares=noise * counts)
        return float(sceptical(largest(believe(then), best)[0])[best])

    path, needed = [(0.0, counts)], {}
    for level in sorted(levels):
        # Double the horizon until it is enough, then halve the step that crossed the level.
        while sure(path[-1][1]) < level and path[-1][0] < FURTHEST * spent:
            extend(path, means, noise, costs, spent)
        if sure(path[-1][1]) < level:
            needed[level] = math.inf
            continue
        low, high = 0, len(path) - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if sure(path[middle][1]) >= level else (middle + 1, high)
        needed[level] = float(math.ceil(path[low][0]))
    return needed


def extend(path: list, means: np.ndarray, noise: np.ndarray, costs: np.ndarray, spent: float) -> None:
    """Go on along the path, the rule choosing, until twice as much was spent."""
    paid, counts = path[-1]
    until = 2.0 * (paid + spent) - spent
    while paid < until:
        counts = counts.copy()
        chosen = int(np.argmax(gap_scores(RULE, counts, means, noise * counts, 0, costs)))
        step = max(1.0, 0.03 * (paid + spent) / costs[chosen])
        counts[chosen] += step
        paid += step * costs[chosen]
        path.append((paid, counts))


def contenders(evidence: Evidence, costs: np.ndarray, most: int = 1000) -> tuple[Evidence, np.ndarray]:
    """The options that look best; of very many, the others matter too little for the time that they would take."""
    if evidence.counts.size <= most:
        return evidence, costs
    beliefs = believe(evidence)
    kept = np.sort(np.argsort(beliefs.centers + 2.0 * beliefs.scales)[-most:])
    counts, means, squares = evidence.counts[kept], evidence.means[kept], evidence.squares[kept]
    return evidence._replace(counts=counts, means=means, squares=squares), costs[kept]
