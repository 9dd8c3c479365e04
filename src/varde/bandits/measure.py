"""``measure``: many runs on a known bandit, and the arm each recommends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .._compile import canonical, is_record, rehearse, slices
from .._pool import in_blocks
from ..check import check_algorithm, engine_name, flag, refuse, refuse_problem, seed_number, some_numbers
from ..measured import Measured, check_runs, checkpoints, complete
from ..moments import make_moments
from ..protocols import Algorithm, Bandit
from ..random import key as named_key
from .loop import CHOSEN, FAULT, NUMBER, PULLS, many_runs, prepare, select
from .problems import pull, true_means

FIRST = 100_000  # pulls times arms of the first slice: a millisecond for most algorithms, some ten for the slowest


def measure(
    algorithm: Algorithm,
    bandit: Bandit,
    budget: int,
    *,
    runs: int = 100,
    at: Sequence[int] | None = None,
    seed: int = 0,
    shuffle: bool = True,
    workers: int | None = None,
    engine: str = "compiled",
) -> Measured:
    """Run ``algorithm`` on ``bandit`` with ``budget`` pulls, ``runs`` times over.

    >>> import varde
    >>> bandit = varde.bandits.Gaussian([0.3, 0.2, 0.1], [0.2, 0.2, 0.2])
    >>> measured = varde.bandits.measure(varde.VarDE(), bandit, budget=200, runs=1000)
    >>> measured.answers.shape, bool(measured.error[-1] < 0.05)
    ((1000, 1), True)

    ``answers[r, c]`` is the arm that run r recommends after ``at[c]`` pulls, the last of which is the budget.
    ``shuffle`` re-indexes the arms at random in each run, so that breaking ties by index favours no arm.  Run r
    depends on ``seed`` and r only.  ``engine="python"`` runs the same source uncompiled, for a debugger.
    At Ctrl-C the complete runs are returned, with ``stopped="interrupted"``.
    """
    steps, runs, shuffle = checkpoints(budget, at), check_runs(runs), flag("shuffle", shuffle)
    budget, key = int(steps[-1]), named_key(seed_number(seed), "identify")
    engine = engine_name(engine)
    check(algorithm, bandit, budget)
    algorithm, bandit = canonical(algorithm), canonical(bandit)
    rehearse((algorithm, bandit), lambda: rehearsal(algorithm, bandit, budget))
    answers = np.full((runs, steps.size), -1, np.int32)
    work = many_runs if engine == "compiled" else many_runs.python

    def block(first: int, stop: int) -> Iterator[Any]:
        return in_turn(algorithm, bandit, steps, shuffle, key, first, answers[first:stop], work)

    stopped = in_blocks(block, runs, workers)
    means = np.asarray(true_means(bandit), dtype=float)
    values = np.where(answers >= 0, means[answers], np.nan)
    return complete(Measured(values, steps, float(means.max()), answers, stopped))


def in_turn(
    algorithm: Algorithm,
    bandit: Bandit,
    steps: np.ndarray,
    shuffle: bool,
    key: np.ndarray,
    first: int,
    answers: np.ndarray,
    work: Callable[..., None] = many_runs,
) -> Iterator[Any]:
    """Runs ``first`` onwards, as many as ``answers`` has rows, independent of all others; yields from time to time."""
    size = np.size(true_means(bandit))
    rng, order, at = np.empty(4, np.uint64), np.arange(size), np.zeros(4, np.int64)
    memory, arms = prepare(algorithm, size), make_moments(size)

    def call(pulls: int) -> int:
        work(algorithm, bandit, memory, arms, order, bool(shuffle), steps, key, rng, int(first), answers, at, pulls)
        if at[FAULT]:
            what = "chose" if at[FAULT] == CHOSEN else "recommended"
            raise ValueError(
                f"{type(algorithm).__name__} {what} arm {at[NUMBER]} of {size} at step {at[PULLS]}: "
                f"return 0 to {size - 1}"
            )
        return pulls

    return slices(call, len(answers) * int(steps[-1]), first=max(1, FIRST // size))


def run_block(
    algorithm: Algorithm,
    bandit: Bandit,
    steps: np.ndarray,
    shuffle: bool,
    key: np.ndarray,
    first: int,
    answers: np.ndarray,
) -> None:
    """All of ``in_turn``."""
    for _ in in_turn(algorithm, bandit, steps, shuffle, key, first, answers):
        pass


def rehearsal(algorithm: Algorithm, bandit: Bandit, budget: int) -> None:
    """A short run in Python."""
    size = np.size(true_means(bandit))
    steps = np.array([min(budget, size * max(getattr(algorithm, "warm_start", 1), 1) + 2 * size)])
    for _ in in_turn(algorithm, bandit, steps, True, named_key(0), 0, np.empty((1, 1), np.int32), many_runs.python):
        pass


def check(algorithm: Any, bandit: Any, budget: int) -> None:
    """Refuse what cannot be run, saying why."""
    check_algorithm(algorithm, select, "varde.bandits.UCBE(2.0)")
    means = check_arms(bandit)
    if means.size < 2:
        raise ValueError("the bandit has 1 arm: write two or more, there is nothing to choose from")
    needed = means.size * max(getattr(algorithm, "warm_start", 1), 1)
    if budget < needed:
        raise ValueError(
            f"budget is {budget}, but {type(algorithm).__name__} pulls each of {means.size} arms "
            f"{needed // means.size} time(s) first: write {needed} or more"
        )


def check_arms(bandit: Any) -> np.ndarray:
    """[K] the means of a bandit, if it is one."""
    if not is_record(bandit):
        refuse("bandit", bandit, "a record such as varde.bandits.Bernoulli([0.5, 0.4])", TypeError)
    pull.find(type(bandit))
    refuse_problem(bandit)
    return some_numbers("means", true_means(bandit))
