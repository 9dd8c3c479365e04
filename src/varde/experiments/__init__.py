"""Every table and figure of the paper as a study; ``STUDIES`` names them, ``GROUPS`` gathers them."""

from __future__ import annotations

from collections.abc import Callable

from .ablation import ablation
from .approximation import approximation
from .bai_curves import bai_curves
from .bandit_cells import bandit_cell, bandit_study
from .bpi import forked_river_swim_study, forked_shortcut_study, river_swim_study
from .decision_functions import decision_functions
from .grid_worlds import frozen_lake_study, sailing_study, taxi_study
from .running import run
from .sensitivity import sensitivity
from .study import Cell, Row, Study
from .synthetic_trees import synthetic_trees
from .table_1 import table_1, table_1_fair, with_auto

BAI: dict[str, Callable[[], Study]] = {
    "table-1": table_1,
    "bai-curves": bai_curves,
    "decision-functions": decision_functions,
    "ablation": ablation,
    "sensitivity": sensitivity,
    "approximation": approximation,
}
MCTS: dict[str, Callable[[], Study]] = {
    "sailing": sailing_study,
    "taxi": taxi_study,
    "frozen-lake": frozen_lake_study,
    "synthetic-tree": synthetic_trees,
}
BPI: dict[str, Callable[[], Study]] = {
    "river-swim": river_swim_study,
    "forked-river-swim": forked_river_swim_study,
}
# Not of the paper's words, but perhaps of its runs: see environments/forked_river_swim.py.
FURTHER: dict[str, Callable[[], Study]] = {"forked-river-swim-shortcut": forked_shortcut_study}

STUDIES = {**BAI, **MCTS, **BPI, **FURTHER}
GROUPS: dict[str, tuple[str, ...]] = {
    "bai": tuple(BAI),
    "mcts": tuple(MCTS),
    "bpi": tuple(BPI),
    "all": (*BAI, *MCTS, *BPI),
}
# Whatever a worker may be asked for by name, or a report may find.
ALL: dict[str, Callable[[], Study]] = {
    **STUDIES,
    "table-1": lambda: with_auto(table_1()),
    "table-1-fair": table_1_fair,
}

__all__ = ["ALL", "GROUPS", "STUDIES", "Cell", "Row", "Study", "bandit_cell", "bandit_study", "run", "table_1_fair"]
