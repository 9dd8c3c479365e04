"""The studies of best-policy identification: rows, claims computed from rows, figure."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from varde.experiments import GROUPS, STUDIES, run
from varde.experiments.bpi import AGENTS, BASELINES, FORKED_BUDGETS, MODEL, RIVER_BUDGETS, bpi_findings, bpi_steps
from varde.experiments.bpi_figure import half_width
from varde.experiments.study import Row


def made_up(values, problem="RiverSwim(50)", step=80_000, stderr=0.001):
    """A row per algorithm at the end and at a tenth, all at .3 unless told."""
    rows = []
    for name in AGENTS:
        for algorithm in (name, f"{name}: {MODEL}"):
            for at in (step // 10, step):
                rows.append(Row(problem, algorithm, "", at, 10, values.get(algorithm, 0.3), stderr, None, None))
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
    figure = small.draw(rows, "title")
    assert len(figure.axes) == 3


def test_claims_follow_the_rows():
    budgets = {"RiverSwim(50)": 80_000}
    good = bpi_findings(made_up({"VarDE-Q": 0.99}), budgets)
    assert good[0].endswith("holds") and good[1].endswith("holds") and "holds, up to" in good[2]
    assert "7 of 7 are below 0.5" in good[3]
    bad = bpi_findings(made_up({"VarDE-Q": 0.8, "MF-BPI": 0.9}, stderr=0.03), budgets)
    assert "does not hold at RiverSwim(50) (0.800" in bad[0] and "does not hold" in bad[1]
    assert "MF-BPI 0.900" in bad[2]


def test_interval_is_students():
    assert half_width(Row("", "", "", 0, 10, 0.0, 1.0, None, None)) == pytest.approx(2.2622, abs=1e-3)
    assert half_width(Row("", "", "", 0, 10_000, 0.0, 1.0, None, None)) == pytest.approx(1.9602, abs=1e-3)
