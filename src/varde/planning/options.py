"""Records of settings of a planner, and what to write in place of a setting that is elsewhere."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from ..check import refuse

HINT = "it is one of the hints, write hints=varde.planning.Hints(...)"
GROW = "it is about the tree, write tree=varde.planning.Growth(...)"
CALLED = "it is for the call, write planner(state, budget=1000, seconds=..., stop=...)"
NOT_KEPT = "a search is not kept in a file; keep its moves, move.save(path)"
FROM = "write state=..., the state to look ahead from"
PLANNERS = "it is a setting of the planner, write varde.Planner(world, horizon, {}=...)(state, budget)"


class Hints(NamedTuple):
    """What you know of the world, for ``Planner(hints=...)``; all of it may be wrong."""

    value: Callable[[Any], Any] | None = None  # value(state) estimates the return from there; simulations end there
    prior: Callable[[Any], Any] | None = None  # prior(state) weighs the actions, in random play too


class Growth(NamedTuple):
    """How a search tree grows, for ``Planner(tree=...)``."""

    graph: bool = True  # equal states at the same depth are one node
    keep: bool | None = None  # every state of a simulation joins the tree; None: in worlds of one player, and tables
    memory: int | str | None = None  # "500 MB": a search that would need more adds no further nodes
    batch: int | None = None  # simulations pending at once; None: two per worker, or 32 where many steps are taken


UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
WANTED = "how much memory a search may take, such as '500 MB', or a number of bytes, 10 MB or more"
LEAST = 10**7


def as_bytes(given: Any) -> int:
    """A number of bytes, from a number or from words like "500 MB"."""
    size: Any = given
    if isinstance(given, str):
        match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z]*)\s*", given)
        size = float(match[1]) * UNITS.get(match[2].upper(), 0) if match else 0
    if isinstance(size, bool) or (not isinstance(size, (int, float)) and not hasattr(size, "__index__")):
        refuse("memory", given, WANTED, TypeError)
    if not LEAST <= size < math.inf:
        refuse("memory", given, WANTED)
    return int(size)
