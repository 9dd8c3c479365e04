"""What is stated of a chance P that the answer is right, whatever it was computed from.

For a budget fixed beforehand    P, but at most 1 - 1/(2 (N + 1)), N the results of the answer: the next one is of a
                                 kind not seen so far with a chance of 1/(N + 1), and half of those are bad news;
                                 1 - 1/(N + 1) if it never varied and has no bounds: then all are
For stopping as soon as one      h(P) / (h(P) + h(1 - P)) for P > 1/2,  h(p) = p (1 - log p), with the same limit: odds
likes what one sees              that are watched are raised by chance (Sellke, Bayarri and Berger 2001)

The recommended option has the highest estimate.  Another may be likelier to be the best only because less is known of
it; then the two are stated with the same chance.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..beliefs.samples import Sample

LEVEL = 0.95  # of the intervals, and of the options that are not rejected
ENOUGH = 60  # results of the answer after which 95 % would have shown what happens in 1 of 20


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


def judge(chances: np.ndarray, best: int) -> list[str]:
    """Reject the unlikeliest options, as many as have a total chance of at most 5 % of including the best."""
    verdicts = np.full(chances.size, "possible", dtype=object)
    order = np.argsort(chances, kind="stable")
    order = order[order != best]
    verdicts[order[np.cumsum(chances[order]) <= 1.0 - LEVEL]] = "rejected"
    verdicts[best] = "best"
    return verdicts.tolist()


class Missed(NamedTuple):
    """Results so rare, and so far from the others, may not have come yet, and would change the answer."""

    share: float
    size: float


def missed(lead: float, count: float) -> Missed | None:
    """What 95 % of such runs would have shown; None after so many results that it is rare."""
    if not 0.0 < count < ENOUGH or not lead > 0.0:
        return None
    share = 1.0 - (1.0 - LEVEL) ** (1.0 / count)
    return Missed(share, lead / share)
