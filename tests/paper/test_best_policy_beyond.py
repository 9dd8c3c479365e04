"""The study beyond the paper's rivers: who runs where, what is measured, what is said of it."""

import numpy as np

from varde.environments import deep_sea
from varde.learning import EpsilonQ, measure
from varde.paper import GROUPS
from varde.paper.best_policy_agents import MODEL
from varde.paper.best_policy_beyond import (
    OWN,
    QUANTITIES,
    RIVALS,
    START,
    WORLDS,
    both_measures,
    shown,
    standing,
    steps_of,
    study,
)
from varde.random import key

from ..studies.results import rows_from


def test_every_agent_runs_in_every_world_that_it_can_do():
    made, ran = study(), {}
    for cell in made.cells:
        ran.setdefault(cell.problem, []).append(cell.algorithm)
        assert cell.steps[-1] == WORLDS[cell.problem].budget and shown(cell.steps)[0] * 4 <= cell.steps[-1]
    assert list(ran) == list(WORLDS) and all(names[:2] == list(OWN.values()) for names in ran.values())
    assert ran["Garnet 20x3"][2:] == list(RIVALS)
    assert not {"MDP-NaS", "O-BPI"} & set(ran["FrozenLake 4x4"]) and "PSRL" in ran["FrozenLake 4x4"]
    assert "PSRL" not in ran["Four rooms 21"] and "UCBVI" in ran["Garnet 500x4, sparse"]


def test_small_worlds_have_curves_and_large_ones_three_points():
    assert steps_of(5_000, 104) == tuple(range(500, 5_001, 500)) and steps_of(20_000, 404) == (5_000, 10_000, 20_000)
    assert shown(steps_of(5_000, 104)) == (1_000, 5_000) and shown(steps_of(20_000, 404)) == (5_000, 20_000)


def test_it_is_not_part_of_the_paper():
    assert "bpi-beyond" in GROUPS["further"] and "bpi-beyond" not in GROUPS["all"]
    assert study().place == ""


def test_both_measures_come_from_the_same_runs():
    world = deep_sea(4, seed=1)
    found = both_measures(EpsilonQ(), world, (100, 200), "all", True, key(0, "score-agent"), 0, 3)
    assert found.shape == (3, 2 * len(QUANTITIES))
    for column, (report, objective) in enumerate(
        (report, objective) for objective in ("all", "start") for report in ("own", "model")
    ):
        values = measure(EpsilonQ(), world, 200, runs=3, at=[100], report=report, objective=objective).values
        assert np.array_equal(found[:, column :: len(QUANTITIES)], np.clip(values, 0.0, 1.0))


def test_what_is_said_follows_the_runs():
    rng = np.random.default_rng(0)
    mine, rival = OWN["all"], f"UCBVI: {MODEL}"
    means = {("a lake", mine): 0.85, ("a lake", "UCBVI"): 0.2, ("a lake", rival): 0.95}
    means |= {("a sea", mine): 0.9, ("a sea", rival): 0.8, ("a lock", mine): 0.9, ("a lock", rival): 0.9}
    means |= {("a lake", f"{OWN['start']}: {START}"): 0.8, ("a lake", f"UCBVI: {START}, {MODEL}"): 0.7}
    runs = {key: mean + 0.02 * rng.normal(size=(30, 2)) for key, mean in means.items()}
    runs["a wood", mine] = runs["a wood", rival] = np.ones((30, 2))
    said = standing(rows_from(runs, (100, 500)))
    assert len(said) == 2 and "ahead in 2, level within 0.01 in" in said[0] and "clearly behind in 2 of 8" in said[0]
    assert ": a lake at 100 by 0.1" in said[0] and "ahead in 2" in said[1] and "behind in 0 of 2" in said[1]
