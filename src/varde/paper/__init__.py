"""The VarDE paper: a study for each of its tables, figures and theorems, a file each; ``PAPER`` holds them all.

The machinery that measures, keeps and reports them is ``varde.studies``, and serves any other paper as well.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..studies.papers import Paper
from ..studies.study import Study

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
# Not of the paper: Table 1 on equal terms, what perhaps were the paper's runs (see environments/forked_river_swim.py),
# and other worlds.
FAIR = {"table-1-fair": "table_1.table_1_fair"}  # measured by --fair
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


def makers(places: dict[str, str]) -> dict[str, Callable[[], Study]]:
    return {name: maker(place) for name, place in places.items()}


PAPER = Paper(
    "Variance Driven Exploration",
    tables={
        "Bandits": makers(BAI),
        "Planning": makers(MCTS),
        "Learning": makers(BPI),
        "Theory": makers(THEORY),
        "Illustrations": makers(ILLUSTRATIONS),
    },
    further=makers({**FURTHER, **FAIR}),
    method="VarDE",
)
# Whatever a worker may be asked for by name, or a report may find.
ALL = {**PAPER.studies, "table-1": PAPER.makes(maker("table_1.with_auto"))}
# What can be named on the command line.
STUDIES = {name: make for name, make in PAPER.studies.items() if name not in FAIR}
GROUPS: dict[str, tuple[str, ...]] = {
    "bai": tuple(BAI),
    "mcts": tuple(MCTS),
    "bpi": tuple(BPI),
    "theory": tuple(THEORY),
    "all": tuple(PAPER.outline.studies),
}
