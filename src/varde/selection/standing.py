"""``Standing``: where one option stands."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from .goals.judged import Judged


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


def judged_on(names: Sequence[str], replicates: Sequence[Any], items: Sequence[str]) -> dict[str, list[str]]:
    """The item of every result, by option."""
    if not items:
        return {}
    pairs = zip(names, replicates, strict=True)
    return {str(name): [items[int(row)] for row in rows] for name, rows in pairs}


def with_limits(rows: list[Standing], kept: np.ndarray, judged: Judged) -> tuple[Standing, ...]:
    """The rows with what is known of their limits."""
    if judged.allowed is not None and judged.numbers is not None:
        for place, i in enumerate(kept.tolist()):
            numbers = {name: tuple(float(column[place]) for column in ends) for name, ends in judged.numbers.items()}
            rows[i] = rows[i]._replace(p_allowed=float(judged.allowed[place]), numbers=numbers)
    return tuple(rows)
