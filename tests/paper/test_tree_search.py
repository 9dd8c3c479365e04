"""The studies of tree search: readings, rows, what is counted of them."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from varde.paper import GROUPS, STUDIES, Reading, planner_tuning
from varde.paper.grid_worlds import FROZEN_LAKE
from varde.paper.reading import COMBINATIONS, LEADING, LITERAL, PRINTED
from varde.paper.synthetic_trees import FORMS, STEPS
from varde.paper.tree_search import AS_PRINTED, OWN, RIVALS, SPARSE, factor_lines, first_from, held_search
from varde.planning import BTS, MENTS, TENTS, UCT, GapTree, Search
from varde.random import key, stream
from varde.studies import run

from ..studies.results import made_runs, rows_from


def measured(study, runs, threads=2):
    with ThreadPoolExecutor(threads) as pool:
        return run(study, runs, 0, pool)


# -- readings ------------------------------------------------------------------------------------------


def test_a_reading_is_the_same_for_every_algorithm():
    reading = Reading(sampled=False, untried=-3.0, visits=True)
    assert reading.of(BTS(2.0, 0.1)) == BTS(2.0, 0.1, -3.0, sampled=False, recommend_visits=True)
    assert reading.of(UCT(2.0)).recommend_visits and not LEADING._replace(visits=False).of(UCT(2.0)).recommend_visits
    assert not reading.varde(1.0, 0.1).sampled and reading.varde(1.0, 0.1).recommend_visits
    assert UCT() == PRINTED.of(UCT())  # most visited, unless the reading says otherwise
    with pytest.raises(TypeError, match="write UCT, MENTS"):
        reading.of(GapTree())


def test_seventeen_combinations_of_factors():
    assert len({reading.label for reading in COMBINATIONS}) == 17
    assert PRINTED in COMBINATIONS and LEADING in COMBINATIONS and PRINTED._replace(literal=True) == LITERAL
    assert PRINTED.label == "w^2, max, rollout, N" and LEADING.label == "w, mean, kept, N-1"


@pytest.mark.parametrize("reading", [LEADING, PRINTED, LITERAL], ids=lambda reading: reading.label)
@pytest.mark.parametrize("threads", [1, 4])
def test_both_engines_find_the_same_under_every_reading(reading, threads):
    found = []
    for engine in ("python", "compiled"):
        world = FROZEN_LAKE.make()
        search = Search(
            FROZEN_LAKE.varde(reading), world.model, world.start, 10, keep=reading.keep, lanes=threads, engine=engine
        )
        search.run(41, stream(key(1)))
        assert search.trials == 41 and (search.tree.edges["pending"] == 0).all()
        found.append([array[:used].tolist() for array, used in zip(search.tree[:3], search.tree.used, strict=True)])
    assert found[0] == found[1]


@pytest.mark.parametrize("algorithm", [MENTS(0.1, 0.5), BTS(0.1, 0.5)], ids=str)
def test_sampled_rewards_are_those_that_were_seen(algorithm):
    """At a node above the horizon: Q is the mean of reward and value over what followed."""
    world = FROZEN_LAKE.make()
    search = held_search(algorithm._replace(sampled=True), FROZEN_LAKE, True)[0]
    search.restart()
    search.run(500, stream(key(2)))
    tree, checked = search.tree, 0
    for edge in range(int(tree.used[1])):
        count, outcome, total = tree.edges["count"][edge], int(tree.edges["outcome"][edge]), 0.0
        while outcome:
            row = tree.outcomes[outcome]
            total += row["times"] * (row["reward"] + tree.nodes["value"][row["child"]])
            outcome = int(row["next"])
        if count:
            assert tree.edges["q"][edge] == pytest.approx(total / count)
            checked += 1
    assert checked > 300 and world.start == search.start


def test_a_thread_does_not_mistake_one_algorithm_for_another():
    """MENTS(0.1, 0.25) and TENTS(0.1, 0.25) are the same tuple: the search held for one is not that of the other."""
    ments, tents = (make(0.1, 0.25) for make in (MENTS, TENTS))
    assert tuple(ments) == tuple(tents)
    for algorithm in (ments, tents, ments):
        assert type(held_search(algorithm, FROZEN_LAKE, True)[0].algorithm) is type(algorithm)


# -- studies -------------------------------------------------------------------------------------------


def test_the_studies_of_the_group():
    assert GROUPS["mcts"][:4] == ("sailing", "taxi", "frozen-lake", "synthetic-tree")
    for name in GROUPS["mcts"][:3]:
        assert [cell.algorithm for cell in STUDIES[name]().cells] == [*RIVALS, OWN, AS_PRINTED]
    for name in GROUPS["mcts"][4:]:
        names = [cell.algorithm for cell in STUDIES[name]().cells]
        assert names[:17] == [reading.label for reading in COMBINATIONS] and {*RIVALS, "UCT, by value"} < set(names)
        assert f"{LEADING.label}, four threads" in names and any(name.startswith("MENTS, untried -") for name in names)


def test_frozen_lake_from_end_to_end():
    study = STUDIES["frozen-lake"]()
    rows = measured(replace(study, cells=study.cells[5:], block=1), 2)
    assert len(rows) == 3 * 30 and all(0.0 <= row.value <= 0.458628 for row in rows)
    [answer] = study.findings(rows)
    assert answer.number == 32 and "of 30 comparisons" in answer.words
    assert study.figure.best == pytest.approx(0.4586, abs=1e-4)


def test_synthetic_trees_from_end_to_end():
    study = STUDIES["synthetic-tree"]()
    some = [c for c in study.cells if c.problem == "k=16, d=1" and c.algorithm in ("UCT", next(iter(FORMS)))]
    rows = measured(replace(study, cells=some), 5)
    assert len(rows) == 2 * 2 * len(STEPS)
    first, last = (next(r for r in rows if r.algorithm == "UCT" and r.step == step) for step in (STEPS[0], STEPS[-1]))
    assert last.value < first.value


def test_from_where_on_a_row_leads():
    steps = (1, 2, 3)
    assert first_from(np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]), steps) == 1
    assert first_from(np.array([[1.0, -1.0, 1.0], [1.0, 1.0, 1.0]]), steps) == 3
    assert first_from(np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 0.0]]), steps) is None


def test_the_factor_table_says_who_is_ahead():
    means = {("Taxi", name): [0.0] * len(SPARSE) for name in RIVALS}
    means |= {("Taxi", reading.label): [-1.0] * len(SPARSE) for reading in COMBINATIONS}
    means["Taxi", LEADING.label] = [-1.0, *[1.0] * 7]
    means |= {("Taxi", f"{name}, rollout"): [-2.0] * len(SPARSE) for name in RIVALS}
    lead, every, alike = factor_lines("Taxi", rows_from(made_runs(means, 4, 0.0), SPARSE))
    assert "w^2, max, rollout, N 48" in alike and "kept" not in alike
    assert "'w, mean, kept, N-1' is ahead in 42 of 48 comparisons, of all from 2,000 on" in lead
    assert "as printed in 0, with literal counts in 0" in lead and "w, mean, kept, N-1 42 (first from 2,000)" in every


def test_tuned_planners_are_reported_from_runs_that_did_not_choose_them():
    names = [("FrozenLake", name) for name in ("UCT, bias 1", "UCT, bias 2", "VarDE, tau 1", "BTS, tau 1")]
    values = {name: np.full((8, 6), 0.1 * i) for i, name in enumerate(names)}
    values[names[0]][:4] = 0.9  # chosen by luck in the first half
    values |= {("Sailing", name): some for (_, name), some in list(values.items())}
    first, line, _ = planner_tuning.selected(rows_from(values, planner_tuning.STEPS))
    assert "UCT, bias 1: 0 / 0" in line and "BTS has the highest value" in line
    assert "on FrozenLake BTS with 0.3 ± 0 (VarDE 0.2 ± 0) and on Sailing BTS" in first
