"""How good the policies are that an algorithm reports, over many runs in a known world."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from .._compile import Door, contents, helper, kernel, rehearse
from .._pool import in_blocks
from ..arrays import arrays_of
from ..check import engine_name, seed_number
from ..measured import Measured, check_runs, checkpoints
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import start
from ..worlds.solve import Solution, best_policy, check_discount, closed, evaluate_policy, make_solution
from ..worlds.table import MDP, Table
from ..worlds.world import as_world
from .checks import check_algorithm, check_report, check_table
from .experience import Known, model_report
from .loop import PAUSES, WRONG, advance, is_policy, needs_model, report, think
from .run import begin_run, refuse_fault, rehearsal, task_of

ASIDE = 1 << 40  # where the streams of reports begin, beyond those of the runs


class Reports(NamedTuple):
    """Policies to report and how good they are; own report first, then that of the model of the data."""

    own: np.ndarray  # [S]
    model: Solution
    rewards: np.ndarray  # [S, A] of ``Known``
    open: np.ndarray  # [1] of ``Known``
    judge: Solution  # the values of a reported policy in the true model
    best: np.ndarray  # [S] V*
    judged: np.ndarray  # [2, S] the policies judged last
    scores: np.ndarray  # [2] and their scores
    dice: np.ndarray  # breaks the ties of reports: looking at a run does not change it


def make_reports(world: Table, discount: float, num_actions: int) -> Reports:
    size = len(world.states)
    return Reports(
        np.zeros(size, np.int64),
        make_solution(size),
        np.zeros((size, num_actions)),
        np.zeros(1, np.int64),
        make_solution(size),
        best_policy(world, discount)[1],
        np.full((2, size), -1),
        np.zeros(2),
        np.zeros(4, np.uint64),
    )


@helper(apart=True)
def judge(model, task, reports, which, policy):
    """The score of a policy: 1 - max |V* - V| / max V*.  The same policy is not judged twice in a row."""
    known, same = reports.judged[which], True
    for s in range(policy.size):
        action = policy[s] if task.discounts[s] > 0.0 else 0
        same = same and known[s] == action
        known[s] = action
        reports.judge.policy[s] = action
    if not same:
        evaluate_policy(model, task.discounts, reports.judge)
        off, top = 0.0, 0.0
        for s in range(policy.size):
            off = max(off, abs(reports.best[s] - reports.judge.values[s]))
            top = max(top, abs(reports.best[s]))
        reports.scores[which] = 1.0 - off / top
    return reports.scores[which]


@kernel
def scored_run(held, number, keep):
    """Fill ``scores [C, 2]`` of one run at C checkpoints, without ``keep`` of the own report only; WRONG at a fault."""
    algorithm, model, run, reports, key, at, scores = contents(held)
    task, seen, memory = run.task, run.seen, run.memory
    start(run.rng, key, number)
    start(reports.dice, key, ASIDE + number)
    for c in range(at.size):
        going = advance(algorithm, model, run, at[c], keep)
        while going == PAUSES:
            think(algorithm, memory, task, seen, run.rng)
            going = advance(algorithm, model, run, at[c], keep)
        if going == WRONG:
            return WRONG
        report(algorithm, memory, task, seen, reports.own, reports.dice)
        if not is_policy(run, reports.own):
            return WRONG
        scores[c, 0] = judge(model, task, reports, 0, reports.own)
        if keep:
            model_report(Known(seen, reports.rewards, reports.open), task, reports.model)
            scores[c, 1] = judge(model, task, reports, 1, reports.model.policy)
    return 0


def score_runs(
    algorithm: Algorithm,
    world: Table,
    at: np.ndarray,
    key: np.ndarray,
    runs: range,
    *,
    discount: float = 0.99,
    model: bool = True,
    engine: str = "compiled",
) -> np.ndarray:
    """[R, C, 2]: the scores of the algorithm's own reports and of the model of its data; nothing is shared.

    The last checkpoint is the budget.  Without ``model`` the second is left out, and no model is kept for algorithms
    that do not need it.
    """
    algorithm = check_algorithm(algorithm)
    task, table = task_of(world, discount, int(at[-1])), closed(world.model)
    scores, reports = np.zeros((len(runs), at.size, 2)), make_reports(world, discount, task.num_actions)
    run, blank = (begin_run(algorithm, task, np.zeros(4, np.uint64)) for _ in range(2))
    filled = np.zeros((at.size, 2))
    records = (algorithm, table, run, reports, key, at, filled)
    call = Door(scored_run, records, int, bool).call if engine == "compiled" else partial(scored_run.python, records)
    arrays, keep = list(zip(arrays_of(run), arrays_of(blank), strict=True)), bool(model or needs_model(algorithm))
    for row, number in enumerate(runs):
        for array, empty in arrays:
            array[...] = empty
        reports.judged.fill(-1)
        refuse_fault(algorithm, table, run, call(number, keep))
        scores[row] = filled
    return scores


def as_table(world: Any) -> Table:
    found = as_world(world)
    if not isinstance(found, Table) or not isinstance(found.model, MDP):
        raise TypeError(f"{world!r:.200} has no table, so that the value of a policy is not known: see varde.tabulate")
    return found


def measure(
    algorithm: Algorithm,
    world: Table | MDP,
    budget: int,
    *,
    discount: float = 0.99,
    runs: int = 100,
    at: Sequence[int] | None = None,
    seed: int = 0,
    workers: int | None = None,
    report: str = "own",
    engine: str = "compiled",
) -> Measured:
    """How good the policies are that ``algorithm`` reports after ``at`` steps of one trajectory, over many runs.

    >>> import varde
    >>> measured = varde.learning.measure(varde.VarDE(), varde.environments.river_swim(5), 2_000, runs=10, at=[1_000])
    >>> measured.values.shape, bool(measured.value[-1] > 0.95)
    ((10, 2), True)

    The value of a policy is 1 - max |V* - V| / max |V*| over the states, 1 at best.  ``report="model"`` measures the
    best policy of the model of the algorithm's data instead of its own.  Run r depends on ``seed`` and r alone.
    ``engine="python"`` runs the same source uncompiled.
    """
    check_report(report)
    engine, runs, algorithm = engine_name(engine), check_runs(runs), check_algorithm(algorithm)
    check_discount(discount)
    steps, key = checkpoints(budget, at), named_key(seed_number(seed), "score-agent")
    table = check_table(algorithm, as_table(world))
    rehearse((algorithm,), lambda: rehearsal(algorithm, table.model, task_of(table, discount, int(steps[-1]))))
    scores = np.empty((runs, steps.size, 2))

    def block(first: int, stop: int) -> None:
        scores[first:stop] = score_runs(
            algorithm, table, steps, key, range(first, stop), discount=discount, model=report == "model", engine=engine
        )

    in_blocks(block, runs, workers)
    return Measured(np.ascontiguousarray(scores[:, :, int(report == "model")]), steps, 1.0)
