"""VarDE for goals other than the best mean, for ask/tell: the same rule with another decision."""

from __future__ import annotations

from bisect import insort
from typing import Any

import numpy as np

from ..certainty import Block
from ..certainty.order_statistics import estimate
from ..decisions.gap_table import gap_noise
from ..decisions.limits import limit_noise
from ..decisions.line import line_noise
from ..decisions.top import top_noise
from ..moments import Moments, make_moments, observe
from ..rule import VarDE, decrement
from .chooser import Chooser
from .goals import Above, Below, Best, Goal, Quantile, Top


class GoalChooser(Chooser):
    """Scores all options after every result, by what matters to the goal, which subclasses define.

    Results are measured from the first one, in units of the first difference, as for the best mean.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None, goal: Any):
        super().__init__(algorithm, size, warm_start)
        self.costs, self.goal = costs, goal

    def weigh(self) -> np.ndarray:
        """[players] w^2 s2."""
        raise NotImplementedError

    def enter(self) -> None:
        self.drops = np.array([self.drop(i) for i in self.players])
        self.noise: np.ndarray | None = None  # w^2 s2 of the players; None after a result

    def drop(self, i: int) -> float:
        """The decrement per unit of w^2 s2 and of cost; pending draws count, as in ``gap_table.planned``."""
        count, pending = self.moments.counts.item(i), self.pending.item(i)
        drop: float = decrement(1.0, 1.0, count + 2 * pending if count else pending)
        return drop if self.costs is None else drop / self.costs.item(i)

    def change(self, i: int, result: bool) -> None:
        place = self.places.get(i)
        if place is not None:
            self.drops[place] = self.drop(i)
            self.noise = None if result else self.noise

    def pick(self, allowed: np.ndarray | None) -> int:
        if self.noise is None:
            self.noise = self.weigh()
        scores = self.noise * self.drops
        if allowed is not None:
            scores = np.where(allowed[self.players], scores, -np.inf)
        return self.players[int(scores.argmax())]

    def known(self) -> tuple[np.ndarray, ...]:
        """Counts, means and squares of the players."""
        return tuple(column[self.players] for column in self.moments)

    def add_result(self, i: int, value: Any, expected: bool, replicate: int = -1) -> None:
        self.observe(i, value)
        if expected:
            self.pending[i] -= 1
        if self.ready:
            self.change(i, True)

    def add_block(self, i: int, block: Block) -> None:
        super().add_block(i, self.in_units(block))

    def observe(self, i: int, value: Any) -> None:
        """Process a result."""
        observe(self.moments, i, self.scale(value))

    def scale(self, value: float) -> float:
        """A result from the origin, in units."""
        if not self.scaled:
            self.measure(value)
        return (value - self.origin) / self.unit

    def set_cost(self, i: int, cost: float) -> None:
        if self.costs is not None:
            self.costs[i] = cost

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.costs = None if self.costs is None else np.append(self.costs, cost)


class TopChooser(GoalChooser):
    """The best m: pairs of an option inside and one outside."""

    def weigh(self) -> np.ndarray:
        return top_noise(self.algorithm, self.goal.m, *self.known())


class LineChooser(GoalChooser):
    """All above a line: each option and the line."""

    def weigh(self) -> np.ndarray:
        return line_noise(self.algorithm, (self.goal.sign * self.goal.line - self.origin) / self.unit, *self.known())


class QuantileChooser(GoalChooser):
    """The best quantile: the gaps between estimated quantiles, with their errors.

    The moments hold N, the estimate, and the squares that samples of such a mean would have.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None, goal: Any):
        super().__init__(algorithm, size, warm_start, costs, goal)
        self.ordered: list[list[float]] = [[] for _ in range(size)]

    def weigh(self) -> np.ndarray:
        return gap_noise(self.algorithm, *self.known())

    def observe(self, i: int, value: float) -> None:
        insort(self.ordered[i], self.scale(value))
        count = len(self.ordered[i])
        quantile, error = estimate(self.ordered[i], self.goal.turned)
        counts, means, squares = self.moments
        counts[i], means[i], squares[i] = count, quantile, error * error * count * (count - 1.0)

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.ordered.append([])


class LimitChooser(GoalChooser):
    """The best within limits: what each option lacks, in the objective or in a slack.

    A result is a tuple, the objective and the slacks, each with moments of its own; ``moments`` are the objective's.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None, goal: Any):
        super().__init__(algorithm, size, warm_start, costs, goal)
        self.slacks = [make_moments(size) for _ in goal.limits]

    def weigh(self) -> np.ndarray:
        return limit_noise(self.algorithm, self.moments.counts[self.players], *self.tables(self.players))

    def tables(self, players: Any) -> tuple[np.ndarray, np.ndarray]:
        """[1 + C, players] means and squares."""
        columns = [self.moments, *self.slacks]
        return np.array([c.means[players] for c in columns]), np.array([c.squares[players] for c in columns])

    def observe(self, i: int, value: Any) -> None:
        for column, number in zip((self.moments, *self.slacks), value, strict=True):
            observe(column, i, number)

    def merits(self) -> np.ndarray:
        means, _ = self.tables(slice(None))
        keeps = (self.moments.counts > 0) & (means[1:] >= 0.0).all(axis=0)
        return np.where(keeps, means[0], -np.inf)

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.slacks = [Moments(*(np.append(column, column.dtype.type(0)) for column in each)) for each in self.slacks]


CHOOSERS: dict[type[Goal], type[GoalChooser]] = {
    Top: TopChooser,
    Above: LineChooser,
    Below: LineChooser,
    Quantile: QuantileChooser,
    Best: LimitChooser,
}
