"""Sailing: cross a lake against a wind that turns (MCTS.1)."""

from __future__ import annotations

from typing import Any

from ..check import real, refuse, whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, Outcome, tabulate

# East, then counter-clockwise by 45 degrees; y grows downwards.
EAST = (1, 1, 0, -1, -1, -1, 0, 1)
SOUTH = (0, -1, -1, -1, 0, 1, 1, 1)
TO_THE_GOAL = 7


def sailing(size: int = 6, wind: int = TO_THE_GOAL, turn: float = 0.2, start: tuple[int, int] = (0, 0)) -> Table:
    """Sailing: states (x, y, wind), actions 0..7, from ``start`` to the far corner of a ``size`` x ``size`` grid.

    ``wind`` is the direction the wind blows to at the start; it turns left or right with probability ``turn`` each.
    A move costs 0.1 with the wind and 0.5 more for each 45 degrees off it; straight into it is not possible.
    """
    size = whole("size", size, "2 or more (the goal must not be the start)", 2, 1000)
    wind = whole("wind", wind, "the direction it blows to, 0 (east) to 7", 0, 7)
    turn = real("turn", turn, "the probability of a turn to one side, from 0 to 0.5", lambda p: 0.0 <= p <= 0.5)
    goal = size - 1
    places = {(x, y) for x in range(size) for y in range(size)} - {(goal, goal)}
    if not isinstance(start, tuple) or start not in places:
        refuse("start", start, f"a place (x, y) from (0, 0) on that is not the goal, ({goal}, {goal})")

    def moves(state: Any) -> Moves:
        x, y, wind = state
        legal: dict[Any, list[Outcome]] = {}
        if (x, y) == (goal, goal):
            return legal
        for action in range(8):
            to = x + EAST[action], y + SOUTH[action]
            off = (action - wind) % 8
            if off == 4 or not (0 <= to[0] < size and 0 <= to[1] < size):
                continue
            cost = 0.1 + 0.5 * min(off, 8 - off)
            turns = ((0, 1.0 - 2.0 * turn), (1, turn), (-1, turn))
            legal[action] = [(p, (*to, (wind + by) % 8), -cost) for by, p in turns]
        return legal

    return tabulate(moves, (*start, wind))
