"""VarDE on the gaps, for ask/tell: the default."""

from __future__ import annotations

import numpy as np

from ..certainty import Block
from ..decisions.contenders import LEAST, Contenders
from ..decisions.gap_table import GapTable
from ..decisions.jumps import in_tail
from ..rule import VarDE, shrinkage
from .chooser import Chooser


class GapChooser(Chooser):
    """VarDE on the gaps: scores all options after every result; of very many, only those that can matter.

    Results are measured from the first one, in units of the first difference: rounding then does not depend on their
    zero and scale, and 0/1 results give the same bits as 1e6/1e6+1000.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None):
        super().__init__(algorithm, size, warm_start)
        self.costs = costs
        self.lows, self.often = [np.inf] * size, [0] * size  # the lowest result of each option; how often it came

    def enter(self) -> None:
        players = self.players
        self.table = GapTable(self.algorithm, len(players))
        counts, means, squares = (column[players] for column in self.moments)
        self.table.fill(counts, means, squares, [self.lows[i] for i in players], [self.often[i] for i in players])
        self.drops = np.array([self.drop(i) for i in self.players])
        self.changed: set[int] = set()  # options
        self.noise: np.ndarray | None = None  # w^2 s2 of the players; None after a result
        self.few = Contenders(self.table, self.drops) if len(players) >= LEAST else None  # of many, those that matter

    def drop(self, i: int) -> float:
        """The decrement per unit of w^2 s2 and of cost; pending draws count, as in ``gap_table.planned``."""
        count, pending = self.moments.counts.item(i), self.pending.item(i)
        if pending:
            count = count + 2 * pending if count else pending
        drop: float = shrinkage(count) if count else np.inf
        return drop if self.costs is None else drop / self.costs.item(i)

    def change(self, i: int, result: bool) -> None:
        if i in self.places:
            self.changed.add(i)  # processed at the next choice: often a draw and its result at once

    def refresh(self) -> None:
        """Process what changed since the last choice."""
        table, (counts, means, squares) = self.table, self.moments
        for i in self.changed:
            place, count = self.places[i], counts.item(i)
            self.drops[place] = drop = self.drop(i)
            if count != table.counts.item(place):
                before, square = table.squares.item(place), squares.item(i)
                table.put(place, count, means.item(i), square, self.lows[i], self.often[i])
                self.noise = None
                if self.few is not None:
                    self.few.moved(place, square - before)
            else:
                if self.noise is not None:
                    self.scores[place] = self.noise.item(place) * drop
                if self.few is not None:
                    self.few.dropped(place)
        self.changed.clear()

    def pick(self, allowed: np.ndarray | None) -> int:
        self.refresh()
        players, weight = self.players, self.table.weight
        allowed = None if allowed is None else allowed[players]
        if weight > 0.0 and in_tail(self.left, weight, len(players)):
            costs = None if self.costs is None else self.costs[players]
            return players[int(self.table.gains(self.pending[players], costs, allowed).argmax())]
        if self.few is not None and allowed is None and weight == 0.0 and self.few.able():
            return players[self.few.highest()]
        if self.noise is None:
            self.noise = self.table.noise()
            self.scores = self.noise * self.drops
        scores = self.scores if allowed is None else np.where(allowed, self.scores, -np.inf)
        return players[int(scores.argmax())]

    def add_result(self, i: int, value: float, expected: bool, replicate: int = -1) -> None:
        if not self.scaled:
            self.measure(value)
        value = (value - self.origin) / self.unit
        self.see(i, value, 1)
        super().add_result(i, value, expected, replicate)

    def add_block(self, i: int, block: Block) -> None:
        block = self.in_units(block)
        if not block.squares:  # the lowest value of a summary is unknown
            self.see(i, block.value, block.times)
        super().add_block(i, block)

    def see(self, i: int, value: float, times: int) -> None:
        if value < self.lows[i]:
            self.lows[i], self.often[i] = value, times
        elif value == self.lows[i]:
            self.often[i] += times

    def set_cost(self, i: int, cost: float) -> None:
        if self.costs is not None:
            self.costs[i] = cost
            if self.ready:
                self.change(i, False)

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.lows.append(np.inf)
        self.often.append(0)
        self.costs = None if self.costs is None else np.append(self.costs, cost)
