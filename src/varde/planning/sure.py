"""How sure is a move?  What a search knows of its actions, in the words of ``varde.certainty``."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..certainty import Confidence, assess, from_estimates
from ..certainty.forecast import FURTHEST, LEVELS

SMALLEST = 1e-140  # of values: the squares of smaller ones are 0, and nothing is known of their noise
CLOSE = 0.02  # a forecast need not be closer, in logarithms of the simulations


class Choice(NamedTuple):
    """The actions of a node as the search knows them, one entry per legal action."""

    values: np.ndarray  # [K] Q; nan where never tried
    variances: np.ndarray  # [K] of Q, as propagated; nan where the algorithm does not know it
    counts: np.ndarray  # [K] simulations
    taken: int  # the recommended one, -1 if there is none
    draws: np.ndarray  # [K] of them, those that saw a new outcome of the action: what a mean rests on

    @property
    def doubtful(self) -> bool:
        """Whether nothing can be said: the algorithm keeps no variances, or the values are too small for them."""
        tried = self.counts > 0
        top = float(np.abs(self.values[tried]).max(initial=0.0))
        return bool(np.isnan(self.variances[tried]).any() or 0.0 < top < SMALLEST)

    def of_tried(self) -> Choice:
        """Where actions are sampled: among those that were."""
        tried = np.flatnonzero(self.counts)
        values, variances, counts, draws = (
            part[tried] for part in (self.values, self.variances, self.counts, self.draws)
        )
        return Choice(values, variances, counts, int(np.searchsorted(tried, self.taken)), draws)


def how_sure(choice: Choice) -> Confidence | None:
    """Chances, intervals and expected loss; None where nothing can be said."""
    if choice.doubtful or choice.taken < 0:
        return None
    sample = from_estimates(choice.values, np.sqrt(choice.variances), choice.draws)
    return assess(sample, choice.taken)


def more_simulations(choice: Choice, spent: int) -> dict[float, float]:
    """About how many more until the recommended action is the best with a chance of 95 and of 99 %.

    If the values stay as they are, and every action goes on getting its share: variances fall as simulations grow.
    """
    if choice.doubtful or choice.counts.size < 2:
        return {}

    def sure(growth: float) -> float:
        grown = choice._replace(variances=choice.variances / growth, draws=choice.draws * growth)
        found = how_sure(grown)
        return 0.0 if found is None else float(found.chances[choice.taken])

    needed = {}
    for level in LEVELS:
        low, high = 0.0, math.log(FURTHEST)
        if sure(math.exp(high)) < level:
            needed[level] = math.inf
            continue
        while sure(1.0) < level and high - low > CLOSE:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if sure(math.exp(middle)) >= level else (middle, high)
        needed[level] = 0.0 if sure(1.0) >= level else float(math.ceil(spent * math.expm1(high)))
    return needed
