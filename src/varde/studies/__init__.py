"""Studies: what to measure, measuring it in blocks, storing it, and reporting it.

Those of the VarDE paper are in ``varde.paper``.
"""

from .bandit_cells import bandit_cell, bandit_study
from .figure import Figure
from .papers import Paper
from .running import run
from .statements import Answer, Statement, above, ahead, below, highest, lowest
from .study import Cell, Outcome, Study

__all__ = [
    "Answer",
    "Cell",
    "Figure",
    "Outcome",
    "Paper",
    "Statement",
    "Study",
    "above",
    "ahead",
    "bandit_cell",
    "bandit_study",
    "below",
    "highest",
    "lowest",
    "run",
]
