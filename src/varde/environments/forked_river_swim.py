"""ForkedRiverSwim(L): two rivers from one start, with a switch between states of equal depth.

State 0 is the start, 1 .. L-1 the first branch (reward 1 for ``right`` at its end), L .. 2L-2 the second
(0.95).  ``left`` and ``right`` are those of RiverSwim; ``right`` at the start enters the first branch;
``switch`` stays at the start and at the ends.
"""

from __future__ import annotations

from collections.abc import Hashable

from ..check import flag, whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, tabulate


def forked_river_swim(length: int, shortcut: bool = False) -> Table:
    """ForkedRiverSwim as in the paper, with 2 ``length`` - 1 states.

    With ``shortcut``, being washed back from the first state of the second branch leads to the *end* of the
    first, as the index s - 1 does in the program of the baselines' authors.  That is a different problem: the
    path to the reward becomes short.

    >>> len(forked_river_swim(5).states)
    9
    """
    length = whole("length", length, "3 or more, so that a branch has an inside and an end", 3)
    shortcut = flag("shortcut", shortcut)
    last = length - 1

    def place(branch: int, depth: int) -> int:
        return 0 if depth == 0 else depth if branch == 0 else last + depth

    moves: dict[Hashable, Moves] = {
        0: {"left": [(1.0, 0, 0.05)], "right": [(0.7, 0, 0.0), (0.3, 1, 0.0)], "switch": [(1.0, 0, 0.0)]}
    }
    for branch in (0, 1):
        for depth in range(1, last):
            s, back, forward = (place(branch, depth + d) for d in (0, -1, 1))
            washed = s - 1 if shortcut else back
            moves[s] = {
                "left": [(1.0, back, 0.0)],
                "right": [(0.1, washed, 0.0), (0.6, s, 0.0), (0.3, forward, 0.0)],
                "switch": [(1.0, place(1 - branch, depth), 0.0)],
            }
        s, back, reward = place(branch, last), place(branch, last - 1), (1.0, 0.95)[branch]
        moves[s] = {
            "left": [(1.0, back, 0.0)],
            "right": [(0.7, back, reward), (0.3, s, reward)],
            "switch": [(1.0, s, 0.0)],
        }
    return tabulate({s: moves[s] for s in range(2 * length - 1)}, 0, bernoulli=True)
