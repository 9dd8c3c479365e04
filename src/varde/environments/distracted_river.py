"""A river with many side states in which there is nothing to gain."""

from __future__ import annotations

from collections.abc import Hashable

from ..check import whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, tabulate
from .river_swim import river_moves


def distracted_river(length: int = 8, distractors: int = 300) -> Table:
    """``river_swim(length)`` with a third action, ``wander``, that leads to one of ``distractors`` places, all alike.

    The river's states are 0 .. ``length`` - 1, the others ("lost", n).  There all three actions lead back to the start,
    and nothing is paid.  An agent that wants to know every place has spent its budget before it reaches the far bank,
    and one that only follows rewards never gets there.  Wandering never pays: the values of the river are those of
    ``river_swim``, and that of a lost place is gamma times the value of the start.

    >>> len(distracted_river(8, 300).states)
    308
    """
    length = whole("length", length, "2 or more, the two banks", 2)
    distractors = whole("distractors", distractors, "how many places, 1 or more")
    lost = [("lost", n) for n in range(distractors)]
    anywhere = [(1.0 / distractors, place, 0.0) for place in lost]
    moves: dict[Hashable, Moves] = {s: {**ways, "wander": anywhere} for s, ways in river_moves(length).items()}
    for place in lost:
        moves[place] = {action: [(1.0, 0, 0.0)] for action in moves[0]}
    return tabulate(moves, 0, bernoulli=True)
