"""What the studies of tree search share."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..planning import Search
from ..planning.measure import Worth, policy_worth, search_block
from ..rule import VarDE
from ..studies.bandit_cells import describe
from ..studies.claims import FAILS, Claim, all_of
from ..studies.figure import Figure
from ..studies.rows import Rows
from ..studies.study import Cell, Study
from ..worlds.horizon import best_values, uniform_values
from ..worlds.table import Table

RUNS = 100
STEPS = tuple(range(1000, 30_001, 1000))
BLOCK = 2  # runs at a time: few enough for a quick look

TEXT, KEPT = "VarDE as printed", "VarDE as printed, whole trajectories"
AS_RUN, AUTO = "VarDE as run", "VarDE auto"
READINGS = (TEXT, KEPT, AS_RUN, AUTO)
GRAPH = ", graph"
MODES = {"": False, GRAPH: True}  # what is added to a problem's name: graph or not

NOTES = (
    "value: exact value of the recommended policy, random play outside the tree (the paper: 200 rollouts of it)",
    "every trajectory joins the tree whole (keep=True), as the published curves behave; ties at random",
    "VarDE as printed: squared weights, values backed up by the maximum, variance M2/N, one node a trial and random "
    "play below it (keep=False); whole trajectories: the same with keep=True",
    "VarDE as run: plain weights, mean returns, M2/(N-1), every action taken twice, as the published curves behave",
    "VarDE auto: not in the paper, nothing tuned; its temperature is the standard error of the gap",
    "graph: paths to the same state at the same depth share a node (the paper searches trees)",
)


class Outlook(NamedTuple):
    """A world, and how far ahead to plan in it."""

    name: str
    make: Callable[[], Table]
    horizon: int


def policy_values(
    algorithm: Any,
    outlook: Outlook,
    keep: bool,
    graph: bool,
    steps: Sequence[int],
    key: np.ndarray,
    first: int,
    runs: int,
) -> np.ndarray:
    """[runs, steps] value of the recommended policy after each number of trials."""
    search, measure = held_search(algorithm, outlook, keep, graph)
    return search_block(search, np.array(steps), key, first, runs, measure)


_held = threading.local()


def held_search(algorithm: Any, outlook: Outlook, keep: bool, graph: bool) -> tuple[Search, Worth]:
    """The search this thread used last, if it was of this kind: the first touch of new memory costs more than a run."""
    kind = algorithm, outlook, keep, graph
    if getattr(_held, "kind", None) != kind:
        _held.kind = _held.search = None  # let go of the old one first
        world = outlook.make()
        search = Search(algorithm, world.model, world.start, outlook.horizon, keep=keep, graph=graph)
        _held.kind, _held.search = kind, (search, policy_worth(search))
    return _held.search


def rows_of(algorithms: Mapping[str, Any]) -> dict[str, Any]:
    """The tuned algorithms of a world, the text reading twice, and the one with nothing to tune."""
    rows = dict(algorithms)
    as_run = rows.pop(AS_RUN)
    return {**rows, KEPT: rows[TEXT], AS_RUN: as_run, AUTO: VarDE()}


def planning_study(
    name: str, title: str, outlook: Outlook, algorithms: Mapping[str, Any], place: str, quick: int
) -> Study:
    """All algorithms on one world, in a tree and in a graph."""
    cells = [
        Cell(
            outlook.name + suffix,
            label,
            f"{describe(algorithm)}, horizon={outlook.horizon}, keep={label != TEXT}, graph={graph}",
            STEPS,
            partial(policy_values, algorithm, outlook, label != TEXT, graph, STEPS),
        )
        for suffix, graph in MODES.items()
        for label, algorithm in rows_of(algorithms).items()
    ]
    world = outlook.make()
    best = float(best_values(world.model, outlook.horizon).values[0, world.start])
    random = float(uniform_values(world.model, outlook.horizon).values[0, world.start])
    return Study(
        name,
        title,
        cells,
        RUNS,
        block=BLOCK,
        notes=(f"V* = {best:.6g}, random play {random:.6g}", *NOTES),
        findings=partial(value_findings, outlook.name, best),
        figure=Figure(across="simulations", up="value of the recommended policy", best=best),
        place=f"Figure, {place} world (fig:mcts)",
        quick=quick,
    )


def only(study: Study, graph: bool) -> Study:
    """The part of a study of tree search that shares transpositions, or the part that does not."""
    return replace(study, cells=[cell for cell in study.cells if cell.problem.endswith(GRAPH) == graph])


def value_findings(problem: str, best: float, rows: Rows) -> list[str]:
    """The paper's claim, reading by reading, tested at all checkpoints together; and what is left to V*."""
    findings: list[str] = []
    for suffix in MODES:
        here = {name: (where, name) for where, name in rows.runs if where == problem + suffix}
        findings += [highest_throughout(rows, problem + suffix, name, best) for name in READINGS if name in here]
    return findings


def highest_throughout(rows: Rows, problem: str, name: str, best: float) -> Claim:
    """Whether ``name`` is at no checkpoint below any rival: one test for all rivals and checkpoints."""
    rivals = [rival for where, rival in rows.runs if where == problem and rival not in READINGS]
    runs = {who: some for (_, who), some in rows.curves([(problem, who) for who in (name, *rivals)]).items()}
    steps = sorted({row.step for row in rows if (row.problem, row.algorithm) == (problem, name)})
    word, numbers = all_of({f"against {r}": runs[name] - runs[r] for r in rivals}, steps)
    ends = {who: float(some[:, -1].mean()) for who, some in runs.items()}
    rival = max(rivals, key=lambda r: ends[r])
    numbers += (
        f"; at the end {ends[name]:.4g}, best rival {rival} {ends[rival]:.4g}, "
        f"regret {best - ends[name]:.3g} against {best - ends[rival]:.3g}"
    )
    ours = beyond(problem, name)
    reason = PRINTED if name == TEXT and word == FAILS and not ours else ""
    return Claim(f"'highest value throughout' on {problem} by {name}", word, numbers, reason, ours, by=name)


def beyond(problem: str, name: str) -> bool:
    """Whether a row is ours: the paper searches trees, with one VarDE, printed one way and perhaps run another."""
    return problem.endswith(GRAPH) or name not in (TEXT, AS_RUN)


PRINTED = (
    "the published curves were not made by the algorithm as printed: the public code they build on keeps "
    "whole trajectories, and its behaviour fits plain weights, mean returns and M2/(N-1), the reading 'VarDE as run'"
)
