"""The figure of synthetic trees (fig:mcts2): error of the value reported for the root, by credit and by report."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..environments import SyntheticTree, synthetic_tree
from ..environments.synthetic_tree import root_value
from ..planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, Search
from ..planning.measure import search_block
from ..studies.bandit_cells import describe
from ..studies.figure import Figure
from ..studies.study import Cell, Study, find
from .answers import Answer, Lead, Rows, counted, leads, of_parts, problems_of
from .reading import LEADING, PRINTED, Reading
from .tree_search import ROLLOUT

SIZES = ((16, 1), (14, 3), (16, 4), (200, 2))
TREES = 5  # random trees of each size
RUNS = 25  # of all five trees: the paper has five runs of each
STEPS = tuple(range(20, 1001, 20))
CREDITS = {"": False, ", credit to the child": True}
BEST = "best action"  # the other report: the value of the recommended action
TEMPERATURE, FLOOR = 0.1, 0.001
FAILS = 0.9  # of the error: how "fail to reduce" is read

RIVALS: dict[str, Any] = {
    "UCT": UCT(0.1),
    "MENTS": MENTS(0.1, 0.5, per_action=True),
    "RENTS": RENTS(0.2, 0.5, per_action=True, prior=False),
    "TENTS": TENTS(0.5, 0.5, per_action=True),
    "DENTS": DENTS(0.1, 0.5, per_action=True),
    "BTS": BTS(0.1, 0.25, per_action=True),
}
FORMS = {
    f"VarDE {reading.label}": reading
    for reading in (
        PRINTED,
        *(
            Reading(power, mean, keep=True, ddof=int(mean))
            for mean in (False, True)
            for power in (2.0, 1.0)
        ),
    )
}  # fmt: skip
AS_PRINTED, LED = f"VarDE {PRINTED.label}", f"VarDE {LEADING.label}"


@functools.cache
def tree_of(branching: int, depth: int, seed: int) -> tuple[SyntheticTree, float]:
    """A tree and the value of its root."""
    tree = synthetic_tree(branching, depth, seed)
    return tree, root_value(tree)


def best_q(search: Search) -> float:
    """The highest value of an action that was tried at the root."""
    edges = search.tree.edges[search.edges()]
    return float(edges["q"][edges["count"] > 0].max())


def root_errors(
    algorithm: Any,
    size: tuple[int, int],
    landing: bool,
    keep: bool,
    steps: Sequence[int],
    key: np.ndarray,
    first: int,
    runs: int,
) -> np.ndarray:
    """[runs, steps x (own value, value of the best action)] |V_t - V*|, a run being a search of each tree.

    So errors are of these five trees, as the paper's are; trees of other seeds are further apart than runs.
    """
    errors = np.zeros((runs, len(steps), 2))
    for number in range(TREES):
        tree, best = tree_of(*size, number)
        search = Search(algorithm, tree._replace(credit_landing=landing), 0, size[1], keep=keep)
        for row in range(runs):
            other: list[float] = []

            def own(rng: np.ndarray, search: Search = search, other: list[float] = other) -> float:
                other.append(best_q(search))
                return float(search.tree.nodes["value"][0])

            stream = (first + row) * TREES + number
            errors[row, :, 0] += abs(search_block(search, np.array(steps), key, stream, 1, own) - best)[0] / TREES
            errors[row, :, 1] += np.abs(np.array(other) - best) / TREES
    return errors.reshape(runs, -1)


def study() -> Study:
    cells = []
    for size in SIZES:
        for ending, landing in CREDITS.items():
            rows = {name: (rival, True) for name, rival in RIVALS.items()}
            rows |= {f"{name}{ROLLOUT}": (rival, False) for name, rival in RIVALS.items()}
            rows |= {name: (form.varde(TEMPERATURE, FLOOR), form.keep) for name, form in FORMS.items()}
            for name, (algorithm, keep) in rows.items():
                setting = f"{describe(algorithm)}, credit_landing={landing}, keep={keep}"
                measure = partial(root_errors, algorithm, size, landing, keep, STEPS)
                cells.append(Cell(size_name(size, ending), name, setting, STEPS, measure, ("", BEST)))
    return Study(
        "synthetic-tree",
        "Synthetic trees: error of the root value",
        cells,
        RUNS,
        block=5,
        notes=(
            "a run is the mean of one search of each of 5 trees; edge weights uniform in [0, 1)",
            "exploration coefficient times the number of actions: lambda = min(1, c k / ln(N + 1))",
            "a return is credited to the action chosen or to the child landed on, for every algorithm alike",
            "kept trajectories, or one node a trial and random play ('rollout'), for every algorithm alike",
            "own value: mean return (UCT, VarDE mean), soft value (MENTS, RENTS, TENTS), highest Q (the rest); "
            f"'{BEST}': the value of the action that is best at the root",
            "RENTS without a prior: a node's actions have nothing in common with its parent's",
        ),
        figure=Figure(
            across="simulations",
            up="error of the root value",
            log=True,
            apart={"": "error of own value"},
            shown=(AS_PRINTED, LED, *RIVALS),
        ),
        place="Figure (fig:mcts2)",
        quick=1,
        quick_problems=(size_name(SIZES[0]), size_name(SIZES[-1])),
    )


def size_name(size: tuple[int, int], ending: str = "") -> str:
    return f"k={size[0]}, d={size[1]}{ending}"


def comparisons(rows: Rows, form: str, ending: str, report: str = "") -> list[Lead]:
    """At the end, against the rivals that expand as it does, on every size measured; credit to the action chosen."""
    more = f": {report}" if report else ""
    return [
        one._replace(name=f"{one.name} on {size_name(size)}")
        for size in SIZES
        if size_name(size) in problems_of(rows, form)
        for one in leads(rows, form + more, [f"{rival}{ending}{more}" for rival in RIVALS], size_name(size), -1.0)
    ]


def lowest_error(rows: Rows) -> Answer:
    """As printed and under the leading reading, each against rivals under the same, on every size."""
    printed, led = (counted(comparisons(rows, form, end)) for form, end in ((AS_PRINTED, ROLLOUT), (LED, "")))
    other = counted(comparisons(rows, LED, "", BEST))
    return Answer(
        printed.grade,
        f"own values, four sizes: as printed {printed.words}; under the reading '{LEADING.label}' {led.words}; if "
        f"every "
        f"algorithm reports the value of its best action instead, the latter is {other.words.partition(';')[0]}",
        led.grade,
    )


def unstable(rows: Rows) -> Answer:
    """Error at 1,000 over that at 100 simulations, on the widest trees: of rivals, and of VarDE under the same reading.

    A property that VarDE's own row shares is not one by which its rivals fail.
    """
    problem, told, met = size_name(SIZES[-1]), [], []
    for how, form, ending in (("as printed", AS_PRINTED, ROLLOUT), ("under the leading reading", LED, "")):
        names = {"VarDE": form, **{rival: f"{rival}{ending}" for rival in RIVALS}}
        late = {one: find(rows, problem, name).value for one, name in names.items()}
        shares = {one: late[one] / find(rows, problem, name, 100).value for one, name in names.items()}
        failing = [rival for rival in RIVALS if shares[rival] >= FAILS]
        met.append(len(failing) >= 2 and shares["VarDE"] < FAILS)
        listed = ", ".join(f"{one} {share:.2f} (error {late[one]:.2f})" for one, share in shares.items())
        told.append(f"{how} {len(failing)} of {len(RIVALS)} rivals fail: {listed}")
    return Answer(
        of_parts("picture", met),
        f"error at 1,000 over error at 100 simulations, {FAILS:g} or more being a failure: {'; '.join(told)}. The test "
        "does not tell accurate from inaccurate",
    )
