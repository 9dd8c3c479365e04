"""The gap rule behind ask and tell: all options scored at once, after every result."""

from __future__ import annotations

import numpy as np

from ..gaps import GapVarDE, gap_noise
from ..rule import shrinkage
from .chooser import Chooser


class GapChooser(Chooser):
    """The gap rule.

    Results are measured from the first one, in units of the first difference: rounding then does not depend on their
    zero and scale either, and 0/1 results give the same bits as 1e6/1e6+1000.
    """

    def __init__(self, rule: GapVarDE, size: int, warm: int, costs: np.ndarray | None):
        super().__init__(rule, size, warm)
        self.costs = costs
        self.noise: np.ndarray | None = None  # [playing] the score but for the counts; None after a result
        self.scores = np.empty(0)
        self.shrinkage = np.full(size, np.inf)  # [K] of a sample more, pending ones counted, per unit of cost
        self.playing: np.ndarray | None = None  # who takes part, None: everybody
        self.begun = self.scaled = False

    def rescore(self) -> None:
        if self.out and self.playing is None:
            self.playing = np.array([i for i in range(self.pending.size) if i not in self.out])
        if self.playing is None:
            self.noise = gap_noise(self.rule, *self.moments)
            self.scores = self.noise * self.shrinkage
        else:
            self.noise = gap_noise(self.rule, *(column[self.playing] for column in self.moments))
            self.scores = self.noise * self.shrinkage[self.playing]

    def choose(self, allowed: np.ndarray | None) -> int:
        if self.noise is None:
            self.rescore()
        scores = self.scores
        if allowed is not None:
            scores = np.where(allowed if self.playing is None else allowed[self.playing], scores, -np.inf)
        best = int(scores.argmax())
        return best if self.playing is None else int(self.playing[best])

    def handed(self, i: int) -> None:
        super().handed(i)
        self.recount(i)
        if self.noise is not None and self.playing is None:
            self.scores[i] = self.noise[i] * self.shrinkage[i]
        else:
            self.noise = None

    def recount(self, i: int) -> None:
        count = int(self.moments.counts[i] + self.pending[i])
        shrunk = shrinkage(count) if count > 0 else np.inf
        self.shrinkage[i] = shrunk if self.costs is None else shrunk / self.costs[i]

    def told(self, i: int, value: float, expected: bool) -> None:
        if not self.scaled:
            self.measure(value)
        super().told(i, (value - self.origin) / self.unit, expected)
        self.noise = None
        if not expected:
            self.recount(i)

    def measure(self, value: float) -> None:
        """Settle origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def withdrawn(self, i: int) -> None:
        super().withdrawn(i)
        self.recount(i)
        self.noise = None

    def left(self, i: int) -> None:
        super().left(i)
        self.noise = self.playing = None

    def back(self, i: int) -> None:
        super().back(i)
        self.noise = self.playing = None

    def added(self, cost: float) -> None:
        super().added(cost)
        self.noise = self.playing = None
        self.shrinkage = np.append(self.shrinkage, np.inf)
        if self.costs is not None:
            self.costs = np.append(self.costs, cost)
