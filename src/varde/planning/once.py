"""``plan``: one search, one move."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from concurrent.futures import Executor

from .._keywords import helpful
from ..certainty.stopping import Stop
from ..protocols import Algorithm
from ..rule import VarDE
from ..worlds.function import Actions
from ..worlds.world import WorldLike
from .move import Move
from .options import FROM, NOT_KEPT, PLANNERS
from .planner import Planner


@helpful(
    **{name: PLANNERS.format(name) for name in ("key", "player", "sample_action", "hints", "tree")},
    **dict.fromkeys(("value", "prior"), PLANNERS.format("hints")),
    **dict.fromkeys(("batch", "graph", "keep", "memory"), PLANNERS.format("tree")),
    start=FROM,
    store=NOT_KEPT,
)
def plan(
    world: WorldLike,
    state: Hashable = None,
    budget: int = 1000,
    *,
    horizon: int | None = None,
    discount: float | None = None,
    seconds: float = math.inf,
    workers: int | Executor | None = None,
    algorithm: Algorithm = VarDE(),  # noqa: B008 (a record: nothing can change it)
    actions: Actions | None = None,
    seed: int = 0,
    stop: float | Stop | None = None,
    progress: bool | Callable[[int], object] | None = None,
) -> Move:
    """Find the best action in ``state`` by a search of ``budget`` simulations of at most ``horizon`` steps.

    >>> import varde
    >>> def step(stock, order, rng):
    ...     left = max(stock + order - int(rng.poisson(3)), 0)
    ...     return min(left, 10), 5.0 * (stock + order - left) - 2.0 * order - 0.3 * left
    >>> move = varde.plan(step, 0, 2000, horizon=3, actions=[0, 4, 20])
    >>> move.best
    4

    It ends earlier after ``seconds``, at Ctrl-C, or when the probability of a wrong move is at most ``stop``;
    ``move.stopped`` says which.  The other arguments are those of ``Planner``.
    """
    planner = Planner(world, horizon, discount, algorithm=algorithm, actions=actions, workers=workers, seed=seed)
    if horizon is None and planner.world.horizon is None:
        raise TypeError("the world does not say how long it lasts: write horizon=20, the number of steps to look ahead")
    return planner(state, budget, seconds=seconds, stop=stop, progress=progress)
