"""The highest score among very many options without scoring all of them: the same answer as the whole table gives.

The score of a rival depends on its own moments and on three numbers that change slowly: the pooled variance, the
leader's mean and its error.  Once in a while all components are scored, and the highest few hundred become contenders.
From then on only these are scored.  Of the rest, which do not change unless they are sampled, bounds are kept:

    how high the score of any of them can have risen,
    how large the sum of their g, which is in the leader's score, can be and must be.

With D_j the distance to the leader and V_j the variance of the gap, log g_j = l_j = -focus D_j / sqrt(V_j).  Let the
leader's mean rise by d and all V_j change by a factor from r to R.  With c_j = focus / sqrt(V_j),

    l_j - low |l_j| - (1 + low) c_j d  <=  log g_j  <=  l_j + high |l_j| - (1 - high) c_j d,

low = 1 / sqrt(r) - 1, high = 1 - 1 / sqrt(R).  The highest of such lines is a convex function of ``high`` and d, and so
below its chords.  The sum of their exponentials is bounded by moments: from below by Jensen's inequality, however far d
and r went, and for small steps both ways by a few terms of a series.  Early on, when one option leads by luck and takes
hundreds of samples, the wide bounds settle it; later the steps are small.  When a bound does not settle who is highest,
everything is scored again; where even that leaves a difference in the last digits, the table decides.
"""

from __future__ import annotations

import math

import numpy as np

from .gap_table import GapTable, total_of

LEAST = 5_000  # components from which this is worthwhile
REACHES = ((0.02, 0.1), (0.3, 2.0), (0.8, 12.0))  # (``high``, c d) that bounds are made for: near ones are closer
NEAR = 1.0 - REACHES[0][0]
PATIENCE, PAUSE = 4, 8  # if everything is scored again after fewer choices than that, the table chooses for a while
CLOSE = 1e-9  # relative differences that rounding might decide


def how_many(size: int) -> int:
    """Contenders among ``size`` components."""
    return min(max(size // 50, 32), 256)


class Contenders:
    """The highest score of a ``GapTable`` whose components all have samples, no jumps in mind."""

    def __init__(self, table: GapTable, drops: np.ndarray):
        self.table, self.drops = table, drops
        self.focus = float(table.rule.decision.focus)
        self.room = np.empty((4, table.counts.size))  # c, log g and log score of all, as they were; a place to work in
        # The contenders; room for more.
        self.index, self.place, self.used = np.zeros(0, np.int64), dict[int, int](), 0
        self.lines, self.means, self.own_drops = np.zeros((6, 0)), np.zeros(0), np.zeros(0)
        # The rest: the highest means, in order; how high the others' are; bounds.
        self.queue, self.next, self.below, self.rest_mean = list[int](), 0, -np.inf, -np.inf
        self.scale, self.height, self.moments = 0.0, 0.0, list[list[float]]()
        self.steepest, self.least, self.heights = 1.0, 1.0, list[tuple[float, float]]()
        # What changes slowly, as it was.
        self.top = self.error = self.pooled = self.total = 0.0
        self.twin = -1  # the contender that those of the rest that are like it lose to
        self.stale = True
        self.since, self.pause = PATIENCE, 0  # choices since all were scored; how many the table still makes
        self.rebuilt = self.settled = 0  # how often all were scored; how often the table had to decide

    # -- what changed ------------------------------------------------------------------------------

    def moved(self, i: int, by: float) -> None:
        """Component ``i`` has a new result, its M2 having grown ``by``; drops[i] may have changed."""
        self.dropped(i)
        if not self.stale:
            self.total += by
            self.copy(i, self.place[i])

    def dropped(self, i: int) -> None:
        """drops[i] has changed."""
        place = self.place.get(i, -1) if not self.stale else -1
        if place < 0 or i == self.twin:
            self.stale = True
        else:
            self.own_drops[place] = self.drops[i]

    def copy(self, i: int, place: int) -> None:
        self.lines[:, place] = self.table.lines[:, i]
        self.means[place] = self.table.means[i]
        self.own_drops[place] = self.drops[i]

    def able(self) -> bool:
        """Whether every component has samples, and something moved."""
        return self.table.unseen == 0 and (not self.stale or bool(self.table.squares.any()))

    # -- who is highest ----------------------------------------------------------------------------

    def highest(self) -> int:
        """The component with the highest score, the lowest index on ties."""
        if self.pause:
            self.pause -= 1
            return self.by_the_table()
        self.since += 1
        found = -1 if self.stale else self.among_contenders()
        if found < 0:
            if self.since <= PATIENCE:
                self.stale, self.since, self.pause = True, PATIENCE, PAUSE
                return self.by_the_table()
            self.rebuild()
            found = self.among_contenders()
        return self.by_the_table() if found < 0 else found

    def by_the_table(self) -> int:
        self.settled += 1
        return int((self.table.noise() * self.drops).argmax())

    def among_contenders(self) -> int:
        """The answer, or -1 if the contenders do not settle it."""
        pooled, leader = self.total / max(self.table.free, 1.0), self.leads()
        while self.overtaken(leader):
            if self.next == len(self.queue):
                return -1
            self.promote()
            leader = self.leads()
        means, drops, lines = self.means[: self.used], self.own_drops[: self.used], self.lines[:, : self.used]
        top = means.item(leader)
        variances, errors, wary = lines[:3] * pooled + lines[3:]
        error = errors.item(leader)
        logs = (means - top) * (self.focus / np.sqrt(np.maximum(errors, wary) + error))
        logs[leader] = -np.inf
        logs -= self.scale
        if self.scale < -600.0 and logs.item(logs.argmax()) > 600.0:  # far from what was scored
            return -1
        weights = np.exp(logs, out=logs)
        scores = weights * variances * drops
        best = int(scores.argmax())
        score = scores.item(best)
        low, high, rest = self.bounds(top, error, pooled)
        own = total_of(weights)
        factor = variances.item(leader) * drops.item(leader)
        if (own + low) * factor > max(score, rest) * (1.0 + CLOSE):
            return int(self.index[leader])
        if score <= max((own + high) * factor, rest) * (1.0 + CLOSE):
            return -1
        close = scores > score * (1.0 - CLOSE)
        if np.count_nonzero(close) == 1:
            return int(self.index[best])
        tied = np.flatnonzero(close)
        return int(self.index[self.first(tied)]) if self.same(tied) else -1

    def leads(self) -> int:
        """The place of the highest mean, of the lowest index on ties."""
        leader = int(self.means.argmax())
        level = self.means == self.means.item(leader)
        return leader if np.count_nonzero(level) == 1 else self.first(np.flatnonzero(level))

    def overtaken(self, leader: int) -> bool:
        """Whether one of the rest has a higher mean, or the same and a lower index."""
        top = self.means.item(leader)
        if top != self.rest_mean or self.next == len(self.queue):
            return top <= self.rest_mean
        return self.queue[self.next] < self.index.item(leader)

    def first(self, places: np.ndarray) -> int:
        """The place of the lowest index among these."""
        return int(places[self.index[places].argmin()])

    def promote(self) -> None:
        """The highest mean of the rest becomes a contender."""
        i, place = self.queue[self.next], self.used
        self.next, self.used = self.next + 1, self.used + 1
        self.rest_mean = self.table.means.item(self.queue[self.next]) if self.next < len(self.queue) else self.below
        self.index[place], self.place[i] = i, place
        self.copy(i, place)
        steep, log = self.room[0].item(i), self.room[1].item(i)
        plain = math.exp(log - self.scale)
        for sums, weight in zip(
            self.moments, (plain, math.exp(min(NEAR * log - self.scale, 600.0)), -log * plain), strict=True
        ):
            for k in range(4):
                sums[k] -= weight * steep**k

    def same(self, tied: np.ndarray) -> bool:
        """Whether these contenders are identical in everything: their scores are then equal to the last bit."""
        columns = np.vstack((self.lines[:, tied], self.means[tied], self.own_drops[tied]))
        return bool((columns == columns[:, :1]).all())

    def bounds(self, top: float, error: float, pooled: float) -> tuple[float, float, float]:
        """The least and the largest sum of g of the rest, and the largest score."""
        rise, grown, ratio = top - self.top, error - self.error, pooled / self.pooled
        most = 1.0 + max(grown, 0.0) / self.least + max(ratio - 1.0, 0.0)
        fewest = 1.0 - max(-grown, 0.0) / self.least - max(1.0 - ratio, 0.0)
        if fewest <= 0.1:
            return 0.0, np.inf, np.inf
        high, low = 1.0 - 1.0 / math.sqrt(most), 1.0 / math.sqrt(fewest) - 1.0
        up, down = (1.0 - high) * rise, (1.0 + low) * rise
        plain, reaching, lengths = self.moments
        highest = np.inf
        for (reach, stride), (far, near) in zip(REACHES, self.heights, strict=True):
            share, step = high / reach, max(-up, 0.0) * self.steepest / stride
            if share + step <= 1.0:
                climb = self.height + share * (far - self.height) + step * (near - self.height)
                highest = math.exp(min(climb + math.log(max(ratio, 1.0)) - self.scale, 700.0))
                break
        if plain[0] <= 0.0:
            return 0.0, 0.0 if plain[0] == 0.0 and highest < np.inf else np.inf, highest
        smallest = plain[0] * math.exp(-(low * lengths[0] + down * plain[1]) / plain[0])
        if high > REACHES[0][0] or abs(rise) * self.steepest > 0.5 or reaching[0] == np.inf:
            return smallest, np.inf, highest
        # exp(-x) is below its first three terms for x > 0; the fourth, times exp(1/2) at most, covers x < 0.
        share = high / REACHES[0][0]
        last = 0.0 if up >= 0.0 else 1.65 / 6.0
        largest = sum(
            ((1.0 - share) * p + share * q) * t
            for p, q, t in zip(plain, reaching, (1.0, -up, 0.5 * up * up, last * -(up**3)), strict=True)
        )
        # and above its first four for x > 0, above the first three for x < 0
        last = 1.0 / 6.0 if down >= 0.0 else 0.0
        near = sum(
            (p - low * q) * t
            for p, q, t in zip(plain, lengths, (1.0, -down, 0.5 * down * down, -last * down**3), strict=True)
        )
        return max(smallest, near), largest, highest

    def rebuild(self) -> None:
        """Score everything, choose the contenders, make bounds for the rest."""
        table, size, (steep, logs, scores, spare) = self.table, self.table.counts.size, self.room
        self.rebuilt += 1
        leader = table.prepare()
        variances, errors, wary = table.rows
        self.total, self.error, self.top = float(table.squares.sum()), errors.item(leader), table.means.item(leader)
        self.pooled = self.total / max(table.free, 1.0)
        np.maximum(errors, wary, out=steep)
        np.sqrt(np.add(steep, self.error, out=steep), out=steep)
        np.divide(self.focus, steep, out=steep)
        np.multiply(np.subtract(table.means, self.top, out=logs), steep, out=logs)
        np.log(np.multiply(variances, self.drops, out=scores), out=scores)
        scores += logs
        scores[leader] = np.inf
        chosen, last = first_highest(scores, min(how_many(size), size - 1))
        chosen[leader] = True
        index, extra = np.flatnonzero(chosen), how_many(size)
        self.used = index.size
        self.index, self.means = np.full(self.used + extra, -1), np.full(self.used + extra, -np.inf)
        self.index[: self.used], self.means[: self.used] = index, table.means[index]
        self.lines, self.own_drops = np.ones((6, self.used + extra)), np.zeros(self.used + extra)
        self.lines[:, : self.used], self.own_drops[: self.used] = table.lines[:, index], self.drops[index]
        self.place = {i: place for place, i in enumerate(index.tolist())}
        level = np.flatnonzero(scores == scores[last])
        logs[leader] = -np.inf
        self.scale = float(logs.max())
        scores[index] = -np.inf
        # Those of the rest that are exactly like the last contender lose to it by their index, as long as it stays.
        level = level[~chosen[level]]
        same = (table.lines[:, level] == table.lines[:, last, None]).all(axis=0) & (
            self.drops[level] == self.drops[last]
        )
        alike = level[same & (table.means[level] == table.means[last])]
        self.twin = last if alike.size else -1
        scores[alike] = -np.inf
        np.copyto(spare, table.means)
        spare[index] = -np.inf
        highest = (
            np.flatnonzero(first_highest(spare, min(extra + 1, size - self.used))[0]) if self.used < size else index[:0]
        )
        highest = highest[np.argsort(-table.means[highest], kind="stable")]
        self.queue, self.next = highest[:extra].tolist(), 0
        self.below = table.means.item(highest[-1]) if highest.size > extra else -np.inf
        self.rest_mean = table.means.item(highest[0]) if highest.size else -np.inf
        steep[index] = 0.0
        self.steepest = float(steep.max()) or 1.0
        self.least = (self.focus / self.steepest) ** 2
        self.height = float(scores.max())
        logs[index] = 0.0
        self.at_first = index
        self.heights = [(self.raised(-reach, logs), self.raised(s / self.steepest, steep)) for reach, s in REACHES]
        self.moments = [self.series(1.0), self.series(NEAR), self.series(1.0, True)]
        self.stale, self.since = False, 0

    def raised(self, by: float, what: np.ndarray) -> float:
        """The highest score of the rest, each raised ``by`` times something of its own."""
        spare = self.room[3]
        np.multiply(what, by, out=spare)
        np.add(spare, self.room[2], out=spare)
        return float(spare.max())

    def series(self, part: float, lengths: bool = False) -> list[float]:
        """The sums over the rest of g c^k, k = 0 to 3, with log g times ``part``, or of |log g| g c^k."""
        steep, logs, _, spare = self.room
        np.subtract(np.multiply(logs, part, out=spare), self.scale, out=spare)
        spare[self.at_first] = -np.inf
        if spare.max() > 600.0:  # the nearest is 10,000 standard errors away
            return [np.inf] * 4
        np.exp(spare, out=spare)
        if lengths:
            spare *= logs
            np.negative(spare, out=spare)
        sums = [float(spare.sum())]
        for _ in range(3):
            spare *= steep
            sums.append(float(spare.sum()))
        return sums


def first_highest(scores: np.ndarray, many: int) -> tuple[np.ndarray, int]:
    """Which are the ``many`` highest, of equal ones the first, as a mask; and which of them is the last on the list."""
    least = float(np.partition(scores, scores.size - many)[scores.size - many])
    chosen = scores > least
    level = np.flatnonzero(scores == least)[: many - int(np.count_nonzero(chosen))]
    chosen[level] = True
    return chosen, level.item(-1)
