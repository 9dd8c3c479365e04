"""VarDE on the gaps where options resemble each other: the same rule, with a belief about all of them together.

    D = sum_j g_j Var(theta_b - theta_j),   a sample of i lowers it by   sum_j g_j (S_bi - S_ji)^2 / (S_ii + s2_i)

A pending draw changes S as its result will, whatever that is; the result then moves the means.  This is exact in any
order.  First, options far apart from each other are drawn.  Then the hyper-parameters are fitted, and again after 15 %
more results: an event of the log, so that all processes, and one that goes on later, have the same ones.  Where the
evidence is for strangers, it is the selection of strangers (``by_rule``), with their warm start.
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from ..beliefs.alike import Data, Posterior, fit
from ..beliefs.features import Row, Space, space_of
from ..certainty import Block
from ..decisions.pairs import weights
from ..rule import VarDE, joint_decrements
from .by_rule import Joint, JointChooser
from .goals import Goal

START = 1 / 3  # of the budget is for options far apart
TWICE = 8  # one of so many of them is drawn twice, for the noise, unless there are draws for all options
GROWTH, LEAST, MOST = 0.15, 3, 500  # more results, as a share, at least and at most, before the next fit
IN_PLAY = 500  # options between two fits: those with the highest mu + 2 sd
RIVALS, FAINT = 200, 1e-4  # the gaps that count: so many, and g at least that


class AlikeChooser(JointChooser):
    """Everything is a function of the events in order: the moments and pending draws as of the last fit, or when an
    option changed, and the draws and results since."""

    space: Space | None = None

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: Any, goal: Goal, draws: int):
        super().__init__(algorithm, size, warm_start, costs, goal)
        self.draws = draws  # that the budget pays for; 0: unknown
        self.rows: list[Any] = [None] * size  # features
        self.plan: deque[int] | None = None  # what to draw as long as there is no fit
        self.first = 0  # draws of the plan before the first fit
        self.logs: list[float] | None = None  # hyper-parameters
        self.odds = 0.0  # log of the evidence for resemblance
        self.due = 0  # results at which they are fitted again
        self.base: tuple[np.ndarray, ...] = ()  # counts, means, squares, pending
        self.since: list[tuple[int, float | None]] = []  # (option, its result; None: a draw of it)

    # -- features and hyper-parameters -------------------------------------------------------------

    def describe(self, i: int, row: Row) -> None:
        self.rows[i], self.space = row, None
        if self.logs is None:
            self.plan, self.ready = None, False
        else:
            self.rebase()

    @property
    def strangers(self) -> bool:
        """Whether the options do not resemble each other, as far as is known, and there are draws for all of them."""
        return self.logs is not None and self.odds < 0.0 and not 0 < self.draws < len(self.rows)

    @property
    def is_due(self) -> bool:
        told = int(self.moments.counts.sum())
        if self.logs is not None:
            return told >= self.due
        self.planned()
        return told >= LEAST and (told >= self.first or (self.drawn >= self.first <= 2 * told))

    def fitted(self) -> dict[str, Any]:
        """New hyper-parameters, as a log keeps them."""
        found = fit(self.placed(), Data(*self.moments), None if self.logs is None else np.array(self.logs))
        return {"logs": found.logs.tolist(), "odds": found.odds}

    def take_fit(self, data: dict[str, Any]) -> None:
        self.logs, self.odds = [float(x) for x in data["logs"]], float(data["odds"])
        told = int(self.moments.counts.sum())
        self.due = told + min(max(math.ceil(GROWTH * told), LEAST), MOST)
        self.rebase()

    def known(self) -> dict[str, Any]:
        """What a recommendation needs."""
        return {"features": list(self.rows), "logs": self.logs}

    def placed(self) -> Space:
        if self.space is None:
            self.space = space_of(self.rows)
        return self.space

    def planned(self) -> deque[int]:
        """The draws before the first fit: each option as far as possible from those before it, and some twice."""
        if self.plan is None:
            space, size = self.placed(), len(self.rows)
            least = max(min(3 * len(space.parameters) + 5, (self.draws or 99) // 2), 2)
            many = min(size, max(int(START * self.draws), least))
            order = far_apart(space.points, many)
            again = order[: max(2, many // TWICE)] if many < size else []  # else as the warm start of strangers
            self.first = many + len(again)
            rest = np.setdiff1d(np.arange(size), order).tolist()
            self.plan = deque([*order, *again, *rest])
            for i in np.repeat(np.arange(size), np.minimum(self.moments.counts + self.pending, 2)).tolist():
                if i in self.plan:  # there before the plan, or before an option that was added
                    self.plan.remove(i)
        return self.plan

    # -- choosing ----------------------------------------------------------------------------------

    def next_cold(self, allowed: np.ndarray | None) -> int | None:
        if self.strangers:
            return super().next_cold(allowed)
        if self.logs is None:
            for i in self.planned():
                if i not in self.excluded and (allowed is None or allowed[i]):
                    return i
        return None

    def enter(self) -> None:
        super().enter()
        self.model = None
        if self.logs is not None and not self.strangers:
            counts, means, squares, pending = self.base
            data = Data(counts.astype(float), means, squares)
            self.model = self.make_model(
                self.algorithm, self.placed(), data, pending, np.array(self.logs), self.players
            )
            for i, value in self.since:
                self.model.add(i, value)

    def make_model(self, *known: Any) -> Model:
        return Model(*known)

    def ahead(self) -> int | None:
        if self.logs is not None and not self.ready:
            self.make_ready()
        return super().ahead()

    # -- what happens ------------------------------------------------------------------------------

    def rebase(self) -> None:
        """Start again from the moments as they are now."""
        self.base, self.since, self.ready = (*(x.copy() for x in self.moments), self.pending.copy()), [], False

    def happen(self, i: int, value: float | None = None) -> None:
        self.since.append((i, value))
        if self.ready and self.model is not None:
            self.model.add(i, value)

    def add_pending(self, i: int, warm: bool) -> None:
        super().add_pending(i, warm)
        if self.logs is not None:
            self.happen(i)
        elif i in self.planned():
            self.planned().remove(i)

    def add_result(self, i: int, value: Any, expected: bool, replicate: int = -1) -> None:
        super().add_result(i, value, expected, replicate)
        if self.logs is not None:
            if not expected:
                self.happen(i)
            self.happen(i, self.scaled_by(value))

    def add_block(self, i: int, block: Block) -> None:
        super().add_block(i, block)
        self.rebase()

    def drop_pending(self, i: int) -> None:
        super().drop_pending(i)
        self.rebase()

    def exclude(self, i: int) -> None:
        super().exclude(i)
        self.rebase()

    def include(self, i: int) -> None:
        super().include(i)
        self.rebase()

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.rows.append(None)


class Model(Joint):
    """The belief about the options in play, updated draw by draw and result by result."""

    def __init__(
        self,
        algorithm: VarDE,
        space: Space,
        data: Data,
        pending: np.ndarray,
        logs: np.ndarray,
        players: list[int],
    ):
        belief, self.options = Posterior(space, data, logs), np.array(players)
        if self.options.size > IN_PLAY:
            means, variances = belief.marginal(self.options)
            hope = np.where(pending[self.options] > 0, np.inf, means + 2.0 * np.sqrt(variances))
            self.options = self.options[np.sort(np.argsort(-hope, kind="stable")[:IN_PLAY])]
        self.places = {int(i): place for place, i in enumerate(self.options)}
        self.means, self.covariance, self.noise = belief.joint(self.options)
        self.expected: dict[int, list[float]] = {}  # the means when draws were made that have no result yet
        for i in np.repeat(np.arange(pending.size), pending):
            self.add(int(i))

    def add(self, i: int, value: float | None = None) -> None:
        """A draw of option ``i``, or the result of one."""
        place = self.places.get(i)
        if place is None:
            return
        if value is None:
            row = self.covariance[place].copy()
            self.covariance -= row[:, None] * (row / (row[place] + self.noise[place]))
            self.expected.setdefault(place, []).append(float(self.means[place]))
        elif self.expected.get(place):
            surprise = value - self.expected[place].pop(0)
            self.means += self.covariance[place] * (surprise / self.noise[place])

    def scores(self, pending: np.ndarray, prices: np.ndarray | None) -> np.ndarray:
        leader = int(self.means.argmax())
        gaps = weights(self.gaps(leader))
        rivals = np.argsort(-gaps, kind="stable")[: min(RIVALS, max(int((gaps > FAINT * gaps.max()).sum()), 1))]
        rows = np.append(leader, rivals)
        scores = joint_decrements(gaps[rows], self.covariance[rows], 0, np.diagonal(self.covariance) + self.noise)
        return scores if prices is None else scores / prices


def far_apart(points: np.ndarray, many: int) -> list[int]:
    """Each option as far as possible from those before it, beginning at the middle."""
    if many >= len(points):
        return list(range(len(points)))
    i = int(((points - points.mean(axis=0)) ** 2).sum(axis=1).argmin())
    found, nearest = [i], np.full(len(points), np.inf)
    while len(found) < many:
        nearest = np.minimum(nearest, ((points - points[i]) ** 2).sum(axis=1))
        nearest[i] = -1.0
        i = int(nearest.argmax())
        found.append(i)
    return found
