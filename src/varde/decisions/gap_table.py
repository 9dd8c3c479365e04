"""The gaps of all components at once, on arrays: for ask/tell, which never compiles.

The formulas are those of ``gaps``, ``jumps`` and ``noise``; only the loops are numpy's.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from ..beliefs.noise import drawn_variance, guarded_variance, shrunk_variance
from ..gain import log_loss
from ..rule import VarDE, shrinkage
from .gaps import log_weight
from .jumps import believed, jump_focus, jump_weight, jumps_of, log_jump_weight


def weigh_all(logs: np.ndarray, leader: int, seen: np.ndarray | None = None) -> np.ndarray:
    """[K] w^2 from log g, in place.  A component without samples is level with the leader."""
    if logs.size == 1:  # no rivals
        return np.ones(1)
    if seen is not None:
        logs[~seen] = 0.0
    logs[leader] = -np.inf
    logs -= logs.item(logs.argmax())  # relative to the nearest rival: nothing underflows, however clear the case is
    weights = np.exp(logs, out=logs)
    weights[leader] = total_of(weights)
    return weights


ones = functools.cache(np.ones)


def total_of(numbers: np.ndarray) -> float:
    """The sum; of few numbers as a dot product, which takes a third of the time (of many it may depend on threads)."""
    size = numbers.size
    return float(numbers.dot(ones(size)) if size <= 256 else np.add.reduce(numbers))


def gap_scores(
    rule: VarDE,
    counts: np.ndarray,
    means: np.ndarray,
    squares: np.ndarray,
    pending: np.ndarray | int = 0,
    costs: np.ndarray | None = None,
) -> np.ndarray:
    """[K] the decrement of every component, up to a factor common to all: sample the highest.

    ``pending`` samples, asked for and not yet known, count twice in N and in nothing else.  ``costs`` per sample turn
    the decrement into one per unit of cost.  Infinite where nothing was asked for yet.

    >>> counts, means, squares = np.full(3, 10.0), np.array([3.0, 2.5, 0.0]), np.full(3, 9.0)
    >>> scores = gap_scores(VarDE(), counts, means, squares)
    >>> (scores / scores.max()).round(3)
    array([1., 1., 0.])
    """
    with np.errstate(divide="ignore"):
        scores = gap_noise(rule, counts, means, squares) * shrinkage(planned(counts, pending))
    return scores if costs is None else scores / costs


def planned(count: Any, pending: Any) -> Any:
    """N with pending samples counted twice: otherwise a whole batch would go where a few results would do.

    Before the first result they count once, so that every component gets its first sample before any gets a second.
    """
    return count + np.where(count > 0, 2, 1) * pending


def gap_noise(rule: VarDE, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[K] w_i^2 s2_i, up to a factor common to all.

    A component without samples is level with the leader and as noisy as the others are on average.  Where no noise was
    seen at all, equal: the rule then allocates equally.
    """
    seen = counts > 0
    free = counts.sum() - np.count_nonzero(seen)
    pooled = squares.sum() / free if free > 0 else 0.0
    if not pooled > 0.0:
        return np.ones(counts.size)
    counts, means = np.maximum(counts, 1), np.where(seen, means, -np.inf)
    leader = int(means.argmax())
    variances = shrunk_variance(rule.noise, pooled, squares, counts)
    errors = guarded_variance(rule.noise, pooled, variances, counts) / counts + variances[leader] / counts[leader]
    return weigh_all(log_weight(rule.decision, means - means[leader], errors), leader, seen) * variances


class Beliefs(NamedTuple):
    """As in ``jumps``, of all components."""

    above: np.ndarray  # [K] Y
    errors: np.ndarray  # [K] v
    variances: np.ndarray  # [K] s2


class GapTable:
    """``gap_noise`` of components that change one at a time: the same numbers, up to rounding, in a third of the time.

    s2_i and both candidates for u_i are straight lines in the pooled variance.  Slopes and offsets depend on one
    component only and are kept, which leaves a handful of passes over the arrays.  The table also knows the lowest
    sample of each component and how often it came, and takes jumps into account.

    >>> table = GapTable(VarDE(), 3)
    >>> for i, mean in enumerate([3.0, 2.5, 0.0]):
    ...     table.put(i, 10, mean, 9.0)
    >>> noise = table.noise()
    >>> (noise / noise.max()).round(3)
    array([1., 1., 0.])
    """

    def __init__(self, rule: VarDE, size: int):
        self.rule, self.focus = rule, float(jump_focus(rule.decision))
        self.fill(*np.zeros((3, size)))

    def fill(
        self,
        counts: np.ndarray,
        means: np.ndarray,
        squares: np.ndarray,
        lows: list[float] | None = None,
        often: list[int] | None = None,
    ) -> None:
        """Begin with these moments; where there are no samples, mean and squares are not read.

        ``lows`` are the lowest samples, which came ``often``; without them there are no jumps.
        """
        seen = counts > 0
        self.counts = np.array(counts, float)
        self.means = np.where(seen, means, -np.inf)  # never the leader before its first sample
        self.squares = np.where(seen, squares, 0.0)
        self.leader = -1  # the highest mean, if known
        self.lines = np.array(self.lines_of(np.maximum(self.counts, 1.0), self.squares))
        self._slopes, self._offsets = self.lines[:3], self.lines[3:]
        self._at = np.empty_like(self._slopes)
        self.rows = tuple(self._at)
        self.unseen = counts.size - int(np.count_nonzero(seen))
        self.free = float((self.counts - seen).sum())  # degrees of freedom; whole numbers, so no rounding gathers
        self.lows = [math.inf] * counts.size if lows is None else list(lows)
        self.often = [0] * counts.size if often is None else list(often)
        self._find_end()

    def _find_end(self) -> None:
        self.end = min(self.lows)
        self.at_end = sum(often for low, often in zip(self.lows, self.often, strict=True) if low == self.end)

    def lines_of(self, count: Any, squares: Any) -> tuple[Any, ...]:
        """Slopes and offsets in the pooled variance: of s2, and of s2 / N and its wary form / N."""
        model, share = self.rule.noise, 1.0 / count
        slope, offset = shrunk_variance(model, 1.0, 0.0, count), shrunk_variance(model, 0.0, squares, count)
        wary_slope, wary_offset = drawn_variance(model, 1.0, slope, count), drawn_variance(model, 0.0, offset, count)
        return slope, slope * share, wary_slope * share, offset, offset * share, wary_offset * share

    def put(self, i: int, count: float, mean: float, squares: float, low: float = math.inf, often: int = 0) -> None:
        """Component ``i`` now has ``count`` samples, 1 or more, with these moments; the lowest came ``often``."""
        before = self.counts.item(i)
        self.unseen -= before == 0.0
        self.free += count - max(before, 1.0)
        if self.leader >= 0:
            top = self.means.item(self.leader)
            if i == self.leader and mean < top:
                self.leader = -1  # found when it is needed
            elif mean > top or (mean == top and i < self.leader):
                self.leader = i
        self.counts[i], self.means[i], self.squares[i] = count, mean, squares
        self.lines[:, i] = self.lines_of(count, squares)
        lowest, end = self.lows[i], self.end
        if low == lowest and low > end:  # as nearly always
            self.often[i] = often
            return
        rises = lowest == end and low != end  # another history
        self.at_end += (often if low == end else 0) - (self.often[i] if lowest == end else 0)
        self.lows[i], self.often[i] = low, often
        if low < end or rises:
            self._find_end()

    @property
    def weight(self) -> float:
        """How much weight jumps have, 0 to 1."""
        if self.at_end <= 1 or self.focus == 0.0:  # as with most data
            return 0.0
        return float(jump_weight(self.at_end / (self.free + self.counts.size - self.unseen)))

    def noise(self) -> np.ndarray:
        """[K] w_i^2 s2_i, up to a factor common to all: the same as ``gap_noise`` of all moments, but for jumps."""
        leader = self.prepare()
        if leader < 0:
            return np.ones(self.counts.size)
        weight = self.weight
        if weight > 0.0:
            return self._jump_noise(leader, self._believe(weight))
        variances, errors, wary = self.rows
        error = errors.item(leader)
        np.maximum(errors, wary, out=errors)
        np.add(errors, error, out=errors)
        logs = log_weight(self.rule.decision, self.means - self.means.item(leader), errors)
        weights = weigh_all(logs, leader, self.counts > 0 if self.unseen else None)
        return np.multiply(weights, variances, out=weights)

    def prepare(self) -> int:
        """s2, s2 / N and its wary form / N at the pooled variance, in their rows; who leads, -1 if nothing moved."""
        total = total_of(self.squares)
        if total <= 0.0:
            return -1
        np.multiply(self._slopes, total / max(self.free, 1.0), out=self._at)
        np.add(self._at, self._offsets, out=self._at)
        if self.leader < 0:
            self.leader = int(self.means.argmax())
        return self.leader

    # -- where samples are mostly one lowest value -------------------------------------------------

    def _believe(self, weight: float) -> Beliefs:
        """Once ``prepare`` has been called."""
        seen = self.counts > 0
        counts = np.maximum(self.counts, 1.0)
        means = np.where(seen, self.means, self.end)
        above = means - self.end
        total = float((counts * above).sum())
        square = float((self.squares + counts * above * above).sum())
        samples = self.free + np.count_nonzero(seen)
        jumps = jumps_of(weight, self.end, samples, self.at_end, total, square)
        above, errors, more = believed(jumps, counts, means, self.squares)
        variances = np.where(seen, np.maximum(self.rows[0], more / counts), self.rows[0])
        return Beliefs(above, errors, variances)

    def _jump_noise(self, leader: int, beliefs: Beliefs) -> np.ndarray:
        top, base = beliefs.above.item(leader), beliefs.variances.item(leader) / self.counts.item(leader)
        logs = log_jump_weight(self.focus, top, base, beliefs.above, beliefs.errors)
        weights = weigh_all(logs, leader, self.counts > 0 if self.unseen else None)
        return np.multiply(weights, beliefs.variances, out=weights)

    def gains(self, pending: np.ndarray, costs: np.ndarray | None, allowed: np.ndarray | None) -> np.ndarray:
        """[K] the log of the knowledge gradient, up to a term common to all, with jumps.

        f is between exp(-x^2 / 2) and that over 1 + 1.26 x + x^2, up to a factor.  Where this leaves no doubt that
        another is the highest of those ``allowed``, -inf.
        """
        if self.prepare() < 0:
            return -self.counts - pending
        above, _, variances = self._believe(self.weight)
        counts = self.counts + pending
        if self.unseen:  # level with the leader
            above = np.where(self.counts > 0, above, above.max())
        leader = int(above.argmax())
        top, second = above.item(leader), np.delete(above, leader).max(initial=-np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = variances * shrinkage(counts)
            leads = top - above
            leads[leader] = top - second
            logs = 0.5 * np.log(squares / squares.max(initial=0.0, where=counts > 0))
            if costs is not None:
                logs -= np.log(costs)
            if allowed is not None:
                logs[~allowed] = -np.inf
            x = leads / np.sqrt(squares)
            highest = logs - 0.5 * x * x
            lowest = highest - np.log1p(1.26 * x + x * x)
            lowest[np.isnan(lowest)] = -np.inf  # not allowed, or alone
        gains = np.full(counts.size, -np.inf)
        for i in np.flatnonzero(highest >= lowest.max()).tolist():
            gains[i] = logs.item(i) + log_loss(x.item(i))
        gains[(counts == 0) & (logs > -np.inf)] = np.inf
        return gains
