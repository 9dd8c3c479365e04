"""FrozenLake: reach the goal over slippery ice with holes in it (MCTS.3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..check import flag, real, refuse, whole
from ..worlds.table import Table
from ..worlds.tabulate import Moves, Outcome, tabulate

MAP = ("SFFF", "FHFH", "FFFH", "HFFG")
LARGE = (
    "SFFFFFFF", "FFFFFFFF", "FFFHFFFF", "FFFFFHFF", "FFFHFFFF", "FHHFFFHF", "FHFFHFHF", "FFFHFFFG",
)  # fmt: skip
MOVES = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}


def back(move: str) -> tuple[int, int]:
    down, right = MOVES[move]
    return -down, -right


def frozen_lake(
    map: Sequence[str] = MAP,
    horizon: int | None = 10,
    discount: float = 0.95,
    intended: float = 0.8,
    *,
    sides: bool = False,
) -> Table:
    """FrozenLake with states (time, row, column), or (row, column) with ``horizon=None``.

    Arriving at the goal at time t pays discount^t, the first step arriving at t = 1: the reward carries the
    discount, so the time belongs to the state and planning uses discount 1.  Without a horizon the goal pays 1 and
    discounting is left to the planner.  A move slips with probability 1 - ``intended``, in each of the three other
    directions alike; a move off the map does nothing.  With ``sides`` it slips only to the left or right of its
    direction, never back: ``frozen_lake(LARGE, None, intended=1/3, sides=True)`` is Gymnasium's FrozenLake8x8-v1.
    """
    if isinstance(map, str) or not isinstance(map, Sequence) or not all(isinstance(row, str) for row in map):
        refuse("map", map, "rows of S, F, H and G, such as ['SF', 'HG']", TypeError)
    if horizon is not None:
        horizon = whole("horizon", horizon, "the steps after which an episode ends, 1 or more, or None", 1, 10_000)
    discount = real("discount", discount, "a number above 0 and at most 1", lambda share: 0.0 < share <= 1.0)
    intended = real("intended", intended, "a probability, from 0 to 1", lambda share: 0.0 <= share <= 1.0)
    sides = flag("sides", sides)
    cells = {(r, c): cell for r, row in enumerate(map) for c, cell in enumerate(row)}
    starts = [place for place, cell in cells.items() if cell == "S"]
    if len(starts) != 1 or not set(cells.values()) <= set("SFHG"):
        raise ValueError(f"the map is {list(map)}: write rows of S, F, H and G with exactly one S")
    clock = horizon is not None

    def over(state: Any) -> bool:
        return cells[state[-2:]] in "HG" or (clock and state[0] == horizon)

    def arrive(state: Any, move: str) -> tuple[Any, float]:
        r, c = state[-2] + MOVES[move][0], state[-1] + MOVES[move][1]
        place = (r, c) if (r, c) in cells else state[-2:]
        reward = float(cells[place] == "G")
        return ((state[0] + 1, *place), reward * discount ** (state[0] + 1)) if clock else (place, reward)

    def moves(state: Any) -> Moves:
        if over(state):
            return {}
        legal: dict[Any, list[Outcome]] = {}
        for move in MOVES:
            found: dict[tuple[Any, float], float] = {}  # several moves may lead to the same place
            ways = [way for way in MOVES if way == move or not sides or MOVES[way] != back(move)]
            for way in ways:
                key, astray = arrive(state, way), (1.0 - intended) / (len(ways) - 1)
                found[key] = found.get(key, 0.0) + (intended if way == move else astray)
            legal[move] = [(p, *key) for key, p in found.items()]
        return legal

    return tabulate(moves, (0, *starts[0]) if clock else starts[0])
