"""Studies: what to measure, measuring it block by block, keeping it, and reporting it.

The paper's own are in ``varde.paper``.
"""

from .bandit_cells import bandit_cell, bandit_study
from .claims import Claim
from .figure import Figure
from .running import run
from .study import Cell, Outcome, Study

__all__ = ["Cell", "Claim", "Figure", "Outcome", "Study", "bandit_cell", "bandit_study", "run"]
