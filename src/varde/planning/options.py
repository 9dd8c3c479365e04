"""Records of settings of a planner, and what to write in place of a setting that is elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

HINT = "it is one of the hints, write hints=varde.planning.Hints(...)"
GROW = "it is about the tree, write tree=varde.planning.Growth(...)"
CALLED = "it is for the call, write planner(state, budget=1000, seconds=..., stop=...)"
MEMORY = "how many bytes a search may take, such as 500e6, ten million or more"
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
    memory: float | None = None  # bytes, such as 500e6: a search that would need more adds no further nodes
    batch: int | None = None  # simulations pending at once; None: two per worker
