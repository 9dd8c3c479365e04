"""Studies: what to measure, measuring it block by block, keeping it, and reporting it.

The paper's own are in ``varde.paper``.
"""

from .bandit_cells import bandit_cell, bandit_study
from .claims import Claim, all_of, one_of, some_of
from .figure import Figure
from .running import run
from .study import Cell, Outcome, Study

__all__ = [
    "Cell",
    "Claim",
    "Figure",
    "Outcome",
    "Study",
    "all_of",
    "bandit_cell",
    "bandit_study",
    "one_of",
    "run",
    "some_of",
]
