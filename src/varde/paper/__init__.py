"""Every table and figure of the paper as a study, a file each; ``STUDIES`` names them, ``GROUPS`` gathers them.

The machinery that measures, keeps and reports them is ``varde.experiments``, which knows this package by name alone.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..experiments.study import Study

# A line for each: its name, and the function that makes it, in a file of this folder.
BAI = {
    "stylized": "stylized.study",
    "table-1": "table_1.study",
    "decision-functions": "decision_functions.study",
    "ablation": "ablation.study",
    "sensitivity": "sensitivity.study",
    "approximation": "approximation.study",
}
MCTS = {
    "sailing": "grid_worlds.sailing_study",
    "taxi": "grid_worlds.taxi_study",
    "frozen-lake": "grid_worlds.frozen_lake_study",
    "synthetic-tree": "synthetic_trees.study",
}
# Of a world, not of algorithms: in no group but all.
ILLUSTRATIONS = {"sailing-wind": "sailing_wind.study"}
BPI = {
    "river-swim": "best_policy.river_swim_study",
    "forked-river-swim": "best_policy.forked_river_swim_study",
}
# The theorems, measured.
THEORY = {
    "variance-decay": "variance_decay.study",
    "error-decay": "error_decay.study",
    "error-decay-trees": "error_decay.tree_study",
    "q-convergence": "q_convergence.study",
}
# Not of the paper: what perhaps were its runs (see environments/forked_river_swim.py), and other worlds.
FURTHER = {
    "forked-river-swim-shortcut": "best_policy.forked_shortcut_study",
    "bpi-beyond": "best_policy_beyond.study",
}


def maker(place: str) -> Callable[[], Study]:
    def make() -> Study:
        file, function = place.split(".")
        made: Study = getattr(import_module(f".{file}", __name__), function)()
        return made

    return make


STUDIES = {name: maker(place) for name, place in {**BAI, **ILLUSTRATIONS, **MCTS, **BPI, **THEORY, **FURTHER}.items()}
GROUPS: dict[str, tuple[str, ...]] = {
    "bai": tuple(BAI),
    "mcts": tuple(MCTS),
    "bpi": tuple(BPI),
    "theory": tuple(THEORY),
    "all": (*BAI, *ILLUSTRATIONS, *MCTS, *BPI, *THEORY),
}
# What a reader asks about the paper, part by part.
PARTS: dict[str, tuple[str, ...]] = {
    "Bandits": tuple(BAI),
    "Planning": tuple(MCTS),
    "Learning": tuple(BPI),
    "Theory": tuple(THEORY),
    "Illustrations": tuple(ILLUSTRATIONS),
}
# Whatever a worker may be asked for by name, or a report may find.
ALL = {**STUDIES, "table-1": maker("table_1.with_auto"), "table-1-fair": maker("table_1.table_1_fair")}
