"""The VarDE paper: a study for each of its tables, figures and theorems, a file each; ``PAPER`` holds them all.

The machinery that measures, keeps and reports them is ``varde.studies``, and serves any other paper as well.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..studies.papers import Paper
from ..studies.study import Study
from .fitted import FITTED
from .reading import Reading
from .statements import STATEMENTS

__all__ = ["GROUPS", "PAPER", "STATEMENTS", "STUDIES", "Reading"]

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
    "frozen-lake-readings": "grid_worlds.frozen_lake_readings",
    "sailing-readings": "grid_worlds.sailing_readings",
    "taxi-readings": "grid_worlds.taxi_readings",
}
# Of a world, not of algorithms: in no group but all.
ILLUSTRATIONS = {"sailing-wind": "sailing_wind.study"}
BPI = {
    "river-swim": "best_policy.river_swim_study",
    "forked-river-swim": "best_policy.forked_river_swim_study",
}
# The laws and the limits.
THEORY = {
    "laws": "laws.study",
    "variance-decay": "variance_decay.study",
    "error-decay": "error_decay.study",
    "simple-regret": "error_decay.regret_study",
    "error-decay-trees": "error_decay.tree_study",
    "q-convergence": "q_convergence.study",
}
# Not of the paper.  The first two belong on the first screen, and are measured with it.
ADDED = {"noise-spread": "noise_spread.study", "held-out": "held_out.study"}
FURTHER = {
    **ADDED,
    "planner-tuning": "planner_tuning.study",
    "planning-graph": "grid_worlds.in_graphs",
    "table-1-fair": "table_1.table_1_fair",
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
    statements=STATEMENTS,
    further=makers(FURTHER),
    method="VarDE",
    first=(
        "frozen-lake",
        "sailing",
        "frozen-lake-readings",
        "sailing-readings",
        "taxi-readings",
        "noise-spread",
        "held-out",
        "planner-tuning",
    ),
    fitted=FITTED,
)
STUDIES = PAPER.studies  # what can be named on the command line, what a worker may be asked for, what a report may find
GROUPS: dict[str, tuple[str, ...]] = {
    "bai": tuple(BAI),
    "mcts": tuple(MCTS),
    "bpi": tuple(BPI),
    "theory": tuple(THEORY),
    "further": tuple(FURTHER),
    "all": (*PAPER.outline.studies, *ADDED),
}
