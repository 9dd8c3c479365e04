"""One call for many runs: which arm does each of them recommend?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from .._compile import is_record, rehearse
from ..check import problem_with
from ..moments import make_moments
from ..random import key as named_key
from .loop import many_runs, prepare, select
from .problems import pull, true_means


class Identification(NamedTuple):
    """What the runs recommended: ``arms[r, c]`` is the answer of run r after ``checkpoints[c]`` pulls."""

    arms: np.ndarray  # [R, C]
    checkpoints: np.ndarray  # [C]
    best: int  # the arm with the highest true mean

    @property
    def recommended(self) -> np.ndarray:
        """The final answer of every run."""
        return self.arms[:, -1]

    @property
    def error(self) -> np.ndarray:
        """[C] the share of runs that were wrong at each checkpoint."""
        return (self.arms != self.best).mean(axis=0)


def identify(
    algorithm: Any,
    bandit: Any,
    budget: int,
    *,
    runs: int = 1,
    checkpoints: Sequence[int] | None = None,
    seed: int = 0,
    shuffle: bool = True,
    threads: int | None = None,
    engine: str = "compiled",
) -> Identification:
    """Spend ``budget`` pulls on ``bandit`` as ``algorithm`` sees fit, ``runs`` times over.

    >>> import varde
    >>> bandit = varde.Gaussian([0.3, 0.2, 0.1], [0.2, 0.2, 0.2])
    >>> result = varde.identify(varde.VarDE(), bandit, budget=200, runs=1000)
    >>> result.recommended.shape, bool(result.error[-1] < 0.05)
    ((1000,), True)

    ``checkpoints`` asks for the answer after those numbers of pulls too, from the same runs.
    ``shuffle`` re-indexes the arms at random in each run, so that ties broken by index favour nobody.
    Run r depends on ``seed`` and r alone.  ``engine="python"`` runs the same source uncompiled, for a
    debugger.
    """
    steps = check(algorithm, bandit, budget, checkpoints)
    if engine not in ("compiled", "python"):
        raise ValueError(f'engine is {engine!r}: write "compiled" or "python"')
    if runs < 1:
        raise ValueError(f"runs is {runs}: write 1 or more")
    rehearse((algorithm, bandit), lambda: rehearsal(algorithm, bandit, budget))
    key = named_key(seed, "identify")
    chosen = np.empty((runs, steps.size), np.int32)
    work = many_runs if engine == "compiled" else many_runs.python
    pool = workers(threads)
    try:
        jobs = [
            pool.submit(run_block, algorithm, bandit, steps, shuffle, key, first, chosen[first:stop], work)
            for first, stop in cut(runs, 8 * (threads or cores()))
        ]
        for job in jobs:
            job.result()
    finally:
        pool.shutdown(cancel_futures=True)  # at Ctrl-C, after the blocks at work
    return Identification(chosen, steps, int(np.argmax(true_means(bandit))))


def run_block(
    algorithm: Any,
    bandit: Any,
    checkpoints: np.ndarray,
    shuffle: bool,
    key: np.ndarray,
    first: int,
    chosen: np.ndarray,
    work: Callable[..., None] = many_runs,
) -> np.ndarray:
    """Runs ``first`` onwards, as many as ``chosen`` has rows for; nothing is shared with other blocks."""
    size = np.size(true_means(bandit))
    rng, order = np.empty(4, np.uint64), np.arange(size)
    memory, arms = prepare(algorithm, size), make_moments(size)
    work(algorithm, bandit, memory, arms, order, bool(shuffle), checkpoints, key, rng, int(first), chosen)
    return chosen


def rehearsal(algorithm: Any, bandit: Any, budget: int) -> None:
    """A short run in Python."""
    size = np.size(true_means(bandit))
    steps = np.array([min(budget, size * max(getattr(algorithm, "warm_start", 1), 1) + 2 * size)])
    run_block(algorithm, bandit, steps, True, named_key(0), 0, np.empty((1, 1), np.int32), many_runs.python)


def cut(runs: int, blocks: int) -> Iterator[tuple[int, int]]:
    """``runs`` in about ``blocks`` pieces, as (first, stop)."""
    size = -(-runs // blocks)
    for first in range(0, runs, size):
        yield first, min(first + size, runs)


def workers(threads: int | None) -> Executor:
    """A pool of threads, one per core unless told otherwise; kernels do not hold the GIL."""
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}: write 1 or more")
    return ThreadPoolExecutor(threads or cores(), thread_name_prefix="varde")


def cores() -> int:
    """How many this process may use; a container may grant fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check(algorithm: Any, bandit: Any, budget: int, checkpoints: Sequence[int] | None) -> np.ndarray:
    """Refuse what cannot be run, saying why; return the checkpoints, the last being ``budget``."""
    for what, needed in ((algorithm, select), (bandit, pull)):
        if not is_record(what):
            raise TypeError(
                f"{what!r} is a {type(what).__name__}: write a record such as varde.VarDE() or varde.Bernoulli([...])"
            )
        needed.find(type(what))
        problem = problem_with(what)
        if problem:
            raise ValueError(f"{type(what).__name__}: {problem}")
    means = np.asarray(true_means(bandit), dtype=float)
    if means.ndim != 1 or means.size < 2:
        raise ValueError(f"the bandit has {means.size} arm(s): write two or more, there is nothing to choose from")
    if not np.isfinite(means).all():
        arm = int(np.argmin(np.isfinite(means)))
        raise ValueError(f"the mean of arm {arm} is {means[arm]}: write a finite number")
    needed = means.size * max(getattr(algorithm, "warm_start", 1), 1)
    if budget < needed:
        raise ValueError(
            f"budget is {budget}, but {type(algorithm).__name__} pulls each of {means.size} arms "
            f"{needed // means.size} time(s) first: write {needed} or more"
        )
    steps = np.array(sorted({int(c) for c in checkpoints} | {budget}) if checkpoints is not None else [budget])
    if steps[0] < 1 or steps[-1] > budget:
        wrong = steps[0] if steps[0] < 1 else steps[-1]
        raise ValueError(f"checkpoint {wrong} is outside 1..{budget}: write numbers of pulls within the budget")
    return steps.astype(np.int64)
