"""VarDE for ask/tell: the rule on arrays, whatever the decision, and on a belief about options together."""

from __future__ import annotations

import math
from bisect import insort
from typing import Any

import numpy as np

from .._compile import is_record
from ..beliefs.belief import Belief, belief_of, total_of
from ..certainty import Block
from ..decisions.decision import weigh_arrays, weigh_numbers
from ..decisions.pairs import steepness
from ..moments import Moments, joined, make_moments
from ..rule import VarDE, shrinkage
from .chooser import Chooser
from .goals import Goal, Mean


def quick(record: Any) -> Any:
    """The record with numpy's numbers, which numpy adds to an array in half the time of Python's."""
    if is_record(record):
        return record._make(map(quick, record))
    return np.float64(record) if isinstance(record, float) else record


class RuleChooser(Chooser):
    """Scores all options after every result.

    Results are measured from the first one, in units of the first difference: rounding then does not depend on their
    zero and scale, and 0/1 results give the same bits as 1e6/1e6+1000.  Where a result is several numbers, each has
    moments of its own; ``moments`` are those of the first.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None, goal: Goal):
        super().__init__(quick(algorithm), size, warm_start)
        self.costs, self.goal, self.best = costs, goal, isinstance(goal, Mean)
        many = len(goal.facing(0.0, (0.0,) * (len(goal.names) - 1))) if goal.names else 1
        self.numbers = [self.moments, *(make_moments(size) for _ in range(many - 1))]
        self.lows = [np.full(size, math.inf) for _ in self.numbers]  # the lowest result of each option; inf: unknown
        self.ordered: dict[int, list[float]] = {}  # results by option, where the goal needs them in order

    # -- what is known of the players --------------------------------------------------------------

    def enter(self) -> None:
        players = np.array(self.players, np.intp)
        self.counts = self.moments.counts[players].astype(float)
        self.columns = [(each.means[players], each.squares[players]) for each in self.numbers]
        self.samples = float(self.counts.sum())  # whole numbers, so no rounding gathers
        self.drops = self.drops_of(players)
        self.least = [float(lows[players].min(initial=math.inf)) for lows in self.lows]
        self.changed: set[int] = set()  # options
        self.noise: np.ndarray | None = None  # w^2 s2 of the players; None after a result

    def drop(self, i: int) -> float:
        """The decrement per unit of w^2 s2 and of cost; to N a pending draw is a sample like any other."""
        count = self.moments.counts.item(i) + self.pending.item(i)
        drop: float = shrinkage(count) if count else math.inf
        return drop if self.costs is None else drop / self.costs.item(i)

    def drops_of(self, players: Any) -> np.ndarray:
        """[players] the same."""
        with np.errstate(divide="ignore"):
            drops = shrinkage((self.moments.counts[players] + self.pending[players]).astype(float))
        return drops if self.costs is None else drops / self.costs[players]

    def change(self, i: int, result: bool) -> None:
        if i in self.places:
            self.changed.add(i)  # processed at the next choice: often a draw and its result at once

    def refresh(self) -> None:
        """Process what changed since the last choice."""
        for i in self.changed:
            place, count = self.places[i], self.moments.counts.item(i)
            self.drops[place] = drop = self.drop(i)
            if count != self.counts.item(place):
                self.samples += count - self.counts.item(place)
                self.counts[place], self.noise = count, None
                for k, (means, squares) in enumerate(self.columns):
                    means[place], squares[place] = self.numbers[k].means.item(i), self.numbers[k].squares.item(i)
                    self.least[k] = min(self.least[k], self.lows[k].item(i))
            elif self.noise is not None:
                self.scores[place] = self.noise.item(place) * drop
        self.changed.clear()

    def pick(self, allowed: np.ndarray | None) -> int:
        self.refresh()
        if self.noise is None:
            self.noise = self.weigh()
            self.scores = self.noise * self.drops
        scores = self.scores if allowed is None else np.where(allowed[self.players], self.scores, -np.inf)
        return self.players[int(scores.argmax())]

    def weigh(self) -> np.ndarray:
        """[players] w^2 s2, up to a factor common to all; equal where no noise was seen."""
        decision = self.algorithm.decision if self.best else self.goal.measured_from(self.origin, self.unit)
        if len(self.columns) == 1:
            belief = belief_of(self.algorithm.noise, self.counts, *self.columns[0], self.least[0], self.samples)
            return np.ones(self.counts.size) if belief is None else weigh_arrays(decision, belief) * belief.noise
        beliefs = [self.believe(k) for k in range(len(self.columns))]
        if not any(beliefs):
            return np.ones(self.counts.size)
        noise: np.ndarray = weigh_numbers(decision, [b or self.exact(k) for k, b in enumerate(beliefs)])
        return noise

    def believe(self, k: int) -> Belief | None:
        """The belief about one of several numbers of a result, each in units of its own noise."""
        (means, squares), free = self.columns[k], total_of(self.counts) - np.count_nonzero(self.counts)
        unit = math.sqrt(total_of(squares) / max(free, 1.0))
        if not unit > 0.0:
            return None
        return belief_of(self.algorithm.noise, self.counts, means / unit, squares / unit**2, self.least[k] / unit)

    def exact(self, k: int) -> Belief:
        """A number that never varied."""
        seen, means = self.counts > 0, self.columns[k][0]
        plain, expected = (np.where(seen, means, unknown) for unknown in (-np.inf, np.nan))
        return Belief(np.maximum(self.counts, 1.0), plain, expected, 0.0 * means, 0.0 * means)

    def merits(self) -> np.ndarray:
        if len(self.numbers) == 1:
            return super().merits()
        keeps = np.all([self.moments.counts > 0, *(each.means >= 0.0 for each in self.numbers[1:])], axis=0)
        return np.where(keeps, self.moments.means, -np.inf)

    # -- results -----------------------------------------------------------------------------------

    def add_result(self, i: int, value: Any, expected: bool, replicate: int = -1) -> None:
        if len(self.numbers) == 1:
            value = (self.scaled_by(value),)
        count = self.moments.counts.item(i) + 1
        for each, lows, number in zip(self.numbers, self.lows, value, strict=True):
            each.counts[i] = count
            each.means[i], each.squares[i] = joined(each.means.item(i), each.squares.item(i), number, count)
            lows[i] = min(lows.item(i), number)
        if self.goal.ordered:
            self.estimate(i, value[0])
        if expected:
            self.pending[i] -= 1
        if self.ready:
            self.change(i, True)

    def scaled_by(self, value: float) -> float:
        """A result from the origin, in units."""
        if not self.scaled:
            self.measure(value)
        return (value - self.origin) / self.unit

    def estimate(self, i: int, value: float) -> None:
        """The moments of an estimate from ordered results: the squares that samples with such a mean would have."""
        ordered = self.ordered.setdefault(i, [])
        insort(ordered, value)
        (estimate, error), count = self.goal.estimate(ordered), len(ordered)
        self.moments.means[i], self.moments.squares[i] = estimate, error * error * count * (count - 1.0)
        self.lows[0][i] = math.inf  # of results, not of what is compared

    def add_block(self, i: int, block: Block) -> None:
        block = self.in_units(block)
        if not block.squares and block.times:  # the lowest value of a summary is unknown
            self.lows[0][i] = min(self.lows[0].item(i), block.value)
        super().add_block(i, block)

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        longer = [Moments(*(np.append(column, column.dtype.type(0)) for column in each)) for each in self.numbers[1:]]
        self.numbers = [self.moments, *longer]
        self.lows = [np.append(lows, math.inf) for lows in self.lows]
        self.costs = None if self.costs is None else np.append(self.costs, cost)


# -- a belief about options together ---------------------------------------------------------------


class Joint:
    """A belief N(means, covariance) about some options, to which results are added one by one."""

    options: np.ndarray  # [n] which they are
    means: np.ndarray  # [n]
    covariance: np.ndarray  # [n, n]
    noise: np.ndarray  # [n] s2 of one more result

    def gaps(self, leader: int, known: np.ndarray | float = 0.0) -> np.ndarray:
        """[n] x of the gaps to the leader; ``known`` [n] is less in the variance of a difference."""
        own = np.diagonal(self.covariance)
        errors = self.covariance[leader] * -2.0
        errors += own
        errors += own.item(leader)
        errors -= known
        np.maximum(errors, 0.0, out=errors)
        x: np.ndarray = steepness(self.means.item(leader) - self.means, errors)
        x[leader] = np.inf
        return x

    def scores(self, pending: np.ndarray, prices: np.ndarray | None) -> np.ndarray | None:
        """[n] by how much one more draw lowers D, per unit of cost; None if all gaps are settled."""
        raise NotImplementedError

    def pick(self, pending: np.ndarray, allowed: np.ndarray | None, costs: np.ndarray | None) -> int | None:
        """The option to draw next; None if there is nothing to find out about these, or none is allowed."""
        scores = self.scores(pending[self.options], None if costs is None else costs[self.options])
        if scores is None:
            return None
        if allowed is not None:
            scores = np.where(allowed[self.options], scores, -np.inf)
        chosen = int(scores.argmax())
        return int(self.options[chosen]) if scores.item(chosen) > -np.inf else None


class JointChooser(RuleChooser):
    """Options are compared by a ``model`` of all of them, as soon as there is one."""

    model: Any = None  # a Joint

    def update(self) -> None:
        """Bring the model up to date."""

    def pick(self, allowed: np.ndarray | None) -> int:
        self.update()
        i = None if self.model is None else self.model.pick(self.pending, allowed, self.costs)
        return super().pick(allowed) if i is None else int(i)

    def ahead(self) -> int | None:
        """The option with the highest expected mean."""
        if not self.ready:
            return None
        self.update()
        return None if self.model is None else int(self.model.options[self.model.means.argmax()])
