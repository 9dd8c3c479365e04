"""The study beyond the paper's rivers: who runs where, what is measured, what is said of it."""

import numpy as np

from varde.environments import deep_sea
from varde.experiments.study import Outcome
from varde.learning import EpsilonQ, measure
from varde.paper import GROUPS, STUDIES
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
    assert "bpi-beyond" in STUDIES and not any("bpi-beyond" in names for names in GROUPS.values())
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


def row(name, value, problem="a lake", error=0.01):
    return Outcome(problem, name, "", 100, 30, value, error)


def test_what_is_said_follows_the_rows():
    mine, rival = OWN["all"], f"UCBVI: {MODEL}"
    rows = [row(mine, 0.9), row("UCBVI", 0.2), row(rival, 0.95)]
    rows += [row(mine, 0.9, "a sea"), row(rival, 0.85, "a sea"), row(mine, 0.9, "a lock"), row(rival, 0.91, "a lock")]
    rows += [row(f"{OWN['start']}: {START}", 0.8), row(f"UCBVI: {START}, {MODEL}", 0.7)]
    said = standing(rows)
    assert "ahead in 1, level in 1, behind in 1 of 3" in said[0]
    assert said[1].startswith("from all states, behind: a lake at 100 0.900, UCBVI 0.950 ± 0.014")
    assert len(said) == 3 and "ahead in 1, level in 0, behind in 0 of 1" in said[2]
