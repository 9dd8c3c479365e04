"""``measure``: many runs on a known model, and the value of what each recommends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._compile import slices
from .._pool import in_blocks
from ..check import seed_number, shown
from ..measured import Measured, check_runs, checkpoints, complete
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import stream
from ..worlds.horizon import best_values, uniform_values
from ..worlds.table import Table
from .loop import reported_value
from .policy import policy_value
from .search import Search


def measure(
    algorithm: Algorithm,
    world: Table,
    budget: int,
    *,
    horizon: int,
    discount: float = 1.0,
    keep: bool = True,
    graph: bool = False,
    runs: int = 100,
    at: Sequence[int] | None = None,
    seed: int = 0,
    workers: int | None = None,
    engine: str = "auto",
) -> Measured:
    """Search ``world`` from its start with ``budget`` simulations, ``runs`` times over.

    >>> import varde
    >>> from varde.environments import sailing
    >>> from varde.planning import measure
    >>> result = measure(varde.VarDE(), sailing(), 3000, horizon=50, graph=True, runs=4)
    >>> result.values.shape, bool(result.regret[-1] < 10)
    ((4, 1), True)

    A value is that of the policy that follows the recommendations through the tree and plays at random below it;
    ``best`` is the value of the best policy.  ``at`` asks for values after these numbers of simulations too, from the
    same runs.  Run r depends on ``seed`` and r only.  At Ctrl-C the complete runs are returned, with
    ``stopped="interrupted"``.
    """
    if not isinstance(world, Table):
        raise TypeError(f"world is {shown(world)}: write a Table, from tabulate or varde.environments")
    steps, runs = checkpoints(budget, at), check_runs(runs)
    key = named_key(seed_number(seed), "assess")
    values = np.full((runs, steps.size), np.nan)

    def block(first: int, stop: int) -> Iterator[Any]:
        search = Search(algorithm, world.model, world.start, horizon, discount, keep=keep, graph=graph, engine=engine)
        return in_turn(search, steps, key, first, values[first:stop], policy_worth(search), runs - first)

    stopped = in_blocks(block, runs, workers, pieces=4)
    best = float(best_values(world.model, horizon, discount).values[0, world.start])
    return complete(Measured(values, steps, best, None, stopped))


Worth = Callable[[np.ndarray], float]  # of a search at a checkpoint, with a stream of its own


def in_turn(
    search: Search, at: np.ndarray, key: np.ndarray, first: int, values: np.ndarray, worth: Worth, ahead: int
) -> Iterator[Any]:
    """Fill ``values [runs, at]``: runs ``first`` onwards, one after the other in the same pool; yields now and then.

    There are ``ahead`` runs to make, these among them.

    Measuring draws from a stream of its own: it does not disturb the search, however often it happens.
    """
    for row in range(len(values)):
        search.restart()
        search.aim(int(at[-1]), runs=ahead - row)
        rng = stream(key, first + row)

        def grow(trials: int, rng: np.ndarray = rng) -> int:
            search.run(trials, rng)
            return trials

        for column, trials in enumerate(at):
            yield from slices(grow, int(trials) - search.trials)
            values[row, column] = worth(stream(key ^ np.uint64(trials), first + row))


def search_block(search: Search, at: np.ndarray, key: np.ndarray, first: int, runs: int, worth: Worth) -> np.ndarray:
    """All of ``in_turn``."""
    values = np.empty((runs, len(at)))
    for _ in in_turn(search, at, key, first, values, worth, runs):
        pass
    return values


def policy_worth(search: Search) -> Worth:
    """The value of the recommended policy."""
    settings = search.settings
    random = uniform_values(search.problem, settings.horizon, settings.discount).values

    def value(rng: np.ndarray) -> float:
        nodes = len(search.tree.nodes)
        work = np.zeros(nodes), np.empty(nodes, np.int64)
        return search.call(policy_value, search.algorithm, search.problem, search.tree, settings, random, *work, rng)

    return value


def root_worth(search: Search) -> Worth:
    """The value that the algorithm reports for the root."""
    return lambda rng: float(reported_value(search.algorithm, search.view))
