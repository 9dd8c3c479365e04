"""``measure``: many runs on a known bandit, and the arm each recommends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._compile import Door, canonical, is_record, rehearse, slices
from .._pool import in_blocks
from ..check import check_algorithm, engine_name, flag, refuse, refuse_problem, seed_number, some_numbers
from ..decisions.decision import fill_answer, unfit
from ..measured import Measured, check_runs, checkpoints, complete
from ..moments import make_moments
from ..protocols import Algorithm, Bandit
from ..random import key as named_key
from .loop import CHOSEN, FAULT, NUMBER, PULLS, ROW, many_runs, prepare, select, width
from .problems import pull, true_means

UNKNOWN = -2  # the answer of a run that did not get there
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
    engine: str = "auto",
) -> Measured:
    """Run ``algorithm`` on ``bandit`` with ``budget`` pulls, ``runs`` times over.

    >>> import varde
    >>> bandit = varde.bandits.Gaussian([0.3, 0.2, 0.1], [0.2, 0.2, 0.2])
    >>> measured = varde.bandits.measure(varde.VarDE(), bandit, budget=200, runs=1000)
    >>> measured.answers.shape, bool(measured.error[-1] < 0.05)
    ((1000, 1), True)

    ``answers[r, c]`` is the arm that run r recommends after ``at[c]`` pulls, the last of which is the budget.  With a
    decision on several, such as ``VarDE(Top(5))``, it is an array of arms, the best first and then -1; the value of
    such an answer is the sum of its true means.
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
    size = np.size(true_means(bandit))
    answers = np.full((runs, steps.size, width(algorithm, size)), UNKNOWN, np.int32)

    def block(first: int, stop: int) -> Iterator[Any]:
        return in_turn(algorithm, bandit, steps, shuffle, key, first, answers[first:stop], engine, runs - first)

    stopped = in_blocks(block, runs, workers)
    return complete(judged(algorithm, np.asarray(true_means(bandit), dtype=float), steps, answers, stopped))


def judged(algorithm: Algorithm, means: np.ndarray, steps: np.ndarray, answers: np.ndarray, stopped: str) -> Measured:
    """The value of the answers [R, C, W]; nan where a run did not get there."""
    alone = answers.shape[2] == 1
    decision: Any = None if alone else algorithm.decision  # type: ignore[attr-defined]
    best = np.array([means.argmax()]) if alone else np.full(answers.shape[2], -1)
    if not alone:
        fill_answer(decision, means, best)
    gains = np.append(means, 0.0)  # the last is that of no arm, -1

    def value(chosen: np.ndarray) -> np.ndarray:
        return np.asarray(np.sort(gains[chosen], axis=-1).sum(axis=-1))  # sorted: equal answers have equal sums

    values = np.where(answers[:, :, 0] > UNKNOWN, value(np.maximum(answers, -1)), np.nan)
    return Measured(values, steps, float(value(best)), answers[:, :, 0] if alone else answers, stopped)


def in_turn(
    algorithm: Algorithm,
    bandit: Bandit,
    steps: np.ndarray,
    shuffle: bool,
    key: np.ndarray,
    first: int,
    answers: np.ndarray,
    engine: str = "auto",
    ahead: int = 0,
) -> Iterator[Any]:
    """Runs ``first`` onwards, as many as ``answers`` has rows, independent of all others; yields from time to time.

    There are ``ahead`` runs to make, these among them.
    """
    size = np.size(true_means(bandit))
    rng, order, at = np.empty(4, np.uint64), np.arange(size), np.zeros(4, np.int64)
    memory, arms = prepare(algorithm, size), make_moments(size)
    answers = answers if answers.ndim == 3 else answers[:, :, None]
    records = (algorithm, bandit, memory, arms, order, bool(shuffle), steps, key, rng, int(first), answers, at)
    door = Door(many_runs, records, int, choice=engine)
    total = max(ahead, len(answers)) * int(steps[-1])
    door.expect(lambda: (int(at[ROW]) * int(steps[-1]) + int(at[PULLS])) / total)

    def call(pulls: int) -> int:
        door.call(pulls)
        if at[FAULT]:
            what = "chose" if at[FAULT] == CHOSEN else "recommended"
            raise ValueError(
                f"{type(algorithm).__name__} {what} arm {at[NUMBER]} of {size} at step {at[PULLS]}: "
                f"return 0 to {size - 1}"
            )
        return pulls

    return slices(call, len(answers) * int(steps[-1]), first=max(1, FIRST // size) if door.compiled else 1)


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
    answers = np.empty((1, 1, width(algorithm, size)), np.int32)
    for _ in in_turn(algorithm, bandit, steps, True, named_key(0), 0, answers, "python"):
        pass


def check(algorithm: Any, bandit: Any, budget: int) -> None:
    """Refuse what cannot be run, saying why."""
    check_algorithm(algorithm, select, "varde.bandits.UCBE(2.0)")
    decision: Any = getattr(algorithm, "decision", None)
    if is_record(decision) and (problem := unfit(decision)):
        raise ValueError(f"{type(algorithm).__name__}({decision}) {problem}")
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
