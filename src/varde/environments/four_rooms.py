"""Four rooms (Sutton, Precup and Singh 1999): from one corner of a house to the other, through its doors."""

from __future__ import annotations

from ..check import real, whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, Outcome, tabulate

WAYS = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}


def places_of(size: int) -> set[tuple[int, int]]:
    """The places: a square without its walls, but with the doors in them."""
    half = size // 2
    walls = {(row, half) for row in range(size)}
    walls |= {(half, column) for column in range(half)} | {(half + 1, column) for column in range(half + 1, size)}
    doors = {(half // 2, half), (size - 1 - half // 4, half), (half, half // 4), (half + 1, half + 1 + half // 2)}
    return {(row, column) for row in range(size) for column in range(size)} - (walls - doors)


def four_rooms(size: int = 11, *, slip: float = 1 / 3) -> Table:
    """Four rooms with states (row, column), from (0, 0) to (``size`` - 1, ``size`` - 1), which pays 1 and is terminal.

    The house of the paper has 11 rows and 104 places; other sizes follow the same plan.  With probability ``slip`` a
    move goes in one of the three other directions, equally likely; a move into a wall does nothing.  The shortest path
    has 2 (size - 1) moves, so that without slipping the value of the start is gamma^(2 size - 3).

    >>> len(four_rooms(11).states), len(four_rooms(21).states)
    (104, 404)
    """
    size = whole("size", size, "how many rows the house has, an odd number, 5 or more", 5, 1001)
    if size % 2 == 0:
        raise ValueError(f"size is {size}: write an odd number (the walls stand in the middle), such as {size + 1}")
    slip = real("slip", slip, "a probability, from 0 to 1", lambda p: 0.0 <= p <= 1.0)
    places, goal = places_of(size), (size - 1, size - 1)

    def moves(place: tuple[int, int]) -> Moves:
        legal: dict[str, list[Outcome]] = {}
        if place == goal:
            return legal
        for move in WAYS:
            found: dict[tuple[int, int], float] = {}  # several moves may lead to the same place
            for way, (down, right) in WAYS.items():
                to = place[0] + down, place[1] + right
                to = to if to in places else place
                found[to] = found.get(to, 0.0) + (1.0 - slip if way == move else slip / 3.0)
            legal[move] = [(p, to, float(to == goal)) for to, p in found.items()]
        return legal

    return tabulate(moves, (0, 0))
