"""Theorem thm:VarDE-bai-error-prob and corollary cor:VarDE-mcts-error-prob: the error falls exponentially, C exp(-cT).

An exponential falls at one rate: the rate at which ln(error) falls late is that at which it fell early.  That is tested
over the last factor of eight of the range in which errors are still seen; a power of T would fall a third as fast late.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..bandits import Uniform
from ..beliefs.noise import Floor
from ..decisions import LogSumExp
from ..environments import SyntheticTree, synthetic_tree
from ..environments.synthetic_tree import root_values
from ..planning import PaperTree, Search
from ..planning.loop import recommend
from ..planning.measure import search_block
from ..rule import VarDE
from ..studies.bandit_cells import ERROR, bandit_cell, describe
from ..studies.claims import FAILS, OPEN, Claim, all_of
from ..studies.figure import Figure
from ..studies.rows import Rows
from ..studies.study import Cell, Study
from .bandits import FLOOR, TEMPERATURES, warm_start
from .logarithms import logarithm
from .tree_search import AS_RUN, TEXT

RUNS, TREE_RUNS = 20_000, 4_000
PULLS = tuple(range(250, 8001, 250))
TRIALS = (*range(20, 200, 20), *range(200, 2001, 100))
SOON = tuple(range(20, 401, 20))  # as run, the best move is found at once
BANDITS = ("BAI.1", "BAI.5")
BRANCHING, DEPTH = 4, 2
READINGS = {False: "Tree, as printed", True: "Tree, as run"}
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
        lambda rng: float(recommend(search.algorithm, search.view, 0, rng) != best),
    )
    return wrong.astype(np.int64)


def rules(problem: str) -> dict[str, Any]:
    temperatures = (*TEMPERATURES, HOT) if problem == BANDITS[0] else TEMPERATURES[:2]
    return {
        "Uniform": Uniform(),
        **{f"VarDE {tau:g}": VarDE(LogSumExp(tau), Floor(FLOOR), warm_start(problem)) for tau in temperatures},
    }


def tree_rules() -> dict[str, tuple[Any, bool]]:
    """By name: the algorithm, and whether it is the as-run reading."""
    return {
        TEXT: (PaperTree.printed(TREE_TEMPERATURE, TREE_FLOOR), False),
        f"{TEXT}, tau {HOT:g}": (PaperTree.printed(HOT, TREE_FLOOR), False),
        AS_RUN: (PaperTree.plain(TREE_TEMPERATURE, TREE_FLOOR), True),
        f"{AS_RUN}, tau {HOT:g}": (PaperTree.plain(HOT, TREE_FLOOR), True),
    }


RATES = (
    "a rate is the fall of ln(error) per step; early and late: the halves of the last seven eighths of the range in "
    f"which {SEEN} or more runs are wrong"
)


def study() -> Study:
    return Study(
        "error-decay",
        "The theorem of error probability: exponential decay (%)",
        [bandit_cell(problem, name, rule, PULLS) for problem in BANDITS for name, rule in rules(problem).items()],
        RUNS,
        percent=True,
        notes=(
            RATES,
            "BAI.1 has bounded rewards, as the theorem requires; BAI.5 has normal ones, as the paper runs it",
            f"Table 1's settings on BAI.1, those of the ablation on BAI.5; temperature {HOT:g} and Uniform are for "
            "comparison",
        ),
        findings=findings,
        figure=ERROR,
        place="Theorem of error probability (thm:VarDE-bai-error-prob)",
    )


def tree_study() -> Study:
    tree, cells = synthetic_tree(BRANCHING, DEPTH), []
    for name, (algorithm, as_run) in tree_rules().items():
        steps = SOON if as_run else TRIALS
        measure = partial(wrong_moves, algorithm, tree._replace(credit_landing=as_run), as_run, steps)
        setting = f"{describe(algorithm)}, credit_landing={as_run}, keep={as_run}"
        cells.append(Cell(READINGS[as_run], name, setting, steps, measure))
    return Study(
        "error-decay-trees",
        "The corollary of error probability in trees: exponential decay (%)",
        cells,
        TREE_RUNS,
        block=100,
        percent=True,
        notes=(
            RATES,
            f"the tree: {BRANCHING} actions, depth {DEPTH}, normal leaves of deviation 0.5, moves go astray half of "
            "the time; as in the paper, but smaller, so that errors can be followed down to 1 %",
            "VarDE as printed: one node a trial, credit to the action taken; as-run: trajectories kept, credit "
            f"to the child landed on; temperature {TREE_TEMPERATURE:g} and floor {TREE_FLOOR:g} are the paper's there, "
            f"{HOT:g} is ours",
        ),
        findings=findings,
        figure=Figure(across="simulations", up="wrong moves (%)", log=True),
        place="Corollary of error probability (cor:VarDE-mcts-error-prob)",
    )


SLOW = (
    "the best arm or move, unlucky at first, gets exp(-2 gap/tau) of the weight: how long it waits grows exponentially "
    "in its bad luck, which turns an exponential tail into a power of T; the theorem's rate c depends on exp(-2/tau) "
    "and would show only at T far beyond exp(1/tau)"
)


def findings(rows: Rows) -> list[str]:
    return [exponential(rows, *curve) for curve in dict.fromkeys((row.problem, row.algorithm) for row in rows)]


def exponential(rows: Rows, problem: str, name: str) -> Claim:
    """Whether ln(error) falls late as fast as early."""
    claim = f"'error at most C exp(-cT)' on {problem} by {name}"
    beyond = name == "Uniform" or name.endswith(f"{HOT:g}")
    steps = [row.step for row in rows if (row.problem, row.algorithm) == (problem, name)]
    wrong = rows.curves([(problem, name)])[problem, name].astype(float)
    shares = wrong.mean(axis=0)
    seen = np.flatnonzero(wrong.sum(axis=0) >= SEEN)
    last = int(seen[-1]) if seen.size else 0
    early = [i for i in seen.tolist() if steps[i] >= steps[last] / 8]
    if len(early) < 3:
        where = ", ".join(f"{100.0 * shares[i]:.2g} % at {steps[i]:,}" for i in (0, -1))
        return Claim(claim, OPEN, f"too few errors to follow: {where}", "", beyond)
    first = early[0]
    middle = min(early[1:-1], key=lambda i: abs(2 * steps[i] - steps[first] - steps[last]))
    logs = {i: logarithm(wrong[:, i]) for i in (first, middle, last)}
    soon = (logs[first] - logs[middle]) / (steps[middle] - steps[first])
    late = (logs[middle] - logs[last]) / (steps[last] - steps[middle])
    points = ", ".join(f"{100.0 * shares[i]:.2g} % at {steps[i]:,}" for i in (first, middle, last))
    if shares[last] >= shares[first] or soon.mean() <= 0.0:
        return Claim(claim, FAILS, f"{points}: it does not fall", SLOW, beyond)
    scale = float(soon.mean())
    # It falls at all, and late no slower.
    word, evidence = all_of({"fall": soon / scale, "late rate": (late - SLOWER * soon) / scale})
    numbers = f"{points}: late rate {late.mean() / scale:.2f} of the early one; {evidence}"
    return Claim(claim, word, numbers, SLOW if word == FAILS else "", beyond)
