"""The studies of tree search: readings, rows, what is counted of them."""

from dataclasses import replace

import pytest

from varde.paper import GROUPS, STUDIES, Reading, synthetic_trees
from varde.paper.answers import Lead
from varde.paper.grid_worlds import FROZEN_LAKE
from varde.paper.reading import COMBINATIONS, LEADING, LITERAL, PRINTED
from varde.paper.tree_search import (
    AGAIN,
    AS_PRINTED,
    BY_VALUE,
    OWN,
    RIVALS,
    ROLLOUT,
    STEPS,
    WIDER,
    first_from,
    held_search,
)
from varde.planning import BTS, MENTS, TENTS, UCT, GapTree, Search
from varde.random import key, stream
from varde.studies import run

# -- readings ------------------------------------------------------------------------------------------


def test_a_reading_is_the_same_for_every_algorithm():
    reading = Reading(sampled=False, visits=True)
    assert reading.of(BTS(2.0, 0.1)) == BTS(2.0, 0.1, sampled=False, recommend_visits=True)
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
            FROZEN_LAKE.varde(reading), world.model, world.start, 10, keep=reading.keep, pending=threads, engine=engine
        )
        search.run(41, stream(key(1)))
        assert search.trials == 41 and (search.tree.edges["pending"] == 0).all()
        found.append([array[:used].tolist() for array, used in zip(search.tree[:3], search.tree.used, strict=False)])
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


def test_every_row_has_rivals_that_expand_as_it_does():
    assert GROUPS["mcts"][:4] == ("sailing", "taxi", "frozen-lake", "synthetic-tree")
    for name in GROUPS["mcts"][:3]:
        study = STUDIES[name]()
        names = {cell.algorithm: cell for cell in study.cells}
        assert study.runs >= 100 and {OWN, AS_PRINTED, BY_VALUE} < set(names) and (WIDER in names) == (name != "taxi")
        for ending, ours in (("", OWN), (ROLLOUT, AS_PRINTED)):
            keeps = {f"keep={not ending}" in names[one].setting for one in (ours, *(r + ending for r in RIVALS))}
            assert keeps == {True}
    for name in GROUPS["mcts"][4:]:
        study = STUDIES[name]()
        some = [cell.algorithm for cell in study.cells if not cell.problem.endswith(AGAIN)]
        assert study.runs >= 50 and some == [reading.label for reading in COMBINATIONS]
        assert len(study.cells) == (1 if name.startswith("taxi") else 2) * len(some)
    trees = {cell.algorithm: cell for cell in STUDIES["synthetic-tree"]().cells}
    for ending, ours in (("", synthetic_trees.LED), (ROLLOUT, synthetic_trees.AS_PRINTED)):
        assert {f"keep={not ending}" in trees[one].setting for one in (ours, *(r + ending for r in RIVALS))} == {True}


def test_frozen_lake_from_end_to_end():
    study, some = STUDIES["frozen-lake"](), ("UCT", OWN, "UCT, rollout", AS_PRINTED)
    rows = run(replace(study, cells=[c for c in study.cells if c.algorithm in some], block=1), 2)
    assert len(rows) == 4 * len(STEPS) and all(0.0 <= row.value <= 0.458628 for row in rows)
    assert study.figure.best == pytest.approx(0.4586, abs=1e-4)


def test_synthetic_trees_from_end_to_end():
    study = STUDIES["synthetic-tree"]()
    some = [c for c in study.cells if c.problem == "k=16, d=1" and c.algorithm in ("UCT", synthetic_trees.LED)]
    rows, steps = run(replace(study, cells=some), 2), synthetic_trees.STEPS
    assert len(rows) == 2 * 2 * len(steps)
    first, last = (next(r for r in rows if r.algorithm == "UCT" and r.step == step) for step in (steps[0], steps[-1]))
    assert last.value < first.value


def test_from_where_on_a_row_leads():
    steps = (1, 2, 3)
    for means, first in (((1, 1, 1, 1, 1, 1), 1), ((1, 1, -1, 1, 1, 1), 3), ((1, 1, 1, 1, 1, 0), None)):
        assert first_from([Lead("", mean, 0.1) for mean in means], steps) == first
