"""One call for many runs: how good is what each of them recommends?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._pool import cores, cut
from .._pool import threads as pool_of
from ..random import key as named_key
from ..random import stream
from ..worlds.horizon import best_values, uniform_values
from ..worlds.table import Table
from .loop import reported_value
from .policy import policy_rollouts, policy_value
from .search import Search

ROLLOUTS = 200  # episodes of the paper's estimate


class Assessment(NamedTuple):
    """``values[r, c]`` is the value of the policy that run r recommends after ``checkpoints[c]`` trials."""

    values: np.ndarray  # [R, C]
    checkpoints: np.ndarray  # [C]
    best: float  # V* of the start
    random: float  # what random play is worth

    @property
    def value(self) -> np.ndarray:
        """[C] mean over the runs."""
        return self.values.mean(axis=0)

    @property
    def regret(self) -> np.ndarray:
        """[C] V* less the mean over the runs."""
        return self.best - self.value


def assess(
    algorithm: Any,
    world: Table,
    trials: int,
    *,
    horizon: int,
    discount: float = 1.0,
    keep: bool = True,
    graph: bool = False,
    runs: int = 1,
    checkpoints: Sequence[int] | None = None,
    exact: bool = True,
    seed: int = 0,
    threads: int | None = None,
    engine: str = "compiled",
) -> Assessment:
    """Search ``world`` from its start with ``trials`` simulations, ``runs`` times over.

    >>> import varde
    >>> from varde.environments import sailing
    >>> result = varde.assess(varde.AutoTree(), sailing(), 3000, horizon=50, graph=True, runs=4)
    >>> result.values.shape, bool(result.regret[-1] < 10)
    ((4, 1), True)

    ``checkpoints`` asks for the value after those numbers of trials too, from the same runs.  ``exact=False`` plays
    200 episodes instead of computing the value.  Run r depends on ``seed`` and r alone.
    """
    if not isinstance(world, Table):
        raise TypeError(f"{world!r} is a {type(world).__name__}: write a Table, from tabulate or varde.environments")
    if runs < 1:
        raise ValueError(f"runs is {runs}: write 1 or more")
    steps = check_checkpoints(trials, checkpoints)
    key = named_key(seed, "assess")
    values = np.empty((runs, steps.size))

    def block(first: int, stop: int) -> None:
        search = Search(algorithm, world.model, world.start, horizon, discount, keep=keep, graph=graph, engine=engine)
        values[first:stop] = search_block(search, steps, key, first, stop - first, policy_measure(search, exact))

    pool = pool_of(threads)
    try:
        jobs = [pool.submit(block, *edges) for edges in cut(runs, 4 * (threads or cores()))]
        for job in jobs:
            job.result()
    finally:
        pool.shutdown(cancel_futures=True)  # at Ctrl-C, after the blocks at work
    model, start = world.model, world.start
    best = best_values(model, horizon, discount).values[0, start]
    random = uniform_values(model, horizon, discount).values[0, start]
    return Assessment(values, steps, float(best), float(random))


Measured = Callable[[np.ndarray], float]  # of a search at a checkpoint, with a stream of its own


def search_block(
    search: Search, checkpoints: np.ndarray, key: np.ndarray, first: int, runs: int, measure: Measured
) -> np.ndarray:
    """[runs, checkpoints]: runs ``first`` onwards, one after the other in the same pool.

    Measuring draws from a stream of its own: it does not disturb the search, however often it happens.
    """
    values = np.empty((runs, len(checkpoints)))
    for row in range(runs):
        search.restart()
        rng = stream(key, first + row)
        for column, trials in enumerate(checkpoints):
            search.run(int(trials) - search.trials, rng)
            values[row, column] = measure(stream(key ^ np.uint64(trials), first + row))
    return values


def policy_measure(search: Search, exact: bool = True) -> Measured:
    """The value of the recommended policy."""
    settings = search.settings
    random = uniform_values(search.problem, settings.horizon, settings.discount).values

    def rollouts(rng: np.ndarray) -> float:
        returns = np.empty(ROLLOUTS)
        search.call(policy_rollouts, search.algorithm, search.problem, search.tree, settings, returns, rng)
        return float(returns.mean())

    def value(rng: np.ndarray) -> float:
        nodes = search.tree.node.shape[0]
        work = np.zeros(nodes), np.empty(nodes, np.int64)
        return search.call(policy_value, search.algorithm, search.problem, search.tree, settings, random, *work, rng)

    return value if exact else rollouts


def root_measure(search: Search) -> Measured:
    """The value that the algorithm reports for the root."""
    return lambda rng: float(reported_value(search.algorithm, search.tree))


def check_checkpoints(trials: int, checkpoints: Sequence[int] | None) -> np.ndarray:
    """The checkpoints in order, the last being ``trials``."""
    if trials < 1:
        raise ValueError(f"trials is {trials}: write the number of simulations, 1 or more")
    steps = sorted({int(c) for c in checkpoints or ()} | {int(trials)})
    if steps[0] < 1 or steps[-1] > trials:
        wrong = steps[0] if steps[0] < 1 else steps[-1]
        raise ValueError(f"checkpoint {wrong} is outside 1..{trials}: write numbers of trials within the budget")
    return np.array(steps, np.int64)
