"""The appendix figure: error probability over time on BAI.1 to BAI.4 (fig:bai1)."""

from __future__ import annotations

import numpy as np

from ..bandits import INSTANCES
from ..experiments.bandit_cells import ERROR, bandit_cell
from ..experiments.study import Study
from .bandits import RUNS, table_1_algorithms
from .table_1 import NOTES, PROBLEMS

POINTS = 200  # of a curve; more would be finer than a line is wide


def curve_steps(problem: str) -> list[int]:
    """From the pull after which every arm was seen once to the last."""
    instance = INSTANCES[problem]
    return sorted(set(np.linspace(instance.num_arms, instance.budget, POINTS).round().astype(int).tolist()))


def study() -> Study:
    cells = [
        bandit_cell(p, name, record, curve_steps(p)) for p in PROBLEMS for name, record in table_1_algorithms(p).items()
    ]
    return Study(
        "bai-curves",
        "Error probability over time (%)",
        cells,
        RUNS,
        percent=True,
        notes=NOTES,
        figure=ERROR,
        place="Figure in the appendix (fig:bai1)",
        rate=4e-8,
    )
