"""The gap rule behind ask and tell: all options scored at once, after every result."""

from __future__ import annotations

import numpy as np

from ..decisions.gap_table import GapTable
from ..rule import VarDE, shrinkage
from .chooser import Chooser


class GapChooser(Chooser):
    """The gap rule.

    Results are measured from the first one, in units of the first difference: rounding then does not depend on their
    zero and scale either, and 0/1 results give the same bits as 1e6/1e6+1000.
    """

    def __init__(self, rule: VarDE, size: int, warm: int, costs: np.ndarray | None):
        super().__init__(rule, size, warm)
        self.costs = costs
        self.shrinkage = np.full(size, np.inf)  # [K] of a sample more, pending ones counted, per unit of cost
        self.begun = self.scaled = False
        self.line_up()

    def line_up(self) -> None:
        """A table of the options that work."""
        self.players = None  # everybody
        if self.out:
            self.players = np.array([i for i in range(self.pending.size) if i not in self.out], np.int64)
        self.table = GapTable(self.rule, self.pending.size - len(self.out))
        who = slice(None) if self.players is None else self.players
        self.table.fill(*(column[who] for column in self.moments))
        self.noise: np.ndarray | None = None  # [players] the score but for the counts; None after a result

    def choose(self, allowed: np.ndarray | None) -> int:
        if self.noise is None:
            self.noise = self.table.noise()
            self.scores = self.noise * (self.shrinkage if self.players is None else self.shrinkage[self.players])
        scores = self.scores
        if allowed is not None:
            scores = np.where(allowed if self.players is None else allowed[self.players], scores, -np.inf)
        best = int(scores.argmax())
        return best if self.players is None else int(self.players[best])

    def handed(self, i: int) -> None:
        super().handed(i)
        self.recount(i)

    def withdrawn(self, i: int) -> None:
        super().withdrawn(i)
        self.recount(i)

    def recount(self, i: int) -> None:
        """One draw of ``i`` more or less is under way."""
        count = self.moments.counts.item(i) + self.pending.item(i)
        shrunk = shrinkage(count) if count > 0 else np.inf
        self.shrinkage[i] = shrunk if self.costs is None else shrunk / self.costs.item(i)
        if self.noise is not None and self.players is None:
            self.scores[i] = self.noise.item(i) * self.shrinkage.item(i)
        else:
            self.noise = None

    def told(self, i: int, value: float, expected: bool) -> None:
        if not self.scaled:
            self.measure(value)
        super().told(i, (value - self.origin) / self.unit, expected)
        if i not in self.out:
            place = i if self.players is None else int(self.players.searchsorted(i))
            counts, means, squares = self.moments
            self.table.put(place, counts.item(i), means.item(i), squares.item(i))
        self.noise = None
        if not expected:
            self.recount(i)

    def measure(self, value: float) -> None:
        """Settle origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def left(self, i: int) -> None:
        super().left(i)
        self.line_up()

    def back(self, i: int) -> None:
        super().back(i)
        self.line_up()

    def added(self, cost: float) -> None:
        super().added(cost)
        self.shrinkage = np.append(self.shrinkage, np.inf)
        if self.costs is not None:
            self.costs = np.append(self.costs, cost)
        self.line_up()
