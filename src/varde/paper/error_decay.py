"""Theorem 4.5, Theorem 4.7 and Corollary 4.8: errors fall exponentially, C exp(-cT).

An exponential falls at one rate: the rate at which ln(error) falls late is that at which it fell early, over the last
factor of eight of the range in which errors are still seen; a power of T would fall a third as fast late.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..bandits import Uniform
from ..beliefs.noise import Floor
from ..decisions import LogSumExp
from ..environments.synthetic_tree import (
    descend,
    no_reward_on_the_way,
    num_children,
    root_values,
    synthetic_tree,
)
from ..planning import Search
from ..planning.measure import search_block
from ..planning.trial import recommend
from ..random import uniform
from ..rule import VarDE
from ..studies.bandit_cells import ERROR, bandit_cell, describe
from ..studies.figure import Figure
from ..studies.study import Cell, Study, find
from ..worlds.record import expected_reward, final_reward, num_actions, step
from .answers import FEW, Answer, Rows, of_parts, steps_of
from .bandits import FLOOR, TEMPERATURES, warm_start
from .reading import PRINTED


class CoinTree(NamedTuple):
    """As ``SyntheticTree``, the reward of a leaf being 1 with the probability of its mean and 0 otherwise."""

    means: np.ndarray  # [leaves] in [0, 1]
    branching: int
    inner: int
    intended: float


def coin_tree(branching: int, depth: int) -> tuple[CoinTree, np.ndarray]:
    """The tree, and [k] Q* of its root."""
    tree = synthetic_tree(branching, depth)
    return CoinTree(tree.means, tree.branching, tree.inner, tree.intended), root_values(tree)


# A move is that of a synthetic tree; only what a leaf pays differs.
num_actions.of(CoinTree)(num_children)
step.of(CoinTree)(descend)
expected_reward.of(CoinTree)(no_reward_on_the_way)


@final_reward.of(CoinTree)
def toss(tree, state, rng):
    return 1.0 if uniform(rng) < tree.means[state - tree.inner] else 0.0


RUNS, TREE_RUNS = 10_000, 4_000
PULLS = tuple(range(250, 8001, 250))
TRIALS = (*range(20, 200, 20), *range(200, 2001, 100))
BANDITS = ("BAI.1", "BAI.2")  # rewards in [0, 1], as the theorem supposes
BRANCHING, DEPTH = 4, 2
HOT = 0.5  # a temperature at which no weight is small
TREE_TEMPERATURE, TREE_FLOOR = 0.1, 0.001  # the paper's for synthetic trees
OFF = 0.1  # eps of Theorem 4.7
VALUE = f"value off by {OFF:g}"
TREE = "Tree with coins for leaves"

SEEN = 20  # wrong runs: with fewer, a rate is noise
SLOWER = 0.5  # the late rate over the early one: 1 for an exponential, 0.38 for a power of T


def rules(problem: str) -> dict[str, Any]:
    found: dict[str, Any] = {"Uniform": Uniform()}
    for tau in (*TEMPERATURES, HOT):
        found[f"VarDE {tau:g}"] = VarDE(LogSumExp(tau), Floor(FLOOR), warm_start(problem))
    return found


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
        notes=(RATES, f"Table 1's settings; temperature {HOT:g} and Uniform are for comparison"),
        figure=ERROR,
        place="Theorem of error probability (thm:VarDE-bai-error-prob)",
        quick=1_000,
    )


def wrong_moves(algorithm: Any, steps: Sequence[int], key: np.ndarray, first: int, runs: int) -> np.ndarray:
    """[runs, steps x (1 where the move is not the best, 1 where the value of the root is off by more than OFF)]."""
    tree, best = coin_tree(BRANCHING, DEPTH)
    search = Search(algorithm, tree, 0, DEPTH, keep=PRINTED.keep)
    right, value = int(np.argmax(best)), float(best.max())
    move = search_block(
        search,
        np.array(steps),
        key,
        first,
        runs,
        lambda rng: (
            float(search.view.edges.action[recommend(search.algorithm, search.view, 0, rng)] != right)
            + 2.0 * (abs(search.tree.nodes["value"][0] - value) > OFF)
        ),
    ).astype(np.int64)
    return np.stack([move % 2, move // 2], axis=2).reshape(runs, -1)


def tree_study() -> Study:
    cells = []
    for tau in (TREE_TEMPERATURE, HOT):
        algorithm = PRINTED.varde(tau, TREE_FLOOR)
        measure = partial(wrong_moves, algorithm, TRIALS)
        cells.append(Cell(TREE, f"VarDE {tau:g}", f"{describe(algorithm)}, keep=False", TRIALS, measure, ("", VALUE)))
    return Study(
        "error-decay-trees",
        "Values and moves of the tree search: exponential decay (%)",
        cells,
        TREE_RUNS,
        block=100,
        percent=True,
        notes=(
            RATES,
            f"the tree: {BRANCHING} actions, depth {DEPTH}, leaves that pay 0 or 1, moves go astray half of the time",
            "VarDE-MCTS as printed; temperature "
            f"{TREE_TEMPERATURE:g} and floor {TREE_FLOOR:g} are the paper's for synthetic trees, {HOT:g} is ours",
        ),
        figure=Figure(across="simulations", log=True, apart={"": "wrong moves (%)", VALUE: f"{VALUE} or more (%)"}),
        place="Theorem 4.7 and Corollary 4.8 (cor:VarDE-mcts-error-prob)",
        quick=200,
    )


# -- what the runs say -----------------------------------------------------------------------------------


def late_rate(rows: Rows, problem: str, name: str) -> tuple[float | None, str]:
    """The late rate over the early one, None if too few errors are left to tell; and the points in words."""
    steps = steps_of(rows, problem, name)
    some = [find(rows, problem, name, step) for step in steps]
    shares = np.array([row.value / 100.0 for row in some])
    seen = np.flatnonzero([round(row.value / 100.0 * row.runs) >= SEEN for row in some])
    last = int(seen[-1]) if seen.size else 0
    range_ = [i for i in seen.tolist() if steps[i] >= steps[last] / 8]
    if len(range_) < 3:
        return None, f"{100.0 * shares[-1]:.2g} % at {steps[-1]:,}"
    first = range_[0]
    middle = min(range_[1:-1], key=lambda i: abs(2 * steps[i] - steps[first] - steps[last]))
    soon, late = (np.log(shares[a] / shares[b]) / (steps[b] - steps[a]) for a, b in ((first, middle), (middle, last)))
    points = ", ".join(f"{100.0 * shares[i]:.2g} % at {steps[i]:,}" for i in (first, middle, last))
    falls = soon > 0.0 and 2.0 * shares[last] <= shares[first]  # the rate of what hardly falls is noise
    return (float(late / soon) if falls else 0.0), points


def decays(problems: Sequence[str], temperatures: Sequence[float], ending: str = "") -> Callable[[Rows], Answer]:
    """Whether errors fall late at half of the early rate or more."""

    def answer(rows: Rows) -> Answer:
        told, met = [], []
        for problem in problems:
            for tau in temperatures:
                ratio, points = late_rate(rows, problem, f"VarDE {tau:g}{ending}")
                met += [] if ratio is None else [ratio >= SLOWER]
                rate = "too few errors" if ratio is None else f"{ratio:.2f}"
                told.append(f"{problem}, tau {tau:g}: {rate} ({points})")
        if not met:
            return Answer(FEW, "; ".join(told))
        what = f"at least halved, and late rate over early rate {SLOWER:g} or more, in {sum(met)} of {len(met)}"
        return Answer(of_parts("limit", met), f"{what}: {'; '.join(told)}")

    return answer


error_falls = decays(BANDITS, (*TEMPERATURES, HOT))
moves_get_better = decays((TREE,), (TREE_TEMPERATURE, HOT))
values_concentrate = decays((TREE,), (TREE_TEMPERATURE, HOT), f": {VALUE}")
