"""Which option to draw next: a round-robin warm start, then the algorithm, with pending draws counted.

To an algorithm a pending draw is a sample like those before it: N grows, mean and variance stay.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..beliefs.noise import PRIOR, shrunk_variance
from ..certainty import Block
from ..moments import Moments, joined, make_moments
from ..rule import shrinkage


class Chooser:
    """The moments of the results, the pending draws, and the warm start; subclasses choose.

    They choose among ``players``, options that work, by their index in that list.  They are set up at the first
    choice, and again when an option was added or removed, from the moments and pending draws only.
    """

    def __init__(self, algorithm: Any, size: int, warm_start: int):
        self.algorithm, self.warm_start = algorithm, warm_start
        self.moments: Moments = make_moments(size)
        self.pending = np.zeros(size, np.int64)
        self.excluded: set[int] = set()  # options that fail
        self.cold = deque(range(size))  # options whose warm start is not complete, in order
        self.drawn = 0  # draws so far
        self.origin, self.unit = 0.0, 1.0  # a result is origin + unit times what the moments hold
        self.begun = self.scaled = False  # whether the origin and the unit are fixed
        self.ready = False

    # -- of a subclass ---------------------------------------------------------------------------

    def field(self) -> np.ndarray:
        """The options to choose among, in order."""
        return self.working()

    def enter(self) -> None:
        """Start from the moments of all players."""
        raise NotImplementedError

    def change(self, i: int, result: bool) -> None:
        """Option ``i`` has a new result, or one pending draw more or less."""
        raise NotImplementedError

    def pick(self, allowed: np.ndarray | None) -> int:
        """The option to draw next."""
        raise NotImplementedError

    # -- the warm start --------------------------------------------------------------------------

    def is_warm(self, i: int) -> bool:
        return i in self.excluded or self.moments.counts[i] + self.pending[i] >= self.warm_start

    def forget_warm(self) -> None:
        """Remove options whose warm start is complete from the list; they stay so until they fail."""
        while self.cold and self.is_warm(self.cold[0]):
            self.cold.popleft()

    def next_cold(self, allowed: np.ndarray | None) -> int | None:
        """The next option of the warm start, or None when it is over."""
        if not self.cold:
            return None
        self.forget_warm()
        for i in self.cold:
            if not self.is_warm(i) and (allowed is None or allowed[i]):
                return i
        return None

    # -- choosing and updating ---------------------------------------------------------------------

    def choose(self, allowed: np.ndarray | None) -> int:
        """The option to draw next after the warm start; ``allowed`` [K] may exclude some."""
        if not self.ready:
            self.make_ready()
        return self.pick(allowed)

    def least_known(self, options: Sequence[int]) -> int:
        """The option of a comparison whose next sample lowers its variance most, by the rule with equal weights."""
        counts, _, squares = self.moments
        usual = float(squares.sum()) / max(int(np.maximum(counts - 1, 0).sum()), 1)

        def drop(i: int) -> tuple[float, int]:
            known, samples = counts.item(i), counts.item(i) + self.pending.item(i)
            if not known:
                return math.inf, 0
            noise = shrunk_variance(PRIOR, usual, squares.item(i), known)
            return noise * shrinkage(samples), -samples

        return max(options, key=drop)

    def make_ready(self) -> None:
        self.players = self.field().tolist()
        self.places = {i: place for place, i in enumerate(self.players)}
        self.enter()
        self.ready = True

    def working(self) -> np.ndarray:
        """The options that do not fail."""
        return np.delete(np.arange(self.pending.size), [*self.excluded])

    def add_pending(self, i: int, warm: bool) -> None:
        """A draw of option ``i`` is pending, as part of the ``warm`` start or as chosen."""
        if not self.ready and not warm:
            self.make_ready()  # as when it was chosen, even in another process
        if self.cold:
            self.forget_warm()
            if self.cold and self.cold[0] == i:
                self.cold.rotate(-1)
        self.pending[i] += 1
        self.drawn += 1
        if self.ready:
            self.change(i, False)

    def drop_pending(self, i: int) -> None:
        """A pending draw of ``i`` will have no result."""
        self.pending[i] -= 1
        if self.ready:
            self.change(i, False)

    def add_result(self, i: int, value: float, expected: bool, replicate: int = -1) -> None:
        """A result of option ``i``, larger being better; ``expected`` if it ends a pending draw.

        Options may be compared on the ``replicate`` they share; a negative one is not shared.
        """
        counts, means, squares = self.moments
        counts[i] = count = counts.item(i) + 1
        means[i], squares[i] = joined(means.item(i), squares.item(i), value, count)
        if expected:
            self.pending[i] -= 1
        if self.ready:
            self.change(i, True)

    def add_block(self, i: int, block: Block) -> None:
        """Many results of option ``i`` at once, larger being better."""
        counts, means, squares = self.moments
        before, times, apart = counts.item(i), block.times, block.value - means.item(i)
        counts[i] = count = before + times
        means[i] += apart * times / count
        squares[i] += block.squares + apart * apart * before * times / count
        if self.ready:
            self.change(i, True)

    def in_units(self, block: Block) -> Block:
        """The block relative to the origin, in units; a block that varies fixes both."""
        if not self.scaled:
            self.measure(block.value)
        if not self.scaled and block.squares > 0.0:
            self.scaled, self.unit = True, math.sqrt(block.squares / block.times)
        return Block((block.value - self.origin) / self.unit, block.times, block.squares / self.unit**2)

    def exclude(self, i: int) -> None:
        """Option ``i`` fails and is no longer chosen."""
        self.excluded.add(i)
        if i in self.cold:
            self.cold.remove(i)
        self.ready = False

    def include(self, i: int) -> None:
        """Option ``i`` works again."""
        self.excluded.discard(i)
        self.cold.append(i)
        self.ready = False

    def add_option(self, cost: float) -> None:
        """One more option."""
        self.cold.append(self.pending.size)
        self.pending = np.append(self.pending, 0)
        self.moments = Moments(*(np.append(column, column.dtype.type(0)) for column in self.moments))
        self.ready = False

    def ahead(self) -> int | None:
        """The best option so far, if that is not simply the one with the highest mean."""
        return None

    def merits(self) -> np.ndarray:
        """[K] the criterion for the leader; -inf if an option must not lead."""
        return self.summary().means

    def measure(self, value: float) -> None:
        """Fix origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def summary(self) -> Moments:
        """Counts, means and squares in the unit of the results, larger being better."""
        counts, means, squares = self.moments
        return Moments(counts, self.origin + self.unit * means, squares * self.unit**2)
