"""RiverSwim(L): swim against the stream to the rich bank, or stay at the poor one.

States 0 .. L-1.  ``left`` moves one back surely.  ``right`` moves forward with probability 0.3 and back with
0.1 inside the river, forward with 0.3 from the first state, back with 0.7 from the last.  Rewards are 0 or
1: mean 0.05 for left at the first state, 1 for right at the last.  This is the paper's river, not the
classical one (whose interior is 0.35, 0.6, 0.05).
"""

from __future__ import annotations

from collections.abc import Hashable

from ..check import whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, tabulate


def river_swim(length: int) -> Table:
    """RiverSwim as in the paper, with ``length`` states.

    >>> river_swim(5).legal(0)
    ['left', 'right']
    """
    return tabulate(river_moves(whole("length", length, "2 or more, the two banks", 2)), 0, bernoulli=True)


def river_moves(length: int) -> dict[Hashable, Moves]:
    last = length - 1
    moves: dict[Hashable, Moves] = {}
    for s in range(length):
        if s == 0:
            right = [(0.7, 0, 0.0), (0.3, 1, 0.0)]
        elif s == last:
            right = [(0.7, s - 1, 1.0), (0.3, s, 1.0)]
        else:
            right = [(0.1, s - 1, 0.0), (0.6, s, 0.0), (0.3, s + 1, 0.0)]
        moves[s] = {"left": [(1.0, max(s - 1, 0), 0.05 if s == 0 else 0.0)], "right": right}
    return moves
