"""Theorem thm:VarDE-bai-error-prob and corollary cor:VarDE-mcts-error-prob: the error falls exponentially, C exp(-cT).

An exponential falls at one rate: the rate at which ln(error) falls late is that at which it fell early.  That is tested
over the last factor of eight of the range in which errors are still seen; a power of T would fall a third as fast late.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..bandits import Uniform
from ..decisions import LogSumExp
from ..environments import SyntheticTree, synthetic_tree
from ..environments.synthetic_tree import root_values
from ..experiments.bandit_cells import ERROR, bandit_cell, describe
from ..experiments.claims import FAILS, HOLDS, OPEN, Claim, lower
from ..experiments.study import Cell, Outcome, Study
from ..noise import Floor
from ..planning import PaperTree, Search
from ..planning.loop import recommend
from ..planning.measure import search_block
from ..rule import VarDE
from .bandits import FLOOR, TEMPERATURES, warm_start
from .tree_search import AS_RUN, TEXT

RUNS = 4_000
PULLS = tuple(range(250, 8001, 250))
TRIALS = (*range(20, 200, 20), *range(200, 2001, 100))
BANDITS = ("BAI.1", "BAI.5")
TREE, BRANCHING, DEPTH = "tree, k=4, d=2", 4, 2  # smaller than the paper's, so that its errors can be followed to 1 %
HOT = 0.5  # a temperature at which no weight is small
TREE_TEMPERATURE, TREE_FLOOR = 0.1, 0.001  # the paper's for synthetic trees

SEEN = 20  # wrong runs: with fewer, a rate is noise
SLOWER = 0.7  # the late rate over the early one: 1 for an exponential, 0.38 for a power of T


def wrong_moves(
    algorithm: Any, tree: SyntheticTree, keep: bool, steps: Sequence[int], key: np.ndarray, first: int, runs: int
) -> np.ndarray:
    """[runs, steps] 1 where the move recommended at the root is not the best one."""
    search = Search(algorithm, tree, 0, DEPTH, keep=keep)
    best = int(np.argmax(root_values(tree)))
    wrong = search_block(
        search,
        np.array(steps),
        key,
        first,
        runs,
        lambda rng: float(recommend(search.algorithm, search.tree, 0, rng) != best),
    )
    return wrong.astype(np.int64)


def rules(problem: str) -> dict[str, Any]:
    return {
        "Uniform": Uniform(),
        **{f"VarDE {t:g}": VarDE(LogSumExp(t), Floor(FLOOR), warm_start(problem)) for t in (*TEMPERATURES, HOT)},
    }


def tree_rules() -> dict[str, tuple[Any, bool]]:
    """By name: the algorithm, and whether it is the as-run reading."""
    return {
        TEXT: (PaperTree.printed(TREE_TEMPERATURE, TREE_FLOOR), False),
        f"{TEXT}, tau {HOT:g}": (PaperTree.printed(HOT, TREE_FLOOR), False),
        AS_RUN: (PaperTree.as_run(TREE_TEMPERATURE, TREE_FLOOR), True),
        f"{AS_RUN}, tau {HOT:g}": (PaperTree.as_run(HOT, TREE_FLOOR), True),
    }


def study() -> Study:
    tree = synthetic_tree(BRANCHING, DEPTH)
    cells = [bandit_cell(p, name, rule, PULLS) for p in BANDITS for name, rule in rules(p).items()]
    for name, (algorithm, as_run) in tree_rules().items():
        measure = partial(wrong_moves, algorithm, tree._replace(credit_landing=as_run), as_run, TRIALS)
        setting = f"{describe(algorithm)}, credit_landing={as_run}, keep={as_run}"
        cells.append(Cell(TREE, name, setting, TRIALS, measure))
    return Study(
        "error-decay",
        "The theorems of error probability: exponential decay (%)",
        cells,
        RUNS,
        block=100,
        percent=True,
        notes=(
            "a rate is the fall of ln(error) per pull; early and late: the halves of the last seven eighths of the "
            f"range in which {SEEN} or more runs are wrong",
            "BAI.1 has bounded rewards, as the theorem wants; BAI.5 and the tree have normal ones, as the paper "
            "runs them",
            f"Table 1's settings on BAI.1, those of the ablation on BAI.5; temperature {HOT:g} is ours",
            f"the tree: {BRANCHING} actions, depth {DEPTH}, leaves of deviation 0.5, moves that go astray half of the "
            "time, as in the paper's, smaller; VarDE text as printed (one node a trial, credit to the action taken), "
            "as-run: trajectories kept, credit to the child landed on",
        ),
        findings=findings,
        figure=ERROR,
        place="Theorem and corollary of error probability (thm:VarDE-bai-error-prob, cor:VarDE-mcts-error-prob)",
        rate=8e-8,
    )


SLOW = (
    "the best arm, unlucky at first, gets exp(-2 gap/tau) of the weight: how long it waits grows exponentially in its "
    "bad luck, which makes a power of T out of an exponential tail; the theorem's rate c depends on exp(-2/tau) and "
    "would show only at T far beyond exp(1/tau)"
)


def findings(rows: Sequence[Outcome]) -> list[str]:
    lines: list[str] = []
    for problem, names in ((BANDITS[0], rules(BANDITS[0])), (BANDITS[1], rules(BANDITS[1])), (TREE, tree_rules())):
        for name in names:
            ours = name == "Uniform" or name.endswith(f"{HOT:g}")
            curve = [row for row in rows if row.problem == problem and row.algorithm == name]
            lines.append(exponential(f"'error at most C exp(-cT)' on {problem} by {name}", curve, ours))
    return lines


def exponential(claim: str, curve: Sequence[Outcome], beyond: bool) -> Claim:
    """Whether ln(error) falls late as fast as early."""
    seen = [row for row in curve if row.value * row.runs >= 100.0 * SEEN]
    last = max(seen, key=lambda row: row.step, default=None)
    early = [] if last is None else [row for row in seen if row.step >= last.step / 8]
    if last is None or len(early) < 3:
        where = f"after {curve[0].step} {curve[0].value:.2g} %, after {curve[-1].step:,} {curve[-1].value:.2g} %"
        return Claim(claim, OPEN, f"too few errors to follow: {where}", "", beyond)
    first = early[0]
    middle = min(early[1:-1], key=lambda row: abs(row.step - (first.step + last.step) / 2))
    if lower(last, first) != "lower":
        return Claim(
            claim, FAILS, f"{first.value:.2g} % at {first.step:,}, {last.value:.2g} % at {last.step:,}", SLOW, beyond
        )
    ratio, error = rates(first, middle, last)
    word = HOLDS if ratio - 2.0 * error > SLOWER else FAILS if ratio + 2.0 * error < SLOWER else OPEN
    numbers = f"late rate {ratio:.2f} ± {2.0 * error:.2f} of the early one: " + ", ".join(
        f"{row.value:.2g} % at {row.step:,}" for row in (first, middle, last)
    )
    return Claim(claim, word, numbers, SLOW if word == FAILS else "", beyond)


def rates(*rows: Outcome) -> tuple[float, float]:
    """The late rate over the early one and its standard error, errors of the three points taken to be independent."""
    logs = [math.log(row.value / 100.0) for row in rows]
    spreads = [(100.0 - row.value) / (row.value * row.runs) for row in rows]  # variances of the logarithms
    first, middle, last = (row.step for row in rows)
    early = max(logs[0] - logs[1], 1e-9) / (middle - first)
    late = (logs[1] - logs[2]) / (last - middle)
    ratio = late / early
    # d ratio / d log at the three points, times the early rate
    parts = (-ratio / (middle - first), ratio / (middle - first) + 1.0 / (last - middle), -1.0 / (last - middle))
    return ratio, math.sqrt(sum(p * p * s for p, s in zip(parts, spreads, strict=True))) / early
