"""The studies of best-policy identification: rows, answers computed from rows, figure."""

from dataclasses import replace

import numpy as np
import pytest

from varde.paper import GROUPS, STUDIES
from varde.paper.best_policy import (
    AGENTS,
    BASELINES,
    FORKED_BUDGETS,
    MODEL,
    RIVER_BUDGETS,
    bpi_steps,
    deteriorate,
    matches,
    near_optimal,
    robust,
)
from varde.studies import run

from ..studies.results import rows_from


def made_up(values, problem="RiverSwim(50)", runs=20, noise=0.001):
    """Runs of every algorithm at a tenth and at the end, about .3 unless told."""
    rng = np.random.default_rng(0)
    names = [algorithm for name in AGENTS for algorithm in (name, f"{name}: {MODEL}")]
    return {(problem, name): values.get(name, 0.3) + noise * rng.normal(size=(runs, 2)) for name in names}


def rows_at(runs, budgets):
    steps = {problem: (budget // 10, budget) for problem, budget in budgets.items()}
    parts = [rows_from({key: some for key, some in runs.items() if key[0] == p}, at) for p, at in steps.items()]
    return [row for part in parts for row in part]


def test_the_protocol_of_the_paper():
    assert GROUPS["bpi"] == ("river-swim", "forked-river-swim")
    study = STUDIES["forked-river-swim"]()
    assert study.runs == 10 and len(study.cells) == 5 * len(AGENTS) and len(BASELINES) == 7
    assert {cell.problem: cell.steps[-1] for cell in study.cells} == {
        f"Forked({length})": budget for length, budget in FORKED_BUDGETS.items()
    }
    for budget in (*RIVER_BUDGETS.values(), *FORKED_BUDGETS.values()):
        steps = bpi_steps(budget)
        assert len(steps) <= 101 and steps[-1] == budget and budget // 10 in steps
        assert all(step % 200 == 0 for step in steps)


def test_rows_and_figure():
    study = STUDIES["river-swim"]()
    small = replace(study, cells=[cell for cell in study.cells if cell.problem == "RiverSwim(5)"])
    some = [cell for cell in small.cells if cell.algorithm in ("VarDE-Q", "PSRL")]
    rows = run(replace(small, cells=some), 1)
    last = {row.algorithm: row for row in rows}
    assert last["VarDE-Q"].value == pytest.approx(1.0)
    assert last["VarDE-Q"].step == 10_000 and f"PSRL: {MODEL}" in last
    assert all(row.value <= 1.0 for row in rows)


def test_answers_follow_the_runs():
    budgets = {"RiverSwim(50)": 80_000}
    good = rows_at(made_up({"VarDE-Q": 0.99}), budgets)
    assert near_optimal(good).grade == matches(good).grade == "as stated"
    assert robust(good).grade == deteriorate(good).grade == "too few runs"  # one size: no trend
    bad = rows_at(made_up({"VarDE-Q": 0.8, "MF-BPI": 0.9}), budgets)
    assert near_optimal(bad).grade == matches(bad).grade == "contradicted"
    assert "against 0.900 (MF-BPI)" in matches(bad).words
    level = rows_at(made_up({"VarDE-Q": 0.985, "MF-BPI": 0.99}), budgets)
    assert matches(level).grade == "as stated"  # .005 below is a match, .02 being the margin


def test_a_trend_needs_two_sizes():
    budgets = {"RiverSwim(5)": 10_000, "RiverSwim(50)": 80_000}
    small = made_up({**dict.fromkeys(BASELINES, 0.9), "VarDE-Q": 0.9}, "RiverSwim(5)")
    for large, halved in (({}, "as stated"), (dict.fromkeys(BASELINES, 0.8), "in part")):
        assert deteriorate(rows_at(small | made_up(large), budgets)).grade == halved
    fallen = small | made_up({**dict.fromkeys(BASELINES, 0.8), "VarDE-Q": 0.3})
    assert robust(rows_at(fallen, budgets)).grade == "contradicted"
    some = small | made_up({"MF-BPI": 0.8, "VarDE-Q": 0.5})
    assert robust(rows_at(some, budgets)).grade == "in part"
    assert robust(rows_at(small | made_up({"VarDE-Q": 0.9}), budgets)).grade == "as stated"
