"""The combination lock: one wrong digit leads back to the start."""

from __future__ import annotations

import numpy as np

from ..check import real, whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, tabulate
from .seeds import generator


def combination_lock(length: int, actions: int, *, cost: float = 0.0, seed: int | np.random.Generator = 0) -> Table:
    """A lock with ``length`` digits, each one of ``actions``: in state n the first n are right; the last state is open.

    The last right digit pays 1 and ends the episode, every other right one costs ``cost``, a wrong one is free and
    leads back to the start.  Random play needs about actions^length steps (the chains of Whitehead 1991, with digits
    drawn at random).  The value of the start is gamma^(length - 1) - cost (1 + ... + gamma^(length - 2)), or 0 if that
    is negative: then it is best to stay outside.

    >>> combination_lock(3, 4).legal(0)
    [0, 1, 2, 3]
    """
    length = whole("length", length, "how many digits, 1 or more", 1, 1_000_000)
    actions = whole("actions", actions, "how many values a digit has, 2 or more", 2, 1_000_000)
    cost = real("cost", cost, "the cost of a right digit, 0 or more", lambda c: 0.0 <= c < np.inf)
    right = generator(seed).integers(actions, size=length)

    def moves(place: int) -> Moves:
        if place == length:
            return {}
        paid = 1.0 if place == length - 1 else -cost
        return {a: [(1.0, place + 1, paid)] if a == right[place] else [(1.0, 0, 0.0)] for a in range(actions)}

    return tabulate(moves, 0)
