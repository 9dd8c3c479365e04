"""``measure``: how good the policies of an algorithm are, over many runs in a known world."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .._compile import Door, contents, helper, kernel, rehearse, slices
from .._pool import in_blocks
from ..arrays import arrays_of
from ..check import engine_name, seed_number
from ..measured import Measured, check_runs, checkpoints, complete
from ..protocols import Algorithm
from ..random import key as named_key
from ..random import start
from ..worlds.record import is_listed
from ..worlds.solve import Solution, best_policy, check_discount, evaluate_policy, make_solution
from ..worlds.table import Table
from ..worlds.world import as_world
from .checks import check_algorithm, check_objective, check_report, check_table
from .experience import Known, is_full, model_report
from .loop import ALL, OBJECTIVES, PAUSES, START, WRONG, advance, is_policy, needs_model, report, think_on
from .run import begin_run, refuse_fault, rehearsal, task_of, with_room

FULL = 1  # what ``scored_run`` returns when it has to be given more room
ASIDE = 1 << 40  # where the streams of reports begin, beyond those of the runs


class Reports(NamedTuple):
    """Reported policies and their scores; the algorithm's own first, then that of the model of the data."""

    own: np.ndarray  # [S]
    model: Solution
    rewards: np.ndarray  # [S, A] of ``Known``
    judge: Solution  # the values of a reported policy in the true model
    best: np.ndarray  # [S] V*
    judged: np.ndarray  # [2, S] the policies judged last
    scores: np.ndarray  # [2, 2] and their scores: all states alike, where episodes begin
    dice: np.ndarray  # breaks the ties of reports: looking at a run does not change it


def make_reports(world: Table, discount: float, num_actions: int) -> Reports:
    size = len(world.states)
    return Reports(
        np.zeros(size, np.int64),
        make_solution(size),
        np.zeros((size, num_actions)),
        make_solution(size),
        best_policy(world, discount)[1],
        np.full((2, size), -1),
        np.zeros((2, 2)),
        np.zeros(4, np.uint64),
    )


@helper(apart=True)
def judge(model, task, reports, which, policy, scores):
    """Fill ``scores [2]`` of a policy: 1 - max |V* - V| / max |V*|, and 1 - (V* - V) / |V*| where episodes begin.

    The same policy is not judged twice in a row.
    """
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
        loss, best = 0.0, 0.0
        for i in range(task.starts.size):
            s = task.starts[i]
            loss += task.shares[i] * (reports.best[s] - reports.judge.values[s])
            best += task.shares[i] * reports.best[s]
        reports.scores[which, ALL] = 1.0 - off / top
        reports.scores[which, START] = 1.0 - loss / (abs(best) if best != 0.0 else top)
    scores[ALL], scores[START] = reports.scores[which, ALL], reports.scores[which, START]


@kernel
def scored_run(held, number, until, keep):
    """Go on to step ``until`` of a run and fill ``scores [C, 2, 2]`` at those of C checkpoints that it comes by,
    without ``keep`` of the own report only; FULL where it needs more room, WRONG at a fault."""
    algorithm, model, run, reports, key, at, scores = contents(held)
    task, seen, memory = run.task, run.seen, run.memory
    if run.now.step[0] == 0:
        start(run.rng, key, number)
        start(reports.dice, key, ASIDE + number)
    for c in range(at.size):
        if run.now.step[0] >= at[c]:
            continue
        going = advance(algorithm, model, run, min(at[c], until), keep)
        while going == PAUSES:
            if is_full(seen):
                return FULL
            if run.now.due[0] == 1:
                think_on(algorithm, run)
            going = advance(algorithm, model, run, min(at[c], until), keep)
        if going == WRONG:
            return WRONG
        if run.now.step[0] < at[c]:
            break
        report(algorithm, memory, task, seen, reports.own, reports.dice)
        if not is_policy(run, reports.own):
            return WRONG
        judge(model, task, reports, 0, reports.own, scores[c, 0])
        if keep:
            model_report(Known(seen, reports.rewards), task, reports.model)
            judge(model, task, reports, 1, reports.model.policy, scores[c, 1])
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
    engine: str = "auto",
    objective: str = "all",
) -> np.ndarray:
    """[R, C, 2, 2]: the algorithm's own reports and those of the model of its data; by all states and by the starts.

    Runs share nothing.  The last checkpoint is the budget.  Without ``model`` its reports are left out, and no model is
    kept for algorithms that do not need it.
    """
    scores = np.zeros((len(runs), at.size, 2, 2))
    for _ in in_turn(algorithm, world, at, key, runs, scores, discount, model, engine, objective, runs.stop):
        pass
    return scores


def in_turn(
    algorithm: Algorithm,
    world: Table,
    at: np.ndarray,
    key: np.ndarray,
    runs: range,
    scores: np.ndarray,
    discount: float,
    model: bool,
    engine: str,
    objective: str,
    last: int,
) -> Iterator[Any]:
    """Fill the ``scores`` of ``score_runs``; yields now and then.  Others will go on to run ``last``."""
    algorithm = check_algorithm(algorithm)
    task, table = task_of(world, discount, int(at[-1]), objective), world.model
    reports = make_reports(world, discount, task.num_actions)
    run = begin_run(algorithm, task, np.zeros(4, np.uint64))
    filled, keep = np.zeros((at.size, 2, 2)), bool(model or needs_model(algorithm))
    door = Door(scored_run, (algorithm, table, run, reports, key, at, filled), int, int, bool, choice=engine)
    for row, number in enumerate(runs):
        blank = begin_run(algorithm, run.task, run.rng)
        for array, empty in zip(arrays_of(run), arrays_of(blank), strict=True):
            array[...] = empty
        reports.judged.fill(-1)
        ahead = int(at[-1]) * (last - number)
        door.expect(lambda ahead=ahead: int(run.now.step[0]) / ahead)  # type: ignore[misc]

        def go(steps: int, number: int = number) -> int:
            nonlocal run
            until = int(run.now.step[0]) + steps
            while door.call(number, until, keep) != 0:
                refuse_fault(algorithm, table, run)
                larger = with_room(algorithm, run)
                if larger is not run:
                    run = larger
                    door.hold((algorithm, table, run, reports, key, at, filled))
            return steps

        yield from slices(go, int(at[-1]))
        scores[row] = filled


def as_table(world: Any) -> Table:
    found = as_world(world)
    if not isinstance(found, Table) or not is_listed(found.model):
        raise TypeError(f"{world!r:.200} has no table, so that the value of a policy is not known: see varde.tabulate")
    return found


def measure(
    algorithm: Algorithm,
    world: Table,
    budget: int,
    *,
    discount: float = 0.99,
    runs: int = 100,
    at: Sequence[int] | None = None,
    seed: int = 0,
    workers: int | None = None,
    report: str = "own",
    objective: str = "all",
    engine: str = "auto",
) -> Measured:
    """Measure the policies that ``algorithm`` reports after ``at`` steps of one trajectory, over many runs.

    >>> import varde
    >>> river = varde.environments.river_swim(5)
    >>> measured = varde.learning.measure(varde.VarDE(), river, 2_000, runs=10, at=[1_000])
    >>> measured.values.shape, bool(measured.value[-1] > 0.95)
    ((10, 2), True)

    The value of a policy is ``1 - max |V* - V| / max |V*|`` over the states, 1 at best; with ``objective="start"``
    (which ``VarDE()`` uses) it is ``1 - (V* - V) / |V*|``, averaged over where episodes begin.  ``report="model"``
    measures the best policy of the model of the algorithm's data instead of its own.  Run r depends on ``seed`` and r
    only.  ``engine="python"`` runs the same source uncompiled.  At Ctrl-C the complete runs are returned, with
    ``stopped="interrupted"``.
    """
    check_report(report)
    check_objective(objective)
    engine, runs, algorithm = engine_name(engine), check_runs(runs), check_algorithm(algorithm)
    check_discount(discount)
    steps, key = checkpoints(budget, at), named_key(seed_number(seed), "score-agent")
    table = check_table(algorithm, as_table(world))
    rehearse((algorithm,), lambda: rehearsal(algorithm, table.model, task_of(table, discount, int(steps[-1]))))
    scores = np.full((runs, steps.size, 2, 2), np.nan)

    def block(first: int, stop: int) -> Iterator[Any]:
        some = range(first, stop), scores[first:stop]
        return in_turn(algorithm, table, steps, key, *some, discount, report == "model", engine, objective, runs)

    stopped = in_blocks(block, runs, workers)
    values = np.ascontiguousarray(scores[:, :, int(report == "model"), OBJECTIVES[objective]])
    return complete(Measured(values, steps, 1.0, None, stopped))
