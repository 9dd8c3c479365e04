"""Taxi: fetch a passenger and bring them to a landmark, in the rain (MCTS.2)."""

from __future__ import annotations

from typing import Any

from ..check import flag, refuse
from ..worlds.table import Table
from ..worlds.tabulate import Moves, Outcome, tabulate

LANDMARKS = {"R": (0, 0), "G": (0, 4), "Y": (4, 0), "B": (4, 3)}
MOVES = {"south": (1, 0), "north": (-1, 0), "east": (0, 1), "west": (0, -1)}
WALLS = {(0, 1), (1, 1), (3, 0), (4, 0), (3, 2), (4, 2)}  # there is a wall to the east of these
SIZE = 5
ABOARD = "taxi"


def drive(row: int, column: int, move: str) -> tuple[int, int]:
    """Where a move ends; walls and the edge of the map stop it."""
    down, right = MOVES[move]
    blocked = (right == 1 and (row, column) in WALLS) or (right == -1 and (row, column - 1) in WALLS)
    if blocked or not (0 <= row + down < SIZE and 0 <= column + right < SIZE):
        return row, column
    return row + down, column + right


def taxi(rain: bool = True, taxi: tuple[int, int] = (0, 0), passenger: str = "R", destination: str = "Y") -> Table:
    """Taxi with states (row, column, passenger, destination): the passenger waits at a landmark or is ``"taxi"``.

    In the rain a move goes where it should with probability 0.7 and to either side with 0.15.
    """
    rain = flag("rain", rain)
    for name, place in (("passenger", passenger), ("destination", destination)):
        if not isinstance(place, str) or place not in LANDMARKS:
            refuse(name, place, "a landmark: R, G, Y or B")
    if not isinstance(taxi, tuple) or taxi not in {(row, column) for row in range(SIZE) for column in range(SIZE)}:
        refuse("taxi", taxi, f"a place (row, column) from (0, 0) to ({SIZE - 1}, {SIZE - 1})")

    def moves(state: Any) -> Moves:
        if state == "delivered":
            return {}
        row, column, waits, goal = state
        legal: dict[Any, list[Outcome]] = {}
        for move, (down, _) in MOVES.items():
            sides = ("east", "west") if down else ("south", "north")
            ways = ((0.7, move), *((0.15, side) for side in sides)) if rain else ((1.0, move),)
            legal[move] = [(p, (*drive(row, column, way), waits, goal), -1.0) for p, way in ways]
        here = waits != ABOARD and LANDMARKS[waits] == (row, column)
        legal["pickup"] = [(1.0, (row, column, ABOARD, goal), -1.0) if here else (1.0, state, -10.0)]
        arrived = waits == ABOARD and LANDMARKS[goal] == (row, column)
        legal["dropoff"] = [(1.0, "delivered", 20.0) if arrived else (1.0, state, -10.0)]
        return legal

    return tabulate(moves, (*taxi, passenger, destination))
