"""Which one is the best of very many options: those that may be drawn next are scored after every result.

    in play    those with the highest scores when all were scored last, those with the highest means, one of which will
               lead if the leader falls behind, and those with pending draws.  All are scored again as many results
               later, after a result of another option, or if another one leads
    the rest   counts as it was then: in the pooled noise, in the common mean, and in groups that are equally open, each
               as so many options of its mean and error, among the rivals that the leader serves

Both are functions of the events in their order, so that another process and a resumed run choose alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import highest
from ..beliefs.belief import Belief, Beyond, belief_of, product_of, total_of
from ..decisions.decision import weigh_arrays
from ..decisions.pairs import steepness, weights
from .by_rule import RuleChooser

MOST = 4_000  # options that are all scored, in 60 us
FEWEST, SHARE = 512, 256  # in play of more: a share, but not fewer
LEADERS = 4  # a quarter of that many by their means
GROUPS, STEP = 200, 0.2  # of the rest, the most, and the step of log g between them


class Groups(NamedTuple):
    """Options that are not in play, a group of similar ones as one."""

    sizes: np.ndarray
    expected: np.ndarray
    errors: np.ndarray


class GapChooser(RuleChooser):
    """VarDE for the best mean: like ``RuleChooser``, up to ``MOST`` options exactly."""

    def field(self) -> np.ndarray:
        working = self.working()
        self.beyond, self.others, self.low, self.left = Beyond(), 0.0, np.inf, -1
        self.groups: Groups | None = None
        if working.size <= MOST:
            return working
        many = max(FEWEST, working.size // SHARE)
        self.left = 2 * many  # draws and results until all are scored again
        belief, square = self.weigh_all(working)
        if belief is None:
            return working
        chosen = highest(square * belief.noise * self.drops_of(working), many)
        chosen |= highest(belief.estimates, many // LEADERS)
        chosen[np.flatnonzero(self.pending[working])[:many]] = True
        far = working[~chosen]
        counts, means, squares = self.columns_of(far)
        self.beyond = Beyond(int(np.count_nonzero(counts)), float((counts * means).sum()), float(squares.sum()))
        self.others, self.low = float(counts.sum()), float(self.lows[0][far].min())
        self.leader, self.rival = int(working[belief.estimates.argmax()]), float(belief.estimates[~chosen].max())
        seen = ~chosen & np.isfinite(belief.expected)
        self.groups = grouped(square[seen], belief.expected[seen], belief.errors[seen])
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
        if self.left == 0 or (result and self.groups is not None and self.is_overtaken(i)):
            self.ready = False

    def is_overtaken(self, i: int) -> bool:
        """Whether, after a result of option ``i``, one that is not in play leads."""
        means = self.moments.means
        if i == self.leader:
            self.leader = self.players[int(means[self.players].argmax())]
        elif means.item(i) > means.item(self.leader):
            self.leader = i
        return means.item(self.leader) < self.rival

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
        decision, groups = self.algorithm.decision, self.groups
        if groups is None:
            return np.asarray(weigh_arrays(decision, belief) * belief.noise)
        leader, size = int(belief.estimates.argmax()), belief.counts.size
        mean, own = belief.expected[leader], belief.errors[leader]
        x = steepness(mean - belief.expected, own + belief.errors)
        x[leader] = np.inf
        found = weights(np.concatenate([x, steepness(mean - groups.expected, own + groups.errors)]))
        square = found[:size]
        square[leader] = 0.0
        square[leader] = total_of(square) + product_of(groups.sizes, found[size:])
        return square * belief.noise


def grouped(square: np.ndarray, expected: np.ndarray, errors: np.ndarray) -> Groups:
    """Those of nearly the same weight g, relative to the most open, are a group; the least open are one."""
    with np.errstate(divide="ignore"):
        group = np.minimum(np.log(square / square.max()) / -STEP, GROUPS - 1.0).astype(int)
    sizes = np.bincount(group, minlength=GROUPS)
    some = sizes > 0
    sums = (np.bincount(group, column, GROUPS)[some] for column in (expected, errors))
    return Groups(sizes[some].astype(float), *(column / sizes[some] for column in sums))
