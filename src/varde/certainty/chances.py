"""What is stated: the chance P that the answer is right, whatever it was computed from, verdicts, and intervals.

For a budget fixed beforehand    P, but at most 1 - 1/(2 (N + 1)), N the results of the answer: the next one is of a
                                 kind not seen so far with a chance of 1/(N + 1), and half of those are bad news;
                                 1 - 1/(N + 1) if it never varied and has no bounds: then all are
For stopping as soon as one      h(P) / (h(P) + h(1 - P)) for P > 1/2,  h(p) = p (1 - log p), with the same limit: odds
likes what one sees              that are watched are raised by chance (Sellke, Bayarri and Berger 2001)

The recommended option has the highest estimate.  Another may be likelier to be the best only because less is known of
it; then the two are stated with the same chance.

The 95 % interval of a true mean is that of the belief about the option alone.  The leader was chosen because its mean
is high: its low end goes down by as much as its mean is shrunk.  An option that never varied may have missed a result
that others had: N results show what comes in more than k = 1 - .025^(1/N) of them, so that its interval reaches at
least from m - k (m - lowest) to m + k (highest - m) of the relevant results.  For 30 of 30 successes that is the
interval of Clopper and Pearson.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..beliefs.means import Known
from ..beliefs.samples import Sample
from ..beliefs.student import DEVIATE

LEVEL = 0.95  # of the intervals, and of the options that are not rejected


def most(count: Any) -> Any:
    """The highest chance that ``count`` results can give; takes arrays too."""
    return 1.0 - 0.5 / (count + 1.0)


def telling(sample: Sample) -> np.ndarray:
    """[K] the number of results for ``most``; that of an option that never varied is halved."""
    still = (sample.squares <= 0.0) & (sample.bounds is None)
    return np.where(still, np.maximum(sample.effective - 1.0, 0.0) / 2.0, sample.effective)


def watched(p: float, count: float = math.inf) -> float:
    """The chance to stop by."""
    if p <= 0.5:
        return p
    yes, no = (x * (1.0 - math.log(x)) if x > 0.0 else 0.0 for x in (p, 1.0 - p))
    return min(yes / (yes + no), most(count))


def stated(chances: np.ndarray, best: int | None, count: float, estimates: np.ndarray) -> np.ndarray:
    """[K] of being the best, summing to what ``chances`` do; ``best`` has ``count`` results.

    What is beyond the limit goes to the next best estimate: it would be the answer if the best was not.
    """
    if best is None:
        return chances
    found = level_with_the_best(chances, best)
    over = float(found[best]) - most(count)
    if over > 0.0 and found.size > 1:
        others = np.where(np.isfinite(estimates), estimates, -np.inf)
        others[best] = -np.inf
        following = (others == others.max()) & (np.arange(found.size) != best)
        found[best] -= over
        found[following] += over / following.sum()
    return found


def level_with_the_best(chances: np.ndarray, best: int) -> np.ndarray:
    """Options likelier than the recommended one, and that one, get their mean."""
    likelier = np.flatnonzero(chances > chances[best])
    order = np.append(best, likelier[np.argsort(-chances[likelier], kind="stable")])
    means = np.cumsum(chances[order]) / np.arange(1.0, order.size + 1.0)
    among = order[: int(means.argmax()) + 1]
    found = chances.copy()
    found[among] = means.max()
    return found


def judge(chances: np.ndarray, chosen: int | Sequence[int], word: str = "best") -> list[str]:
    """Reject the unlikeliest options, as many as have a total chance of at most 5 % of belonging to the answer."""
    verdicts = np.full(chances.size, "possible", dtype=object)
    order = np.argsort(chances, kind="stable")
    order = order[~np.isin(order, chosen)]
    verdicts[order[np.cumsum(chances[order]) <= 1.0 - LEVEL]] = "rejected"
    verdicts[chosen if isinstance(chosen, int) else list(chosen)] = word
    found: list[str] = verdicts.tolist()
    return found


# -- intervals ---------------------------------------------------------------------------------------


def intervals(sample: Sample, known: Known) -> tuple[np.ndarray, np.ndarray]:
    """[K] both ends; infinite, or the bounds, where nothing is known."""
    lows, highs = known.alone.quantile(np.array([-DEVIATE, DEVIATE]))
    best = sample.leader
    if sample.line is None:
        lows[best] -= max(0.0, float(sample.means[best] - known.compared.centers[best]))
    low, high = ends(sample, known.relevant > 0.0)
    if low <= high:
        missable = 1.0 - 0.025 ** (1.0 / np.maximum(sample.counts, 1e-3))  # share of results that may not have shown
        missable = missable if sample.left is None else missable * np.minimum(sample.left, 1.0)
        share = np.where(sample.squares > 0.0, 0.0, missable)
        lows = np.minimum(lows, sample.means - share * np.maximum(sample.means - low, 0.0))
        highs = np.maximum(highs, sample.means + share * np.maximum(high - sample.means, 0.0))
    unknown = (sample.counts <= 0.0) | known.blank
    lows, highs = np.where(unknown, -np.inf, lows), np.where(unknown, np.inf, highs)
    return (lows, highs) if sample.bounds is None else (np.clip(lows, *sample.bounds), np.clip(highs, *sample.bounds))


def ends(sample: Sample, who: np.ndarray) -> tuple[float, float]:
    """The lowest and the highest result of the options ``who``, or the bounds where all results were alike."""
    if sample.lows is None or sample.highs is None:
        return np.inf, -np.inf
    low, high = float(sample.lows[who].min()), float(sample.highs[who].max())
    return sample.bounds if low == high and sample.bounds is not None else (low, high)
