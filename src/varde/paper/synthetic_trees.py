"""The figure of synthetic trees (fig:mcts2): error of the value reported for the root."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..environments import SyntheticTree, synthetic_tree
from ..environments.synthetic_tree import root_value
from ..planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, GapTree, PaperTree, Search
from ..planning.measure import root_worth, search_block
from ..studies.bandit_cells import describe
from ..studies.claims import FAILS, HOLDS, Claim, all_of
from ..studies.figure import Figure
from ..studies.rows import Rows
from ..studies.study import Cell, Study
from .tree_search import AS_RUN, AUTO, KEPT, MODES, PRINTED, READINGS, TEXT, beyond

SIZES = ((16, 1), (14, 3), (16, 4), (200, 2))
TREES = 5  # random trees of each size
RUNS = 25  # five on each
STEPS = tuple(range(20, 1001, 20))

ALGORITHMS: dict[str, Any] = {
    "UCT": UCT(0.1),
    "MENTS": MENTS(0.1, 0.5, per_action=True),
    "RENTS": RENTS(0.2, 0.5, per_action=True, prior=False),
    "TENTS": TENTS(0.5, 0.5, per_action=True),
    "DENTS": DENTS(0.1, 0.5, per_action=True),
    "BTS": BTS(0.1, 0.25, per_action=True),
    TEXT: PaperTree.printed(0.1, 0.001),
    KEPT: PaperTree.printed(0.1, 0.001),
    AS_RUN: PaperTree.plain(0.1, 0.001),
    AUTO: GapTree(),
}


@functools.cache
def tree_of(branching: int, depth: int, seed: int) -> tuple[SyntheticTree, float]:
    """A tree and the value of its root."""
    tree = synthetic_tree(branching, depth, seed)
    return tree, root_value(tree)


def root_errors(
    algorithm: Any,
    size: tuple[int, int],
    landing: bool,
    keep: bool,
    graph: bool,
    steps: Sequence[int],
    key: np.ndarray,
    first: int,
    runs: int,
) -> np.ndarray:
    """[runs, steps] |V_t - V*| of the root; run r takes place on tree r mod 5."""
    errors = np.empty((runs, len(steps)))
    for row in range(runs):
        tree, best = tree_of(*size, (first + row) % TREES)
        search = Search(algorithm, tree._replace(credit_landing=landing), 0, size[1], keep=keep, graph=graph)
        errors[row] = abs(search_block(search, np.array(steps), key, first + row, 1, root_worth(search)) - best)
    return errors


def study() -> Study:
    cells = [
        Cell(
            f"k={size[0]}, d={size[1]}{suffix}",
            name,
            f"{describe(algorithm)}, credit_landing={name == AS_RUN}, keep={name != TEXT}, graph={graph}",
            STEPS,
            partial(root_errors, algorithm, size, name == AS_RUN, name != TEXT, graph, STEPS),
        )
        for size in SIZES
        for suffix, graph in MODES.items()
        for name, algorithm in ALGORITHMS.items()
    ]
    return Study(
        "synthetic-tree",
        "Synthetic trees: error of the root value",
        cells,
        RUNS,
        block=TREES,
        notes=(
            "5 trees of each size, run r on tree r mod 5; edge weights uniform in [0, 1)",
            "exploration coefficient times the number of actions: lambda = min(1, c k / ln(N + 1))",
            "reported value: mean return (UCT, VarDE as run), soft value (MENTS, RENTS, TENTS), highest Q (the rest); "
            "VarDE auto backs up a second value with weights exp(-gap in standard errors), twice the gap at the root",
            "VarDE as printed: one node a trial and random play below it; whole trajectories: each joins the tree",
            "a return is credited to the action chosen; VarDE as run: to the child landed on",
            "RENTS without a prior: a node's actions have nothing in common with its parent's",
            "graph: the children of a node are shared by its actions; otherwise each action has its own copies",
        ),
        findings=lowest_error,
        figure=Figure(across="simulations", up="error of the root value", log=True),
        place="Figure (fig:mcts2)",
    )


def lowest_error(rows: Rows) -> list[str]:
    """The paper's claim, tested on the errors after the last simulation."""
    findings: list[str] = []
    for problem in dict.fromkeys(problem for problem, _ in rows.runs):
        names = [name for where, name in rows.runs if where == problem]
        runs = {name: some for (_, name), some in rows.paired([(problem, name) for name in names]).items()}
        rivals = [name for name in names if name not in READINGS]
        best = min(rivals, key=lambda name: float(runs[name].mean()))
        for name in READINGS:
            word, numbers = all_of({f"against {rival}": runs[rival] - runs[name] for rival in rivals})
            numbers = f"{runs[name].mean():.3g}, best rival {best} {runs[best].mean():.3g}; {numbers}"
            ours = beyond(problem, name)
            reason = "" if ours else likely(name, best, word)
            claim = f"'lowest root error' on {problem} by {name}"
            findings.append(Claim(claim, word, numbers, reason, ours, by=name))
    return findings


def likely(name: str, rival: str, word: str) -> str:
    if word != HOLDS and name == AS_RUN and rival == "UCT":
        return (
            "both report the mean return at the root, exploration included, which is most of either error (from the "
            "definition of the reported values)"
        )
    return PRINTED if name == TEXT and word == FAILS else ""
