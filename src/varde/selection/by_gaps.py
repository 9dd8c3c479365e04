"""VarDE on the gaps, for ask/tell: the default."""

from __future__ import annotations

import numpy as np

from ..decisions.gap_table import GapTable
from ..rule import VarDE, decrement
from .chooser import Chooser


class GapChooser(Chooser):
    """VarDE on the gaps: all options scored at once, after every result.

    Results are measured from the first one, in units of the first difference: rounding then does not depend on their
    zero and scale either, and 0/1 results give the same bits as 1e6/1e6+1000.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None):
        super().__init__(algorithm, size, warm_start)
        self.costs = costs
        self.begun = self.scaled = False

    def enter(self) -> None:
        self.table = GapTable(self.algorithm, len(self.players))
        self.table.fill(*(column[self.players] for column in self.moments))
        self.drops = np.array([self.drop(i) for i in self.players])
        self.noise: np.ndarray | None = None  # w^2 s2 of the players; None after a result

    def drop(self, i: int) -> float:
        """The decrement per unit of w^2 s2 and of cost; a pending draw counts."""
        drop: float = decrement(1.0, 1.0, self.moments.counts.item(i) + self.pending.item(i))
        return drop if self.costs is None else drop / self.costs.item(i)

    def change(self, i: int, result: bool) -> None:
        place = self.places.get(i)
        if place is None:
            return
        self.drops[place] = drop = self.drop(i)
        if result:
            counts, means, squares = self.moments
            self.table.put(place, counts.item(i), means.item(i), squares.item(i))
            self.noise = None
        elif self.noise is not None:
            self.scores[place] = self.noise.item(place) * drop

    def pick(self, allowed: np.ndarray | None) -> int:
        if self.noise is None:
            self.noise = self.table.noise()
            self.scores = self.noise * self.drops
        scores = self.scores if allowed is None else np.where(allowed[self.players], self.scores, -np.inf)
        return self.players[int(scores.argmax())]

    def add_result(self, i: int, value: float, expected: bool, replicate: int = -1) -> None:
        if not self.scaled:
            self.measure(value)
        super().add_result(i, (value - self.origin) / self.unit, expected, replicate)

    def measure(self, value: float) -> None:
        """Settle origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def set_cost(self, i: int, cost: float) -> None:
        if self.costs is not None:
            self.costs[i] = cost

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.costs = None if self.costs is None else np.append(self.costs, cost)
