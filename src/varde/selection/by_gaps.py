"""Which one is the best of very many options: those that may be drawn next are scored after every result.

    in play    those with the highest scores when all were scored last, and those with pending draws; as many results
               later, or after a result of another option, all are scored again
    the rest   counts as it was then, in the sums over all options: pooled noise, common mean, and the rivals that the
               leader serves, relative to the most open one

Both are functions of the events in their order, so that another process and a resumed run choose alike.
"""

from __future__ import annotations

import numpy as np

from ..beliefs.belief import Belief, Beyond, belief_of
from ..decisions.decision import weigh_arrays
from .by_rule import RuleChooser

MOST = 4_000  # options that are all scored, in 60 us
FEWEST, SHARE = 512, 256  # in play of more: a share, but not fewer


class GapChooser(RuleChooser):
    """VarDE for the best mean: like ``RuleChooser``, up to ``MOST`` options exactly."""

    def field(self) -> np.ndarray:
        working = self.working()
        self.beyond, self.others, self.low, self.rest, self.left = Beyond(), 0.0, np.inf, 0.0, -1
        if working.size <= MOST:
            return working
        many = max(FEWEST, working.size // SHARE)
        self.left = 2 * many  # draws and results until all are scored again
        counts, means, squares = self.columns_of(working)
        belief, square = self.weigh_all(working)
        if belief is None:
            return working
        leader = int(belief.estimates.argmax())
        chosen = highest(square * belief.noise * self.drops_of(working), many)
        serves, square[leader] = float(square[leader]), 0.0
        chosen[[leader, int(square.argmax())]] = True
        chosen[np.flatnonzero(self.pending[working])[:many]] = True
        far = ~chosen
        tried, total, apart = np.count_nonzero(counts[far]), (counts * means)[far].sum(), squares[far].sum()
        self.beyond = Beyond(int(tried), float(total), float(apart))
        self.others, self.low = float(counts[far].sum()), float(self.lows[0][working[far]].min())
        self.rest = max(serves - float(square[chosen].sum()), 0.0)
        return working[chosen]

    def enter(self) -> None:
        super().enter()
        self.samples += self.others
        self.least[0] = min(self.least[0], self.low)

    def change(self, i: int, result: bool) -> None:
        self.left -= 1
        if i in self.places:
            self.changed.add(i)
        elif result:
            self.ready = False
        if self.left == 0:
            self.ready = False

    def pick(self, allowed: np.ndarray | None) -> int:
        if allowed is not None and len(self.players) < self.pending.size and not allowed[self.players].any():
            return self.pick_of_all(allowed)
        return super().pick(allowed)

    def pick_of_all(self, allowed: np.ndarray) -> int:
        """Where none of those in play is allowed."""
        working = self.working()
        belief, square = self.weigh_all(working)
        scores = (square if belief is None else square * belief.noise) * self.drops_of(working)
        return int(working[np.where(allowed[working], scores, -np.inf).argmax()])

    def weigh_all(self, who: np.ndarray) -> tuple[Belief | None, np.ndarray]:
        """The belief about the options ``who``, None without noise, and w^2 of each."""
        belief = belief_of(self.algorithm.noise, *self.columns_of(who), float(self.lows[0][who].min()))
        return belief, np.ones(who.size) if belief is None else weigh_arrays(self.algorithm.decision, belief)

    def columns_of(self, who: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        counts, means, squares = self.moments
        return counts[who].astype(float), means[who], squares[who]

    def weigh(self) -> np.ndarray:
        means, squares = self.columns[0]
        belief = belief_of(self.algorithm.noise, self.counts, means, squares, self.least[0], self.samples, self.beyond)
        if belief is None:
            return np.ones(self.counts.size)
        square = weigh_arrays(self.algorithm.decision, belief)
        if self.rest:
            square[belief.estimates.argmax()] += self.rest
        square *= belief.noise
        return square


def highest(scores: np.ndarray, many: int) -> np.ndarray:
    """[K] which are the ``many`` highest, the first of equal ones."""
    last = np.partition(scores, scores.size - many)[scores.size - many]
    chosen = scores > last
    chosen[np.flatnonzero(scores == last)[: many - np.count_nonzero(chosen)]] = True
    return chosen
