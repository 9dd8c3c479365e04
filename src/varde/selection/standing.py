"""``Standing``: where one option stands, and ``Standings``: where all of them do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..show.ranges import OUT


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


class Standings(NamedTuple):
    """All options, a column for each field of ``Standing``: of 100,000 a row is made when somebody looks at it."""

    name: list[str]
    n: np.ndarray
    mean: np.ndarray
    estimate: np.ndarray
    sd: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_best: np.ndarray
    verdict: list[str]
    failure: Mapping[str, str]  # by name
    p_allowed: np.ndarray
    numbers: Mapping[str, np.ndarray]  # [3, K] mean and 95 % interval of what has limits

    def row(self, i: int) -> Standing:
        return next(self.rows(slice(i, i + 1)))

    def rows(self, which: slice = slice(None)) -> Iterator[Standing]:
        """Some rows, or all."""
        names, verdicts = self.name[which], self.verdict[which]
        columns = [column[which].tolist() for column in self[1:8]]
        failures = [self.failure.get(name, "") for name in names] if self.failure else [""] * len(names)
        if not self.numbers:
            return map(Standing, names, *columns, verdicts, failures)
        ends = [[*zip(*column[:, which].tolist(), strict=True)] for column in self.numbers.values()]
        numbers = [dict(zip(self.numbers, each, strict=True)) for each in zip(*ends, strict=True)]
        numbers = [{} if verdict in OUT else each for each, verdict in zip(numbers, verdicts, strict=True)]
        return map(Standing, names, *columns, verdicts, failures, self.p_allowed[which].tolist(), numbers)


def judged_on(names: Sequence[str], replicates: Sequence[Any], items: Sequence[str]) -> dict[str, list[str]]:
    """The item of every result, by option."""
    if not items:
        return {}
    pairs = zip(names, replicates, strict=True)
    return {str(name): [items[int(row)] for row in rows] for name, rows in pairs}
