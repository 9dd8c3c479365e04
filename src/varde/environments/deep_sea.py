"""DeepSea (Osband and others 2019): one path of many leads to the treasure, and every step on it costs a little."""

from __future__ import annotations

import numpy as np

from ..check import real, whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, tabulate
from .seeds import generator


def deep_sea(size: int, *, cost: float = 0.01, seed: int | np.random.Generator = 0) -> Table:
    """DeepSea with states (row, column): each step goes down a row, to the left or right, until below the last.

    The treasure, 1, is in the lower right corner: to get there the agent has to go right every time, which costs
    ``cost`` / ``size`` a step, while going left is free.  Which of the actions 0 and 1 goes right is drawn for every
    place.  Random exploration needs 2^size episodes.  The value of the start is that of always going right,

        gamma^(size - 1) - cost / size (1 + gamma + ... + gamma^(size - 1)).

    >>> len(deep_sea(10).states)  # 55 places that can be reached, and 10 where it is over
    65
    """
    size = whole("size", size, "the rows of the sea, 2 or more", 2, 2000)
    cost = real("cost", cost, "the cost of going right all the way, from 0 to 1", lambda c: 0.0 <= c <= 1.0)
    right = generator(seed).integers(2, size=(size, size))

    def moves(place: tuple[int, int]) -> Moves:
        row, column = place
        if row == size:
            return {}
        paid = (1.0 if row == column == size - 1 else 0.0) - cost / size
        ways = [(1.0, (row + 1, max(column - 1, 0)), 0.0)], [(1.0, (row + 1, min(column + 1, size - 1)), paid)]
        return {a: ways[int(a == right[row, column])] for a in range(2)}

    return tabulate(moves, (0, 0))
