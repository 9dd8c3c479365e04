"""Studies: what to measure, measuring it in blocks, storing it, and reporting it.

Those of the VarDE paper are in ``varde.paper``.
"""

from .bandit_cells import bandit_cell, bandit_study
from .claims import Claim, all_of, one_of, some_of
from .common_claims import above, below, highest, lowest
from .figure import Figure
from .papers import Paper
from .running import run
from .study import Cell, Outcome, Study

__all__ = [
    "Cell",
    "Claim",
    "Figure",
    "Outcome",
    "Paper",
    "Study",
    "above",
    "all_of",
    "bandit_cell",
    "bandit_study",
    "below",
    "highest",
    "lowest",
    "one_of",
    "run",
    "some_of",
]
