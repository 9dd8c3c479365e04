"""What every rule behind ask and tell needs: the results, the draws under way, and whose turn it is at first."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from ..moments import Moments, make_moments, observe


class Chooser:
    """The moments of the results, the pending draws, and the warm start in turns."""

    remembers = False  # whether choosing changes more than ``handed`` does, so that a resumed file must choose again
    fixed = False  # whether options and budget are settled at the start

    def __init__(self, rule: Any, size: int, warm: int):
        self.rule, self.warm = rule, warm
        self.moments: Moments = make_moments(size)
        self.pending = np.zeros(size, np.int64)
        self.out: set[int] = set()  # options that fail
        self.cold = deque(range(size))  # whose warm start is not complete, in order of their turn
        self.origin, self.unit = 0.0, 1.0  # a result is origin + unit times what the moments hold

    def settled(self, i: int) -> bool:
        return i in self.out or self.moments.counts[i] + self.pending[i] >= self.warm

    def warm_up(self) -> None:
        """Forget who has had a whole warm start: once settled an option stays so until it fails."""
        while self.cold and self.settled(self.cold[0]):
            self.cold.popleft()

    def next_cold(self, allowed: np.ndarray | None) -> int | None:
        """Whose turn it is in the warm start, or None when that is over."""
        if not self.cold:
            return None
        self.warm_up()
        for i in self.cold:
            if not self.settled(i) and (allowed is None or allowed[i]):
                return i
        return None

    def choose(self, allowed: np.ndarray | None) -> int:
        """The option to draw next, warm start over; ``allowed`` [K] leaves some out."""
        raise NotImplementedError

    def handed(self, i: int) -> None:
        """A draw of option ``i`` is under way."""
        self.warm_up()  # as when it was chosen, should this be another process or another day
        self.pending[i] += 1
        if self.cold and self.cold[0] == i:
            self.cold.rotate(-1)

    def told(self, i: int, value: float, expected: bool) -> None:
        """A result of option ``i``, larger being better; ``expected`` if it ends a pending draw."""
        observe(self.moments, i, value)
        if expected:
            self.pending[i] -= 1

    def withdrawn(self, i: int) -> None:
        """A pending draw of ``i`` will have no result."""
        self.pending[i] -= 1

    def left(self, i: int) -> None:
        """Option ``i`` fails: it is not chosen any more."""
        self.out.add(i)
        if i in self.cold:
            self.cold.remove(i)

    def back(self, i: int) -> None:
        """Option ``i`` works after all."""
        self.out.discard(i)
        self.cold.append(i)

    def added(self, cost: float) -> None:
        """One more option."""
        self.cold.append(self.pending.size)
        self.pending = np.append(self.pending, 0)
        self.moments = Moments(*(np.append(column, column.dtype.type(0)) for column in self.moments))

    def summary(self) -> Moments:
        """Counts, means and squares in the unit of the results, larger being better."""
        counts, means, squares = self.moments
        return Moments(counts, self.origin + self.unit * means, squares * self.unit**2)
