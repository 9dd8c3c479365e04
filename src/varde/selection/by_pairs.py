"""VarDE on the gaps where results come in pairs: common random numbers, a fixed test set.

A result of option i in replicate r is mu_i + c_r + e (``certainty.paired``).  Other options with a result in r tell
something about c_r, so the value of a sample depends on its replicate.  It is the same rule with the variance of
differences:

    D = sum_j g_j Var(mu_b - mu_j),    g_j = (1 + exp x_j)^-2,    x_j = 1.81 (mu_b - mu_j) / sqrt(Var(mu_b - mu_j))

The next sample of i is an observation of u'mu, u = e_i - w_S / I_S with S the options that have results in its
replicate, with noise s2_i + 1/I_S.  It lowers D by

    sum_j g_j ((C u)_b - (C u)_j)^2 / (s2_i + 1/I_S + u'C u),

which is ``rule.joint_decrements``, and without a common part the plain decrement.  Where the leader has no result yet,
a rival's result would have nothing to be compared with: opening a replicate is worth the average over the leader and
the rivals after it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..certainty.paired import Split, precision, split
from ..decisions.pairs import weights
from ..rule import VarDE, joint_decrements
from .by_rule import Joint, JointChooser
from .goals import Goal

MOST = 64  # options compared with each other: the most promising ones
ROUNDS = 12  # of EM: rough is enough to choose by
GROWTH = 10  # tau2 and s2 are fitted again after a tenth more results
FAINT = 1e-3  # of a result: the information on an option without results
NEVER = -1  # the replicate of a result that was not asked for: no other option shares it


class PairChooser(JointChooser):
    """Scores all options by the covariance of their means.

    Everything is a function of the results in their order: tau2 and s2 of the first so many, the covariance by adding
    the others one at a time.  So all processes that have read the same events have the same bits.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: Any, goal: Goal, items: int = 0):
        super().__init__(algorithm, size, warm_start, costs, goal)
        self.items = items
        self.owners: list[int] = []  # of all results
        self.rows: list[int] = []
        self.results: list[float] = []

    def enter(self) -> None:
        super().enter()
        self.known, self.due = 0, 1  # results in the model; at how many it is fitted again
        self.model = None

    def add_result(self, i: int, value: float, expected: bool, replicate: int = NEVER) -> None:
        super().add_result(i, value, expected, replicate)
        self.owners.append(i)
        self.rows.append(replicate)
        self.results.append(value)

    def update(self) -> None:
        """Process the results since the last choice."""
        total = len(self.owners)
        if total >= self.due:
            while (then := self.due + max(self.due // GROWTH, 1)) <= total:
                self.due = then
            self.known, self.due = self.due, then
            self.model = self.fit(self.known)
        if self.model is not None:
            for k in range(self.known, total):
                self.model.add(self.owners[k], self.rows[k], (self.results[k] - self.origin) / self.unit)
            self.known = total

    def fit(self, many: int) -> Model | None:
        """The model of the first ``many`` results; None as long as pairs carry no information."""
        owner, row = np.array(self.owners[:many]), np.array(self.rows[:many])
        x = (np.array(self.results[:many]) - self.origin) / self.unit
        lone = row < 0
        places = np.where(lone, row.max(initial=0) + np.cumsum(lone), row)
        found = split(x, owner, places, self.pending.size, rounds=ROUNDS)
        if found is None:
            return None
        return Model(self.algorithm, found, self.contenders(owner, x, found), self.items, (x, owner, row))

    def contenders(self, owner: np.ndarray, x: np.ndarray, found: Split) -> list[int]:
        """The options to compare: all, or the most promising."""
        if len(self.players) <= MOST:
            return self.players
        counts = np.maximum(np.bincount(owner, minlength=self.pending.size), 1)
        means = np.bincount(owner, x, self.pending.size) / counts
        promise = (means + 2.0 * np.sqrt((found.common + found.noise) / counts))[self.players]
        return [self.players[place] for place in np.sort(np.argsort(-promise, kind="stable")[:MOST])]


class Model(Joint):
    """The means of some options and their covariance, updated result by result."""

    def __init__(
        self,
        algorithm: VarDE,
        found: Split,
        options: list[int],
        items: int,
        results: tuple[np.ndarray, np.ndarray, np.ndarray],
    ):
        x, owner, row = results
        size = len(options)
        self.common, self.items = found.common, items
        self.options, self.places = np.array(options), {i: place for place, i in enumerate(options)}
        self.noise = found.noise[self.options]
        self.weights = 1.0 / self.noise
        self.rows = int(row.max(initial=0)) + 2
        self.seen = np.zeros((self.rows, size))  # w where there is a result
        self.info, self.pull = np.full(self.rows, 1.0 / self.common), np.zeros(self.rows)  # I, sum of w x
        place = np.full(found.noise.size, -1)
        place[self.options] = np.arange(size)
        who = place[owner]
        kept, lone = (who >= 0) & (row >= 0), np.flatnonzero((who >= 0) & (row < 0))
        at, by, values = row[kept], who[kept], x[kept]
        np.add.at(self.seen, (at, by), self.weights[by])
        self.info += self.seen.sum(axis=1)
        np.add.at(self.pull, at, self.weights[by] * values)
        self.counts = np.bincount(by, minlength=size).astype(float)
        self.next = np.argmin(self.seen, axis=0)  # [K] the first replicate without a result
        self.precision = precision(self.seen, self.info)
        if not self.counts.all():  # never tried: as uncertain as after a single result
            np.einsum("ii->i", self.precision)[:] += np.where(self.counts > 0.0, 0.0, FAINT * self.weights)
        self.covariance = np.linalg.inv(self.precision)
        self.means = self.covariance @ (self.weights * np.bincount(by, values - (self.pull / self.info)[at], size))
        for k in lone.tolist():
            self.add(int(owner[k]), NEVER, float(x[k]))

    def add(self, i: int, row: int, x: float) -> None:
        """One more result."""
        place = self.places.get(i)
        if place is None:
            return
        self.counts[place] += 1.0
        if row + 2 > self.rows:
            self.grow(row + 2)
        noise, info, along, pull = self.noise.item(place), 1.0 / self.common, np.zeros(self.weights.size), 0.0
        shared = row >= 0 and self.seen.item(row, place) == 0.0
        if shared:
            info, pull = self.info.item(row), self.pull.item(row)
            np.multiply(self.seen[row], -1.0 / info, out=along)
        along[place] += 1.0
        moves, doubt = self.covariance @ along, noise + 1.0 / info
        self.precision += along[:, None] * (along / doubt)
        gain = moves / (doubt + float(along @ moves))
        self.means += gain * (x - pull / info - float(along @ self.means))
        self.covariance -= gain[:, None] * moves
        if shared:
            self.seen[row, place] = weight = self.weights.item(place)
            self.info[row] += weight
            self.pull[row] += weight * x
            at = self.next.item(place)
            while self.seen.item(at, place) > 0.0:
                at += 1
            self.next[place] = at

    def grow(self, rows: int) -> None:
        """Room for so many replicates."""
        more = max(rows - self.rows, self.rows)
        self.seen = np.concatenate([self.seen, np.zeros((more, self.weights.size))])
        self.info = np.concatenate([self.info, np.full(more, 1.0 / self.common)])
        self.pull = np.concatenate([self.pull, np.zeros(more)])
        self.rows += more

    def scores(self, pending: np.ndarray, prices: np.ndarray | None) -> np.ndarray | None:
        """[K] pending draws count as if they had results."""
        leader = int(self.means.argmax())
        x = self.gaps(leader, (self.noise + self.noise.item(leader)) / self.items if self.items else 0.0)
        if self.items and self.counts.item(leader) >= self.items:
            x[self.counts >= self.items] = np.inf
        if x.min() == np.inf:
            return None
        gaps = weights(x)
        if pending.any():
            rows, others, info, covariance = self.expected(pending)
        else:
            rows, covariance = self.next, self.covariance
            others, info = self.seen[rows], self.info[rows]
        doubt = 1.0 / info
        others *= doubt[:, None]  # the share of each result in each c_r
        moves = covariance - covariance @ others.T  # [j, i] how far a draw of i moves the mean of j
        doubt += np.diagonal(moves) - np.einsum("ij,ji->i", others, moves)
        doubt += self.noise
        drops = joint_decrements(gaps, moves, leader, doubt)
        followers = np.flatnonzero(rows == rows.item(leader))
        if followers.size == 1:
            return drops if prices is None else drops / prices
        followers = followers[followers != leader]
        # Once the leader has opened its next replicate, c_r is known from the leader too.
        weight, move, shift = self.weights.item(leader), moves[:, leader], moves[:, leader] / doubt.item(leader)
        known = info.item(leader) + weight
        both = others[leader] * (info.item(leader) / known)
        both[leader] += weight / known
        effect = covariance @ both - shift * float(both @ move)
        later = covariance[:, followers] - move[followers] * shift[:, None] - effect[:, None]
        spread = later[followers, np.arange(followers.size)] - both @ later
        gains = joint_decrements(gaps, later, leader, spread + self.noise[followers] + 1.0 / known)
        dues = np.ones(drops.size) if prices is None else prices
        order = np.argsort(-gains / dues[followers], kind="stable")
        total = drops.item(leader) + np.cumsum(gains[order])
        total /= dues.item(leader) + np.cumsum(dues[followers][order])
        drops /= dues
        drops[leader] = max(drops.item(leader), total.item(total.argmax()))
        return drops

    def expected(self, pending: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """With all pending draws answered: the next replicate of every option, who has results there, its I, and the
        covariance."""
        rows = self.next.copy()
        new: dict[int, list[int]] = {}  # by replicate
        for place in np.flatnonzero(pending).tolist():
            at = rows.item(place)
            for _ in range(pending.item(place)):
                new.setdefault(at, []).append(place)
                at += 1
                while at < self.rows and self.seen.item(at, place) > 0.0:
                    at += 1
            rows[place] = at
        if rows.max() + 1 > self.rows:
            self.grow(int(rows.max()) + 1)
        touched = list(new)
        before, others, info = self.seen[touched], self.seen[rows], self.info[rows]
        after = before.copy()
        for line, (at, places) in enumerate(new.items()):
            after[line, places] = self.weights[places]
            others[rows == at] = after[line]
            info[rows == at] += self.weights[places].sum()
        known = self.info[touched]
        change = precision(after, known + (after - before).sum(axis=1)) - precision(before, known)
        return rows, others, info, np.linalg.inv(self.precision + change)
