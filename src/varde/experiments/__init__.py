"""Studies: what to measure, measuring it block by block, keeping it, and reporting it.

The paper's own are in ``varde.paper``.
"""

from .bandit_cells import bandit_cell, bandit_study
from .running import run
from .study import Cell, Row, Study

__all__ = ["Cell", "Row", "Study", "bandit_cell", "bandit_study", "run"]
