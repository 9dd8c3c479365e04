"""How sure the answer is, and what it may cost: chances, intervals, verdicts, and the certificate.

    data (samples) -> beliefs (model) -> which one is the largest (largest) -> stated chance (doubt)

If nothing is known about the noise, because no two values ever differed, the relevant and the untried options have
equal chances, and the regret is unknown (nan).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .doubt import doubt
from .kinds import NUMBERS
from .largest import largest
from .model import compared, learn
from .paired import Paired
from .samples import Sample

LEVEL = 0.95  # of the intervals, and of the options that are not rejected


class Certificate(NamedTuple):
    """How sure an answer is, and what ended the search for it."""

    chances: dict[Any, float]  # of being the best, by option or action
    p_right: float  # the chance that the answer is right
    loss: float  # expected loss against the truly best one; nan if unknown
    stopped: str  # "budget", "seconds", "sure", "interrupted", or "not yet"
    spent: float  # samples, or what they cost


class Confidence(NamedTuple):
    """How sure it is that option ``best`` is the best."""

    best: int
    chances: np.ndarray  # [K] P(best)
    regret: float  # expected loss from taking ``best``; nan if unknown
    lows: np.ndarray  # [K] 95 % interval of the mean
    highs: np.ndarray
    verdicts: list[str]  # [K] best, possible or rejected
    gap: tuple[int, float, float] | None  # the strongest rival, the lead over it, and the 95 % margin of that lead
    kind: str  # the kind of results assumed, one of KINDS


@np.errstate(over="ignore")  # squares of huge numbers, of options that are not relevant
def assess(sample: Sample, taken: int | None = None, pairs: Paired | None = None) -> Confidence:
    """Assess the option with the highest mean, the first on ties, or the one that was ``taken``.

    With ``pairs`` options are compared pairwise; the intervals are still those of each option alone.
    """
    if pairs is not None:
        alone, together = assess(sample, taken), assess(pairs.sample, taken)
        if not pairs.errors.any():  # all is known: equal ones share
            top = pairs.means == pairs.means.max()
            chances, loss = top / top.sum(), float(pairs.means.max() - pairs.means[together.best])
            together = together._replace(chances=chances, regret=loss, verdicts=judge(chances, together.best))
        return together._replace(lows=alone.lows, highs=alone.highs, kind=alone.kind)
    size, tried = sample.counts.size, sample.counts > 0
    best = sample.leader if taken is None else taken
    if not tried.any():
        even, far = np.full(size, 1.0 / size), np.full(size, math.inf)
        return Confidence(best, even, math.nan, -far, far, judge(even, best), None, sample.kind or NUMBERS)
    known = learn(sample)
    if size == 1:
        chances, regret = np.ones(1), 0.0
    elif known.blank:
        among = (known.relevant > 0.0) | ~tried
        chances, regret = among / among.sum(), math.nan
    else:
        chances, regret = largest(compared(sample, known), best)
        chances = doubt(chances, float(known.relevant.sum()) - 1.0)
    gap = lead(sample, chances, best, known.lows, known.highs)
    return Confidence(best, chances, regret, known.lows, known.highs, judge(chances, best), gap, known.kind)


def lead(
    sample: Sample, chances: np.ndarray, best: int, lows: np.ndarray, highs: np.ndarray
) -> tuple[int, float, float] | None:
    """The strongest rival among those tried; the margin from the two intervals (Zou and Donner 2008).

    If no rival has a chance worth showing, it is the one with the highest mean.
    """
    rivals = np.where(sample.counts > 0, np.round(chances, 3), -1.0)
    rivals[best] = -1.0
    if rivals.max() < 0.0 or sample.counts[best] <= 0:
        return None
    j = int(np.argmax(np.where(rivals == rivals.max(), sample.means, -np.inf)))
    mean, other = float(sample.means[best]), float(sample.means[j])
    return j, mean - other, math.hypot(mean - float(lows[best]), float(highs[j]) - other)


def certify(names: Sequence[Hashable], sample: Sample, taken: int, stopped: str, spent: float) -> Certificate:
    """The certificate of having taken option ``taken``."""
    sure = assess(sample, taken)
    chances = dict(zip(names, sure.chances.tolist(), strict=True))
    return Certificate(chances, float(sure.chances[taken]), sure.regret, stopped, spent)


def judge(chances: np.ndarray, best: int) -> list[str]:
    """Reject the unlikeliest options, as many as have a total chance of at most 5 % of including the best."""
    verdicts = np.full(chances.size, "possible", dtype=object)
    order = np.argsort(chances, kind="stable")
    order = order[order != best]
    verdicts[order[np.cumsum(chances[order]) <= 1.0 - LEVEL]] = "rejected"
    verdicts[best] = "best"
    return verdicts.tolist()
