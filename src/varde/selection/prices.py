"""The cost of a draw of each option: as given, or estimated if costs come back with results."""

from __future__ import annotations

import numpy as np


class Prices:
    """Costs by option, and the cost of pending draws.

    With ``returned`` the cost of an option is the mean cost of its results, and before its first result that of all
    results; the very first draws have unknown costs and reserve nothing.
    """

    def __init__(self, costs: list[float], returned: bool):
        self.costs, self.returned = list(costs), returned
        self.under_way = 0.0  # the cost of all pending draws
        self.dearest = 0.0 if returned else max(costs)  # no option costs more
        self.counts = [0] * len(costs)  # results with a known cost
        self.strangers = 0  # pending draws of options without results
        self.usual, self.results = 0.0, 0  # the mean cost of all results, and how many there are

    def of(self, i: int) -> float:
        """The cost of a draw of option ``i``, as far as known."""
        return self.usual if self.returned and not self.counts[i] else self.costs[i]

    def all(self) -> np.ndarray:
        """[K] of every option."""
        prices = np.array(self.costs)
        return np.where(np.array(self.counts) > 0, prices, self.usual) if self.returned else prices

    def unknown(self) -> list[int]:
        """The options without a known cost."""
        return [i for i, count in enumerate(self.counts) if not count]

    @property
    def reserved(self) -> float:
        return self.under_way + self.strangers * self.usual if self.strangers else self.under_way

    def reserve(self, i: int, draws: int) -> None:
        """So many more (or fewer) draws of option ``i`` are pending."""
        if self.returned and not self.counts[i]:
            self.strangers += draws
        else:
            self.under_way += draws * self.costs[i]

    def paid(self, i: int, cost: float, pending: int, times: int = 1) -> None:
        """So many results of option ``i``, which has ``pending`` other draws, came back with their cost."""
        if not self.counts[i]:
            self.strangers -= pending
            self.costs[i] = 0.0
        else:
            self.under_way -= pending * self.costs[i]
        self.results += times
        self.usual += (cost - times * self.usual) / self.results
        self.counts[i] += times
        self.costs[i] += (cost - times * self.costs[i]) / self.counts[i]
        self.under_way += pending * self.costs[i]
        self.dearest = max(self.dearest, self.usual, self.costs[i])

    def add(self, cost: float) -> None:
        """One more option."""
        self.costs.append(cost)
        self.counts.append(0)
        self.dearest = self.dearest if self.returned else max(self.dearest, cost)
