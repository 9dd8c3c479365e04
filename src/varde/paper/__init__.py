"""Every table and figure of the paper as a study, a file each; ``STUDIES`` names them, ``GROUPS`` gathers them.

The machinery that measures, keeps and reports them is ``varde.experiments``, which knows this package by name alone.
"""

from __future__ import annotations

from collections.abc import Callable

from ..experiments.study import Study
from . import (
    ablation,
    approximation,
    bai_curves,
    best_policy,
    decision_functions,
    grid_worlds,
    sensitivity,
    synthetic_trees,
    table_1,
)

BAI: dict[str, Callable[[], Study]] = {
    "table-1": table_1.study,
    "bai-curves": bai_curves.study,
    "decision-functions": decision_functions.study,
    "ablation": ablation.study,
    "sensitivity": sensitivity.study,
    "approximation": approximation.study,
}
MCTS: dict[str, Callable[[], Study]] = {
    "sailing": grid_worlds.sailing_study,
    "taxi": grid_worlds.taxi_study,
    "frozen-lake": grid_worlds.frozen_lake_study,
    "synthetic-tree": synthetic_trees.study,
}
BPI: dict[str, Callable[[], Study]] = {
    "river-swim": best_policy.river_swim_study,
    "forked-river-swim": best_policy.forked_river_swim_study,
}
# Not of the paper's words, but perhaps of its runs: see environments/forked_river_swim.py.
FURTHER: dict[str, Callable[[], Study]] = {"forked-river-swim-shortcut": best_policy.forked_shortcut_study}

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
    "table-1": lambda: table_1.with_auto(table_1.study()),
    "table-1-fair": table_1.table_1_fair,
}
