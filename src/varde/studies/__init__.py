"""Studies: what to measure, measuring it in blocks, storing it, and reporting it.

Those of the VarDE paper are in ``varde.paper``.
"""

from .bandit_cells import bandit_cell, bandit_study
from .figure import Figure
from .running import run
from .study import Cell, Outcome, Study, find

__all__ = ["Cell", "Figure", "Outcome", "Study", "bandit_cell", "bandit_study", "find", "run"]
