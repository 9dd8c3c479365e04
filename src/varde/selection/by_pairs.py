"""VarDE on the gaps where results come in pairs: common random numbers, a fixed test set.

A result of option i in replicate r is mu_i + c_r + e (``certainty.paired``).  Whoever else has a result in r tells
something about c_r, so what a sample is worth depends on where it falls.  It is the same rule with the variance of
differences:

    D = sum_j g_j Var(mu_b - mu_j),    g_j = exp(-3 z_j),    z_j = (mu_b - mu_j) / sqrt(Var(mu_b - mu_j))

The next sample of i is an observation of u'mu, u = e_i - w_S / I_S with S the options that have results in its
replicate, with noise s2_i + 1/I_S.  It lowers D by

    sum_j g_j ((C u)_b - (C u)_j)^2 / (s2_i + 1/I_S + u'C u),

which without a common part is the decrement of rule.py.  Where the leader has no result yet, a rival's would have
nothing to be compared with: opening a replicate is worth the average over the leader and the rivals that follow it.
"""

from __future__ import annotations

import numpy as np

from ..certainty.paired import Split, precision, split
from ..decisions.gaps import TINY, log_weight
from ..noise import guarded_variance
from ..rule import VarDE
from .by_gaps import GapChooser

MOST = 64  # options compared with each other: the most promising ones
GROWTH = 20  # tau2 and s2 are found anew when there are a 20th more results
NEVER = -1  # the replicate of a result that was not asked for: nobody shares it


class PairChooser(GapChooser):
    """All options scored at once, by the covariance of their means.

    Everything follows from the results in their order: tau2 and s2 from the first so many, the precision by adding the
    others one at a time.  So every process that has read the same events has the same bits.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None, items: int = 0):
        super().__init__(algorithm, size, warm_start, costs)
        self.items = items
        self.owners: list[int] = []  # of all results
        self.rows: list[int] = []
        self.results: list[float] = []

    def enter(self) -> None:
        super().enter()
        self.known, self.due = 0, 1  # so many results are in the model; at so many it is made anew
        self.model: Model | None = None

    def add_result(self, i: int, value: float, expected: bool, replicate: int = NEVER) -> None:
        super().add_result(i, value, expected, replicate)
        self.owners.append(i)
        self.rows.append(replicate)
        self.results.append(value)

    def pick(self, allowed: np.ndarray | None) -> int:
        self.catch_up()
        if self.model is None:
            return super().pick(allowed)
        i = self.model.pick(self.pending, allowed, self.costs)
        return super().pick(allowed) if i is None else i

    def catch_up(self) -> None:
        """Take notice of the results that came since the last choice."""
        total = len(self.owners)
        if total >= self.due:
            while (then := self.due + max(self.due // GROWTH, 1)) <= total:
                self.due = then
            self.known, self.due = self.due, then
            self.model = self.fit(self.known)
        if self.model is not None:
            while self.known < total:
                k = self.known
                self.model.add(self.owners[k], self.rows[k], (self.results[k] - self.origin) / self.unit)
                self.known += 1

    def fit(self, many: int) -> Model | None:
        """The model of the first ``many`` results; None while pairs say nothing."""
        owner, row = np.array(self.owners[:many]), np.array(self.rows[:many])
        x = (np.array(self.results[:many]) - self.origin) / self.unit
        lone = row < 0
        row = np.where(lone, row.max(initial=0) + np.cumsum(lone), row)
        found = split(x, owner, row, self.pending.size)
        if found is None:
            return None
        model = Model(self.algorithm, found, np.bincount(owner, minlength=self.pending.size), self.items)
        model.begin(self.contenders(owner, x, found), x, owner, np.where(lone, NEVER, row))
        return model

    def contenders(self, owner: np.ndarray, x: np.ndarray, found: Split) -> list[int]:
        """The options to compare: all, or the most promising."""
        if len(self.players) <= MOST:
            return self.players
        counts = np.maximum(np.bincount(owner, minlength=self.pending.size), 1)
        means = np.bincount(owner, x, self.pending.size) / counts
        promise = (means + 2.0 * np.sqrt((found.common + found.noise) / counts))[self.players]
        return [self.players[place] for place in np.sort(np.argsort(-promise, kind="stable")[:MOST])]


class Model:
    """The means of some options with their precision, one result more at a time."""

    def __init__(self, algorithm: VarDE, found: Split, counts: np.ndarray, items: int):
        self.algorithm, self.common, self.noise, self.items = algorithm, found.common, found.noise, items
        free = np.maximum(counts - 1, 0) + algorithm.noise.prior
        self.pooled = float(free @ found.noise) / float(free.sum())

    def begin(self, options: list[int], x: np.ndarray, owner: np.ndarray, row: np.ndarray) -> None:
        """Take the results so far."""
        size = len(options)
        self.options, self.places = np.array(options), {i: place for place, i in enumerate(options)}
        self.noise = self.noise[self.options]
        self.weights, self.counts = 1.0 / self.noise, np.zeros(size)
        self.rows = int(row.max(initial=0)) + 2
        self.seen = np.zeros((self.rows, size))  # w where there is a result
        self.info, self.pull = np.full(self.rows, 1.0 / self.common), np.zeros(self.rows)  # I, sum of w x
        place = np.full(int(owner.max()) + 1, -1)
        inside = [i for i in options if i < place.size]
        place[inside] = [self.places[i] for i in inside]
        who, kept = place[owner], (place[owner] >= 0) & (row >= 0)
        at, by, values = row[kept], who[kept], x[kept]
        self.seen[at, by] = self.weights[by]
        self.info += self.seen.sum(axis=1)
        np.add.at(self.pull, at, self.weights[by] * values)
        self.counts += np.bincount(by, minlength=size)
        self.precision = precision(self.seen, self.info)
        self.sums = self.weights * np.bincount(by, values - (self.pull / self.info)[at], size)
        self.next = [int(np.argmin(column)) for column in self.seen.T]
        for k in np.flatnonzero((row < 0) & (who >= 0)):
            self.add(int(owner[k]), NEVER, float(x[k]))

    def grow(self, rows: int) -> None:
        """Room for so many replicates."""
        more = max(rows - self.rows, self.rows)
        self.seen = np.concatenate([self.seen, np.zeros((more, self.weights.size))])
        self.info = np.concatenate([self.info, np.full(more, 1.0 / self.common)])
        self.pull = np.concatenate([self.pull, np.zeros(more)])
        self.rows += more

    def add(self, i: int, row: int, x: float) -> None:
        """One more result."""
        place = self.places.get(i)
        if place is None:
            return
        self.counts[place] += 1.0
        weight = self.weights.item(place)
        if row < 0 or (row < self.rows and self.seen.item(row, place) > 0.0):
            weight = 1.0 / (1.0 / weight + self.common)
            self.precision[place, place] += weight
            self.sums[place] += weight * x
            return
        if row + 2 > self.rows:
            self.grow(row + 2)
        info, seen = self.info.item(row), self.seen[row]
        along = seen * (-1.0 / info)
        along[place] += 1.0
        scaled = along * (1.0 / (1.0 / weight + 1.0 / info))
        self.precision += scaled[:, None] * along
        self.sums += scaled * (x - self.pull.item(row) / info)
        seen[place] = weight
        self.info[row] += weight
        self.pull[row] += weight * x
        while self.next[place] < self.rows and self.seen.item(self.next[place], place) > 0.0:
            self.next[place] += 1

    def pick(self, pending: np.ndarray, allowed: np.ndarray | None, costs: np.ndarray | None) -> int | None:
        """The option to draw next; None where all gaps are settled or none of these options is allowed."""
        covariance = np.linalg.inv(self.precision)
        means = covariance @ self.sums
        leader = int(means.argmax())
        open_gaps = self.open_gaps(means, covariance, leader)
        if open_gaps is None:
            return None
        prices = 1.0 if costs is None else costs[self.options]
        scores = self.scores(covariance, leader, open_gaps, pending[self.options], prices)
        if allowed is not None:
            scores = np.where(allowed[self.options], scores, -np.inf)
        chosen = int(scores.argmax())
        return int(self.options[chosen]) if scores[chosen] > -np.inf else None

    def open_gaps(self, means: np.ndarray, covariance: np.ndarray, leader: int) -> np.ndarray | None:
        """[K] g, relative to the most open gap; None if none is open."""
        own = np.diagonal(covariance)
        errors = own + own.item(leader) - 2.0 * covariance[leader]
        wary = guarded_variance(self.algorithm.noise, self.pooled, self.noise, self.counts) - self.noise
        left = 1.0 / np.maximum(self.counts, 1.0) - (1.0 / self.items if self.items else 0.0)
        errors += wary * left
        if self.items:
            errors -= (self.noise + self.noise[leader]) / self.items
        logs = log_weight(self.algorithm.decision, means - means.item(leader), np.maximum(errors, TINY))
        logs[leader] = -np.inf
        if self.items and self.counts[leader] >= self.items:
            logs[self.counts >= self.items] = -np.inf
        top = logs.item(logs.argmax())
        return np.exp(logs - top) if top > -np.inf else None

    def scores(
        self, covariance: np.ndarray, leader: int, gaps: np.ndarray, pending: np.ndarray, prices: np.ndarray | float
    ) -> np.ndarray:
        """[K] by how much one more draw lowers D, per unit of cost; draws under way count as if they were there."""
        seen, info, rows = self.seen, self.info, np.array(self.next)
        if pending.any():
            seen, info, rows, covariance = self.expected(pending)
        weights, behind = self.weights, seen[rows]
        along = behind * (-1.0 / info[rows])[:, None]
        np.einsum("ii->i", along)[:] += 1.0
        moves = covariance @ along.T  # [j, i] how far a draw of i moves the mean of j
        doubt = self.noise + 1.0 / info[rows] + np.einsum("ij,ji->i", along, moves)
        apart = moves[leader] - moves
        scores = gaps @ (apart * apart) / doubt
        single = scores / prices
        followers = np.flatnonzero(rows == rows[leader])
        if followers.size == 1:
            return single
        followers = followers[followers != leader]
        after = covariance - moves[:, [leader]] * (moves[:, leader] / doubt[leader])
        row = behind[leader].copy()
        row[leader] += weights[leader]
        known = info[rows[leader]] + weights[leader]
        along = np.broadcast_to(row * (-1.0 / known), (followers.size, row.size)).copy()
        along[np.arange(followers.size), followers] += 1.0
        moves = after @ along.T
        doubt = self.noise[followers] + 1.0 / known + np.einsum("ij,ji->i", along, moves)
        apart = moves[leader] - moves
        gains = gaps @ (apart * apart) / doubt
        dues = np.broadcast_to(prices, scores.shape)
        order = np.argsort(-gains / dues[followers], kind="stable")
        total = scores[leader] + np.cumsum(gains[order])
        paid = dues[leader] + np.cumsum(dues[followers][order])
        single[leader] = max(single[leader], float((total / paid).max()))
        return single

    def expected(self, pending: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Who has which replicate, their I, everybody's next one and the covariance, when all draws are answered."""
        rows = np.array(self.next)
        new: list[tuple[int, int]] = []
        for place in np.flatnonzero(pending).tolist():
            at = rows.item(place)
            for _ in range(pending.item(place)):
                new.append((at, place))
                at += 1
                while at < self.rows and self.seen.item(at, place) > 0.0:
                    at += 1
            rows[place] = at
        if rows.max() + 1 > self.rows:
            self.grow(int(rows.max()) + 1)
        where, who = np.array(new).T
        seen, info = self.seen.copy(), self.info.copy()
        seen[where, who] = self.weights[who]
        touched = np.unique(where)
        info[touched] += (seen[touched] - self.seen[touched]).sum(axis=1)
        change = precision(seen[touched], info[touched]) - precision(self.seen[touched], self.info[touched])
        return seen, info, rows, np.linalg.inv(self.precision + change)
