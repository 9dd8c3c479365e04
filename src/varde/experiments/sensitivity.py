"""Sensitivity to the temperature and the variance floor (tab:bai-sensitivity)."""

from __future__ import annotations

from ..decisions import LogSumExp
from ..rule import VarDE
from .bandit_cells import RUNS, bandit_cell
from .published import SENSITIVITY, SENSITIVITY_FLOORS
from .study import Study

PROBLEM, BUDGET = "BAI.5", 1000


def sensitivity() -> Study:
    cells, published = [], {}
    for tau, errors in SENSITIVITY.items():
        for floor, error in zip(SENSITIVITY_FLOORS, errors, strict=True):
            name = f"tau {tau:g}, floor {floor:g}"
            cells.append(bandit_cell(PROBLEM, name, VarDE(LogSumExp(tau), floor, 2), (BUDGET,)))
            published[PROBLEM, name, BUDGET] = error
    return Study(
        "sensitivity",
        "Sensitivity of VarDE-BAI on BAI.5: error probability (%)",
        cells,
        RUNS,
        published=published,
        notes=("instance, budget and warm start are not stated: BAI.5 at 1000 pulls with warm start 2 fits",),
    )
