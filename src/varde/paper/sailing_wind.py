"""The illustration of Sailing (fig:sailing_env): winds, the moves they allow, and what the moves cost."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from .._compile import in_python
from ..environments import sailing
from ..environments.sailing import EAST, SOUTH
from ..random import stream
from ..studies.study import Cell, Outcome, Study
from ..worlds.record import transition
from ..worlds.table import Table

DIRECTIONS = ("E", "NE", "N", "NW", "W", "SW", "S", "SE")
SIZE, PLACE = 6, (2, 2)  # away from the shore every move stays within the lake
RUNS = 1_000
MOVE, WIND = "move", "The wind after a move"
TURNS = {"stays": 0, "turns left": 1, "turns right": 7}
CHANCES = {"stays": "0.6", "turns left": "0.2", "turns right": "0.2"}  # in the text


def lake() -> tuple[Table, dict[Any, int]]:
    """The lake, and the number of each of its states (x, y, wind)."""
    world = sailing(SIZE)
    return world, {state: number for number, state in enumerate(world.states)}


def moves(wind: int, key: np.ndarray, first: int, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """[runs, legal moves] rewards, and by how many eighths of a circle the wind turned meanwhile."""
    world, numbers = lake()
    here, winds = numbers[*PLACE, wind], [state[2] for state in numbers]
    many, model = len(world.legal(here)), in_python(world.model)
    rewards, turned = np.empty((runs, many)), np.empty((runs, many), np.int64)
    for row in range(runs):
        rng = stream(key, first + row)
        for action in range(many):
            after, rewards[row, action] = transition(model, here, action, rng)
            turned[row, action] = (winds[after] - wind) % 8
    return rewards, turned


def rewards_of(wind: int, key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, legal moves]."""
    return moves(wind, key, first, runs)[0]


def turns_of(key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, ways to turn] shares of all moves in all winds."""
    turned = np.concatenate([moves(wind, key ^ np.uint64(wind), first, runs)[1] for wind in range(8)], axis=1)
    return np.stack([(turned == by).mean(axis=1) for by in TURNS.values()], axis=1)


def title(wind: int) -> str:
    return f"Wind to {DIRECTIONS[wind]}"


def study() -> Study:
    world, numbers = lake()
    names: list[Any] = [world.legal(numbers[*PLACE, wind]) for wind in range(8)]
    where = f"sailing({SIZE}), from {PLACE}"
    cells = [
        Cell(title(w), MOVE, where, (1,), partial(rewards_of, w), tuple(DIRECTIONS[a] for a in names[w]))
        for w in range(8)
    ]
    cells.append(Cell(WIND, "share", f"sailing({SIZE})", (1,), turns_of, tuple(TURNS)))
    return Study(
        "sailing-wind",
        "Sailing: the winds, the moves they allow, and the rewards",
        cells,
        RUNS,
        block=500,
        published={(WIND, f"share: {name}", 1): chance for name, chance in CHANCES.items()},
        notes=(
            f"every move is made from {PLACE}, away from the shore; a wind is named by where it blows to",
            "the numbers of the picture are not in the text: a move with the wind is taken to cost 0.1 and each 45 "
            "degrees off it 0.5 more; the wind is that before the move",
        ),
        findings=findings,
        place="Illustration in the appendix (fig:sailing_env)",
        quick=1_000,
    )


def findings(rows: Sequence[Outcome]) -> list[str]:
    return [may_go(), costs_more(rows)]


def may_go() -> str:
    """The moves allowed in every place and wind of the lake."""
    (world, numbers), right, places = lake(), 0, 0
    for (x, y, wind), number in numbers.items():
        if (x, y) == (SIZE - 1, SIZE - 1):
            continue
        within = {a for a in range(8) if 0 <= x + EAST[a] < SIZE and 0 <= y + SOUTH[a] < SIZE}
        places += 1
        right += set(world.legal(number)) == within - {(wind + 4) % 8}
    return f"every move stays within the grid and none goes into the wind, in {right} of {places} states"


def costs_more(rows: Sequence[Outcome]) -> str:
    """In every wind, by the angle between move and wind."""
    by_angle: dict[int, set[float]] = {}
    for wind in range(8):
        for row in (row for row in rows if row.problem == title(wind)):
            off = (DIRECTIONS.index(row.algorithm.removeprefix(f"{MOVE}: ")) - wind) % 8
            by_angle.setdefault(45 * min(off, 8 - off), set()).add(round(row.value, 9))
    costs = [by_angle[angle] for angle in sorted(by_angle)]
    rising = all(max(later) < min(sooner) for sooner, later in pairwise(costs))
    numbers = ", ".join(
        f"{a} degrees off {' or '.join(f'{r:g}' for r in sorted(by_angle[a]))}" for a in sorted(by_angle)
    )
    return f"the cost {'rises' if rising else 'does not always rise'} with the angle to the wind: {numbers}"
