"""``Standing``: where one option stands."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple


class Standing(NamedTuple):
    """Where one option stands: ``found[name]``."""

    name: str
    n: int  # the number of results
    mean: float  # nan without results
    estimate: float  # of what is compared: the mean, or the quantile that the goal names
    sd: float  # of single results; nan with fewer than two
    low: float  # the lower end of the 95 % interval of the estimate; infinite without results
    high: float  # the upper end
    p_best: float  # the chance that it is the best; for other goals, that it belongs to the answer
    verdict: str  # best or chosen, possible, rejected, failing or removed
    failure: str = ""  # why it is failing
    p_allowed: float = math.nan  # the chance that it keeps all limits, if there are any
    numbers: Mapping[str, tuple[float, ...]] = {}  # mean and 95 % interval of what has limits

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the estimate; infinite without results."""
        return self.low, self.high
