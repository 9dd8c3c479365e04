"""The studies of best-policy identification: rows, claims computed from rows, figure."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from varde.experiments import run
from varde.experiments.figure import panels
from varde.experiments.study import Outcome
from varde.paper import GROUPS, STUDIES
from varde.paper.best_policy import FORKED_BUDGETS, RIVER_BUDGETS, bpi_steps
from varde.paper.best_policy_agents import AGENTS, BASELINES, MODEL
from varde.paper.best_policy_claims import bpi_findings


def made_up(values, problem="RiverSwim(50)", step=80_000, stderr=0.001):
    """A row per algorithm at the end and at a tenth, all at .3 unless told."""
    rows = []
    for name in AGENTS:
        for algorithm in (name, f"{name}: {MODEL}"):
            for at in (step // 10, step):
                rows.append(Outcome(problem, algorithm, "", at, 10, values.get(algorithm, 0.3), stderr, None, None))
    return rows


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
    with ThreadPoolExecutor(2) as pool:
        rows = run(small, 2, 0, pool)
    last = {row.algorithm: row for row in rows}
    assert last["VarDE-Nav"].value == last["VarDE-Q"].value == pytest.approx(1.0)
    assert last["VarDE-Q"].step == 10_000 and f"PSRL: {MODEL}" in last
    assert all(row.value <= 1.0 for row in rows)
    assert any("VarDE-Nav at a tenth" in line for line in small.findings(rows))
    drawn = panels(small.figure, rows)
    assert [panel.across for panel in drawn] == ["states", "states", "steps"]
    assert list(drawn[1].curves) == ["VarDE-Q", *BASELINES] and list(drawn[2].curves)[-1] == "VarDE-Nav"


def test_claims_follow_the_rows():
    budgets = {"RiverSwim(50)": 80_000}
    good = bpi_findings(made_up({"VarDE-Q": 0.99}), budgets)
    assert [claim.holds for claim in good[:4]] == ["holds", "holds", "holds", "undecided"]  # one size: no trend
    bad = bpi_findings(made_up({"VarDE-Q": 0.8, "MF-BPI": 0.9}, stderr=0.03), budgets, forked=True)
    assert [claim.holds for claim in bad[:3]] == ["does not hold", "does not hold", "does not hold"]
    assert bad[0].endswith("does not hold (RiverSwim(50) 0.800 ± 0.068)") and "always right" in bad[0].reason
    assert "MF-BPI 0.900" in bad[2] and "shortcut" in bad[2].reason
    near = bpi_findings(made_up({"VarDE-Q": 0.94}, stderr=0.01), budgets)
    assert near[0].holds == "undecided"  # the interval reaches 0.95


def test_a_trend_needs_two_sizes():
    budgets = {"RiverSwim(5)": 10_000, "RiverSwim(50)": 80_000}
    small = made_up(dict.fromkeys(BASELINES, 0.9), "RiverSwim(5)", 10_000)
    for large, word in (({}, "holds"), (dict.fromkeys(BASELINES, 0.8), "does not hold")):
        assert bpi_findings(small + made_up(large), budgets)[3].holds == word


def test_few_runs_do_not_decide_how_tight_intervals_are():
    rows = [row._replace(runs=3) for row in made_up({"VarDE-Q": 0.99}, stderr=0.03)]
    assert bpi_findings(rows, {"RiverSwim(50)": 80_000})[1].holds == "undecided"
