"""How sure the answer is, and what it may cost: chances, intervals, verdicts, and the certificate.

    data (samples) -> belief (means) -> which one is the largest (largest) -> what is stated (chances, intervals)

If nothing is known about the noise, because no two values ever differed, the tried and the untried options have equal
chances, and the regret is unknown (nan).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..beliefs.means import believe
from ..beliefs.samples import Sample
from .chances import intervals, judge, stated, telling, watched
from .largest import largest
from .paired import Paired
from .unseen import unseen_chance


class Certificate(NamedTuple):
    """How sure an answer is, and what ended the search for it."""

    chances: dict[Any, float]  # of being the best, by option or action
    p_right: float  # the chance that the answer is right, if the budget was fixed beforehand
    loss: float  # expected loss against the truly best one; nan if unknown
    stopped: str  # "budget", "seconds", "sure", "interrupted", or "not yet"
    spent: float  # samples, or what they cost
    p_watched: float | None = None  # the chance to stop by; no nan, which would make equal answers unequal


class Confidence(NamedTuple):
    """How sure it is that option ``best`` is the best."""

    best: int
    chances: np.ndarray  # [K] P(best)
    regret: float  # expected loss from taking ``best``; nan if unknown
    lows: np.ndarray  # [K] 95 % interval of the mean
    highs: np.ndarray
    verdicts: list[str]  # [K] best, possible or rejected
    gap: tuple[int, float, float] | None  # the strongest rival, the lead over it, and the 95 % margin of that lead
    watched: float = math.nan  # the chance to stop by


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
            together = together._replace(watched=float(chances[together.best]))
        return together._replace(lows=alone.lows, highs=alone.highs)
    size, tried = sample.counts.size, sample.counts > 0
    best = sample.leader if taken is None else taken
    if not tried.any():
        even, far = np.full(size, 1.0 / size), np.full(size, math.inf)
        return Confidence(best, even, math.nan, -far, far, judge(even, best), None, 1.0 / size)
    known = believe(sample)
    if size == 1:
        plain, regret = np.ones(1), 0.0
    elif known.blank:
        plain, regret = np.full(size, 1.0 / size), math.nan
    else:
        plain, regret = largest(known.compared, best)
    if not known.blank:
        plain = with_unseen(sample, plain, best, known.relevant > 0.0)
    count = float(telling(sample)[best])
    chances = stated(plain, best, count, np.where(tried, sample.means, -np.inf))
    lows, highs = intervals(sample, known)
    gap = lead(sample.means, tried, chances, best, (lows, highs))
    stop = min(watched(float(plain[best]), count), float(chances[best]))
    return Confidence(best, chances, regret, lows, highs, judge(chances, best), gap, stop)


def with_unseen(sample: Sample, chances: np.ndarray, best: int, relevant: np.ndarray) -> np.ndarray:
    """[K] with the chance that what never came, at an end of the bounds, makes the best rival better than ``best``.

    What came is in the belief already: an end that a relevant result has reached counts no more.
    """
    if sample.bounds is None or sample.lows is None or sample.highs is None or sample.left is not None:
        return chances
    means = np.where(sample.counts > 0.0, sample.means, -np.inf)
    means[best] = -np.inf
    rival, (low, high) = int(means.argmax()), sample.bounds
    need = float(sample.means[best] - means[rival])
    if not 0.0 <= need < math.inf:
        return chances
    fall = float(sample.means[best]) - low if sample.lows[relevant].min() > low else 0.0
    rise = high - float(means[rival]) if sample.highs[relevant].max() < high else 0.0
    moved = unseen_chance(sample.counts[[best, rival]], need, np.array([fall, rise]))
    lost = float(chances[best] * (1.0 - np.prod(1.0 - moved)))
    found = chances.copy()
    found[[best, rival]] += [-lost, lost]
    return found


def lead(
    estimates: np.ndarray,
    tried: np.ndarray,
    chances: np.ndarray,
    best: int | None,
    ends: tuple[np.ndarray, np.ndarray],
    inside: Sequence[int] = (),
) -> tuple[int, float, float] | None:
    """The strongest rival among those tried; the margin from the two intervals (Zou and Donner 2008).

    If no rival has a chance worth showing, it is the one with the highest estimate.  Those ``inside`` are no rivals.
    """
    rivals = np.where(tried, np.round(chances, 3), -1.0)
    if best is None or not tried[best]:
        return None
    rivals[[best, *inside]] = -1.0
    if rivals.max() < 0.0:
        return None
    j = int(np.argmax(np.where(rivals == rivals.max(), estimates, -np.inf)))
    mean, other = float(estimates[best]), float(estimates[j])
    return j, mean - other, math.hypot(mean - float(ends[0][best]), float(ends[1][j]) - other)
