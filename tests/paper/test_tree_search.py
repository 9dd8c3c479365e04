"""The studies of tree search: rows, findings, figures."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from varde.paper import GROUPS, STUDIES
from varde.paper.grid_worlds import FROZEN_LAKE
from varde.paper.synthetic_trees import STEPS, lowest_error
from varde.paper.tree_search import AS_RUN, AUTO, KEPT, READINGS, TEXT, held_search, highest_throughout
from varde.planning import MENTS, TENTS
from varde.studies import run
from varde.studies.figure import panels

from ..studies.results import rows_from


def measured(study, runs, threads=2):
    with ThreadPoolExecutor(threads) as pool:
        return run(study, runs, 0, pool)


def test_the_group_holds_the_four_studies_in_tree_and_graph():
    assert GROUPS["mcts"] == ("sailing", "taxi", "frozen-lake", "synthetic-tree")
    for name in GROUPS["mcts"]:
        study = STUDIES[name]()
        problems = {cell.problem for cell in study.cells}
        assert {p for p in problems if not p.endswith(", graph")} == {p[:-7] for p in problems if p.endswith(", graph")}
        for problem in problems:
            names = [cell.algorithm for cell in study.cells if cell.problem == problem]
            assert names == ["UCT", "MENTS", "RENTS", "TENTS", "DENTS", "BTS", TEXT, KEPT, AS_RUN, AUTO]


def test_frozen_lake_from_end_to_end():
    pytest.importorskip("matplotlib")
    study = STUDIES["frozen-lake"]()
    study = replace(study, cells=[c for c in study.cells if c.algorithm in ("BTS", *READINGS)], block=1)
    rows = measured(study, 1)
    assert len(rows) == 10 * 30
    assert all(0.0 < row.value <= 0.458628 for row in rows)
    best = [row for row in rows if row.algorithm == AUTO and row.problem == "FrozenLake, graph"][-1]
    assert best.value > 0.44  # V* is 0.4586
    said = study.findings(rows)
    assert len(said) == 8 and all("too few runs: 1" in line for line in said)
    assert [panel.title for panel in panels(study.figure, rows)] == ["FrozenLake", "FrozenLake, graph"]
    assert study.figure.best == pytest.approx(0.4586, abs=1e-4)


def test_synthetic_trees_from_end_to_end():
    study = STUDIES["synthetic-tree"]()
    kept = ("UCT", *READINGS)  # each algorithm is compiled anew for these trees
    study = replace(study, cells=[c for c in study.cells if c.problem == "k=16, d=1, graph" and c.algorithm in kept])
    rows = measured(study, 10)
    assert len(rows) == 5 * len(STEPS)
    assert len(study.findings(rows)) == 4
    first, last = (next(r for r in rows if r.algorithm == TEXT and r.step == step) for step in (STEPS[0], STEPS[-1]))
    assert last.value < first.value


def test_a_thread_does_not_mistake_one_algorithm_for_another():
    """MENTS(0.1, 0.25) and TENTS(0.1, 0.25) are the same tuple: the search held for one is not that of the other."""
    ments, tents = (make(0.1, 0.25) for make in (MENTS, TENTS))
    assert tuple(ments) == tuple(tents)
    for algorithm in (ments, tents, ments):
        assert type(held_search(algorithm, FROZEN_LAKE, True, False)[0].algorithm) is type(algorithm)


def made_up(means, runs=100):
    rng = np.random.default_rng(0)
    return {("P", name): np.array(row) + 0.1 * rng.normal(size=(runs, len(row))) for name, row in means.items()}


@pytest.mark.parametrize(
    ("mine", "word"),
    [([3.0, 3.0, 3.0], "holds"), ([2.0, 2.0, 2.1], "undecided"), ([3.0, 3.0, 1.0], "does not hold")],
)
def test_the_claim_is_one_test_of_all_checkpoints(mine, word):
    rows = rows_from(made_up({"UCT": [2.0, 2.0, 2.0], "BTS": [1.0, 1.0, 1.9], TEXT: mine}), (1, 2, 3))
    claim = highest_throughout(rows, "P", TEXT, 5.0)
    assert claim.holds == word and "of 6 comparisons" in claim and (claim.reason != "") == (word == "does not hold")


@pytest.mark.parametrize(("value", "word"), [(0.1, "holds"), (0.5, "undecided"), (0.9, "does not hold")])
def test_the_lowest_error_is_judged_at_the_end(value, word):
    means = {"UCT": [0.5], "BTS": [0.6]} | {name: [value] for name in READINGS}
    assert [claim.holds for claim in lowest_error(rows_from(made_up(means, 25), STEPS[-1:]))] == [word] * 4
