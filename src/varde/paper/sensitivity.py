"""Sensitivity to the temperature and the variance floor (tab:bai-sensitivity)."""

from __future__ import annotations

from ..beliefs.noise import Floor
from ..decisions import LogSumExp
from ..rule import VarDE
from ..studies.bandit_cells import bandit_cell
from ..studies.study import Study
from .answers import IN_PART, STATED, Answer, Rows
from .bandits import RUNS

# tab:bai-sensitivity: error in percent; rows are temperatures, columns variance floors.
SENSITIVITY_FLOORS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)
SENSITIVITY = {
    0.01: (43.75, 43.88, 44.86, 49.08, 49.43),
    0.03: (13.55, 13.22, 13.57, 14.78, 14.94),
    0.05: (6.22, 5.71, 5.33, 5.68, 5.69),
    0.10: (6.27, 6.18, 6.07, 6.14, 6.32),
    0.20: (13.15, 12.88, 12.87, 11.28, 10.93),
    0.50: (19.72, 19.00, 19.32, 17.08, 16.86),
    1.00: (22.19, 22.00, 21.92, 19.69, 18.86),
    2.00: (24.16, 23.76, 23.47, 21.11, 20.16),
}

PROBLEM, BUDGET = "BAI.5", 1000


def label(tau: float, floor: float) -> str:
    return f"tau {tau:g}, floor {floor:g}"


def study() -> Study:
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
        published_runs=RUNS,
        percent=True,
        published=published,
        notes=("instance, budget and warm start are not stated: BAI.5 at 1000 pulls with warm start 2 fits",),
        place="Table in the appendix (tab:bai-sensitivity)",
        quick=1_000,
    )


def ranges(rows: Rows) -> tuple[dict[float, float], dict[float, float]]:
    """How far errors are apart over temperatures at each floor, and over floors at each temperature, in points."""
    error = {row.algorithm: row.value for row in rows}
    plane = {tau: [error[label(tau, floor)] for floor in SENSITIVITY_FLOORS] for tau in SENSITIVITY}
    columns = zip(SENSITIVITY_FLOORS, zip(*plane.values(), strict=True), strict=True)
    return (
        {floor: max(column) - min(column) for floor, column in columns},
        {tau: max(line) - min(line) for tau, line in plane.items()},
    )


def more_to_temperature(rows: Rows) -> Answer:
    over_taus, over_floors = (found.values() for found in ranges(rows))
    words = (
        f"the error moves by {min(over_taus):.0f} to {max(over_taus):.0f} points over tau, by {min(over_floors):.1f} "
        f"to {max(over_floors):.1f} over floors"
    )
    return Answer(STATED if min(over_taus) > max(over_floors) else IN_PART, words)


def stable_near_the_best(rows: Rows) -> Answer:
    over_taus, over_floors = ranges(rows)
    best = min(SENSITIVITY, key=lambda tau: min(SENSITIVITY[tau]))
    share = over_floors[best] / max(over_taus.values())
    words = f"at tau {best:g} by {over_floors[best]:.1f} of {max(over_taus.values()):.0f} points"
    return Answer(STATED if share < 0.1 else IN_PART, words)
