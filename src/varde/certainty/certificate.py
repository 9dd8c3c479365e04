"""How sure is the answer, and what may it cost: chances, intervals, verdicts, and the certificate made of them.

    P_i  = P(mu_i is the largest), by quadrature
    P(best) = h(P) / (h(P) + h(1 - P)),  h(p) = p (1 - log p),  for the option with more than half of all chances

The second step is the price of not knowing how large the gaps are.  A posterior that takes all of them for equally
likely is overconfident as soon as some problems are near-ties.  If the size of a gap can be anything, on a logarithmic
scale, a small chance p of being wrong must be taken for about -p log p (Sellke, Bayarri and Berger 2001).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .largest import Beliefs, largest
from .samples import Evidence, Matched, believe
from .student import DEVIATE, student_score

LEVEL = 0.95  # of the intervals, and of the options that are not rejected


class Certificate(NamedTuple):
    """How sure an answer is, and what ended the search for it."""

    p_best: dict[Any, float]  # chance of being the best, by option, action, ...
    p_right: float  # that of the answer
    loss: float  # what taking it loses against the truly best one, on average
    stopped: str  # "budget", "seconds", "sure" or "interrupted"
    spent: float  # samples, or what they cost


class Confidence(NamedTuple):
    """How sure it is that option ``best`` is the best."""

    best: int
    chances: np.ndarray  # [K] P(best)
    regret: float  # expected loss from taking ``best``
    lows: np.ndarray  # [K] 95 % interval of the mean
    highs: np.ndarray
    verdicts: list[str]  # [K] best, possible or rejected
    gap: tuple[int, float, float] | None  # the strongest rival, the lead over it, and the 95 % margin of that lead


def certify(names: Sequence[Hashable], beliefs: Beliefs, taken: int, stopped: str, spent: float) -> Certificate:
    """The certificate of having taken option ``taken``."""
    chances, loss = largest(beliefs, taken)
    chances = sceptical(chances)
    return Certificate(dict(zip(names, chances.tolist(), strict=True)), float(chances[taken]), loss, stopped, spent)


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


def confidence(evidence: Evidence, pairs: Matched | None = None) -> Confidence:
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
