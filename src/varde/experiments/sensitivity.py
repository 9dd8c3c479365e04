"""Sensitivity to the temperature and the variance floor (tab:bai-sensitivity)."""

from __future__ import annotations

from collections.abc import Sequence

from ..decisions import LogSumExp
from ..noise import Floor
from ..rule import VarDE
from .bandit_cells import RUNS, bandit_cell, find
from .claims import FAILS, HOLDS, Claim
from .published import SENSITIVITY, SENSITIVITY_FLOORS
from .study import Row, Study

PROBLEM, BUDGET = "BAI.5", 1000


def label(tau: float, floor: float) -> str:
    return f"tau {tau:g}, floor {floor:g}"


def sensitivity() -> Study:
    cells, published = [], {}
    for tau, errors in SENSITIVITY.items():
        for floor, error in zip(SENSITIVITY_FLOORS, errors, strict=True):
            name = label(tau, floor)
            cells.append(bandit_cell(PROBLEM, name, VarDE(LogSumExp(tau), Floor(floor), 2), (BUDGET,)))
            published[PROBLEM, name, BUDGET] = error
    return Study(
        "sensitivity",
        "Sensitivity of VarDE-BAI on BAI.5: error probability (%)",
        cells,
        RUNS,
        published=published,
        notes=("instance, budget and warm start are not stated: BAI.5 at 1000 pulls with warm start 2 fits",),
        findings=spreads,
    )


def spreads(rows: Sequence[Row]) -> list[str]:
    """The paper's two sentences about this table, on the distance between the highest and the lowest error."""
    errors = {tau: [find(rows, PROBLEM, label(tau, f)).value for f in SENSITIVITY_FLOORS] for tau in SENSITIVITY}
    over_floors = {tau: max(line) - min(line) for tau, line in errors.items()}
    over_taus = [max(column) - min(column) for column in zip(*errors.values(), strict=True)]
    widest, narrowest = max(over_floors.values()), min(over_taus)
    best = min(errors, key=lambda tau: min(errors[tau]))
    return [
        Claim(
            "'more sensitive to the temperature than to the floor' (every spread over temperatures above every spread "
            "over floors)",
            HOLDS if narrowest > widest else FAILS,
            f"over temperatures {narrowest:.1f} points or more, over floors {widest:.1f} or less",
        ),
        Claim(
            "'near the best temperature stable over a broad range of floors' (spread below a tenth of that over "
            "temperatures)",
            HOLDS if over_floors[best] < 0.1 * narrowest else FAILS,
            f"{over_floors[best]:.2f} points at tau {best:g}",
        ),
    ]
