"""The figure that compares decision functions on BAI.5 and BAI.6 (fig:bai2)."""

from __future__ import annotations

from collections.abc import Sequence

from ..bandits import INSTANCES
from ..decisions import EntMax, LogSumExp, Nesterov, PairwiseSoftplus, PowerMean
from ..rule import VarDE
from .bandit_cells import FLOOR, RUNS, bandit_cell, find
from .figures import error_curves
from .study import Row, Study

PROBLEMS = ("BAI.5", "BAI.6")
DECISIONS = {
    "LogSumExp": LogSumExp(0.05),
    "Nesterov": Nesterov(0.5),
    "EntMax": EntMax(2.0, 0.1),
    "EntMax as printed": EntMax(2.0, 0.1, printed=True),
    "Pairwise Softplus": PairwiseSoftplus(0.1),
    "Pairwise Softplus as printed": PairwiseSoftplus(0.1, printed=True),
    "Power Mean": PowerMean(5.0),
}


def decision_functions() -> Study:
    cells = []
    for problem in PROBLEMS:
        budget = INSTANCES[problem].budget
        for name, decision in DECISIONS.items():
            steps = range(budget // 100, budget + 1, budget // 100)
            at = [step for step in steps if step >= 2 * INSTANCES[problem].num_arms]
            cells.append(bandit_cell(problem, name, VarDE(decision, FLOOR, 2), at))
    return Study(
        "decision-functions",
        "VarDE-BAI with five decision functions: error probability over time (%)",
        cells,
        RUNS,
        notes=(
            "warm start 2, variance floor 0.01, variance M2/(N-1) (not stated)",
            "EntMax and Pairwise Softplus: the true gradient, and the form printed in the paper, which is not the "
            "gradient of the printed potential",
            "Power Mean: true gradient and printed weights differ by a common factor, so they choose alike",
        ),
        findings=stalls,
        draw=error_curves,
    )


def stalls(rows: Sequence[Row]) -> list[str]:
    """Which curves stop falling: the second half of the budget brings less than a tenth."""
    said = []
    for problem in PROBLEMS:
        budget = INSTANCES[problem].budget
        for name in DECISIONS:
            half, end = find(rows, problem, name, budget // 2), find(rows, problem, name)
            if end.value > 0.9 * half.value and end.value > 4.0 * end.stderr:
                said.append(f"{problem}: {name} stalls at {end.value:.1f} % (at half the budget {half.value:.1f} %)")
    if said:
        said.append("Nesterov and EntMax weights are exactly 0 for low arms, which are then never pulled again")
    return said
