"""Which option to draw next: the warm start in turns, then the algorithm, with draws under way counted.

To an algorithm a pending draw is a sample like those before it: N grows, mean and variance stay.  (The default counts
it twice: ``by_gaps``.)
"""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from ..certainty import Block
from ..moments import Moments, joined, make_moments


class Chooser:
    """The moments of the results, the pending draws, and the warm start in turns; subclasses choose.

    They choose among ``players``, the options that work, by their places in that list.  They are made ready at the
    first choice, and again when an option has come or gone, from the moments alone.
    """

    def __init__(self, algorithm: Any, size: int, warm_start: int):
        self.algorithm, self.warm_start = algorithm, warm_start
        self.moments: Moments = make_moments(size)
        self.pending = np.zeros(size, np.int64)
        self.excluded: set[int] = set()  # options that fail
        self.cold = deque(range(size))  # whose warm start is not complete, in order of their turn
        self.origin, self.unit = 0.0, 1.0  # a result is origin + unit times what the moments hold
        self.begun = self.scaled = False  # whether the origin is settled, and the unit
        self.left = 1.0  # the share of the budget that is not yet handed out, as of the last choice; 1: no budget
        self.ready = False

    # -- of a subclass ---------------------------------------------------------------------------

    def enter(self) -> None:
        """Begin with all players as they are."""
        raise NotImplementedError

    def change(self, i: int, result: bool) -> None:
        """Take notice of a new result of option ``i``, or of a draw of it more or less under way."""
        raise NotImplementedError

    def pick(self, allowed: np.ndarray | None) -> int:
        """The option to draw next."""
        raise NotImplementedError

    # -- the warm start --------------------------------------------------------------------------

    def is_warm(self, i: int) -> bool:
        return i in self.excluded or self.moments.counts[i] + self.pending[i] >= self.warm_start

    def forget_warm(self) -> None:
        """Take options off the list whose warm start is complete: they stay so until they fail."""
        while self.cold and self.is_warm(self.cold[0]):
            self.cold.popleft()

    def next_cold(self, allowed: np.ndarray | None) -> int | None:
        """Whose turn it is in the warm start, or None when that is over."""
        if not self.cold:
            return None
        self.forget_warm()
        for i in self.cold:
            if not self.is_warm(i) and (allowed is None or allowed[i]):
                return i
        return None

    # -- choosing and taking notice ----------------------------------------------------------------

    def choose(self, allowed: np.ndarray | None, left: float = 1.0) -> int:
        """The option to draw next, warm start over; ``allowed`` [K] leaves some out, ``left`` of the budget is left."""
        self.left = left
        if not self.ready:
            self.make_ready()
        return self.pick(allowed)

    def make_ready(self) -> None:
        self.players = [i for i in range(self.pending.size) if i not in self.excluded]
        self.places = {i: place for place, i in enumerate(self.players)}
        self.enter()
        self.ready = True

    def add_pending(self, i: int, warm: bool) -> None:
        """A draw of option ``i`` is under way, as part of the ``warm`` start or as chosen."""
        if not self.ready and not warm:
            self.make_ready()  # as when it was chosen, should this be another process or another day
        if self.cold:
            self.forget_warm()
            if self.cold and self.cold[0] == i:
                self.cold.rotate(-1)
        self.pending[i] += 1
        if self.ready:
            self.change(i, False)

    def drop_pending(self, i: int) -> None:
        """A pending draw of ``i`` will have no result."""
        self.pending[i] -= 1
        if self.ready:
            self.change(i, False)

    def add_result(self, i: int, value: float, expected: bool, replicate: int = -1) -> None:
        """A result of option ``i``, larger being better; ``expected`` if it ends a pending draw.

        Options may be compared on the ``replicate`` that they share; below 0 nobody shares it.
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
        """The block from the origin, in units; one that varies within settles them alone."""
        if not self.scaled:
            self.measure(block.value)
        if not self.scaled and block.squares > 0.0:
            self.scaled, self.unit = True, math.sqrt(block.squares / block.times)
        return Block((block.value - self.origin) / self.unit, block.times, block.squares / self.unit**2)

    def exclude(self, i: int) -> None:
        """Option ``i`` fails: it is not chosen any more."""
        self.excluded.add(i)
        if i in self.cold:
            self.cold.remove(i)
        self.ready = False

    def include(self, i: int) -> None:
        """Option ``i`` works after all."""
        self.excluded.discard(i)
        self.cold.append(i)
        self.ready = False

    def add_option(self, cost: float) -> None:
        """One more option."""
        self.cold.append(self.pending.size)
        self.pending = np.append(self.pending, 0)
        self.moments = Moments(*(np.append(column, column.dtype.type(0)) for column in self.moments))
        self.ready = False

    def set_cost(self, i: int, cost: float) -> None:
        """A draw of option ``i`` costs this much, as is known now; said before the result that it came with."""

    def ahead(self) -> int | None:
        """The option that seems the best so far, where that is not the one with the highest mean."""
        return None

    def merits(self) -> np.ndarray:
        """[K] what the leader has most of; -inf where an option must not lead."""
        return self.summary().means

    def measure(self, value: float) -> None:
        """Settle origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def summary(self) -> Moments:
        """Counts, means and squares in the unit of the results, larger being better."""
        counts, means, squares = self.moments
        return Moments(counts, self.origin + self.unit * means, squares * self.unit**2)
