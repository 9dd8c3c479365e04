"""The VarDE paper: a study for each of its tables, figures and theorems, a file each; ``PAPER`` holds them all.

The machinery that measures, keeps and reports them is ``varde.studies``, and serves any other paper as well.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from ..studies.papers import Paper
from ..studies.study import Study
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
    "error-decay-trees": "error_decay.tree_study",
    "q-convergence": "q_convergence.study",
}
# The settings that the paper does not state and that were chosen with its printed numbers in view.
FITTED = (
    ("warm start of VarDE on BAI.1-2", "25 pulls of each arm", "Table 1"),
    ("warm start of VarDE on BAI.3-6", "2", "Table 1"),
    ("warm start of Weight-Only", "1", "ablation"),
    ("variance floor", "0.01", "Table 1"),
    ("variance floor of the approximation tables", "0.1", "those tables"),
    ("divisor of the variance", "N - 1 (printed: N)", "sensitivity"),
    ("deviations of BAI.3-4", "random.Random(42).shuffle of the means", "BAI.3-4"),
    ("what alpha multiplies", "bonus sqrt(alpha / n)", "UCBE and UGapE rows"),
    ("recommendation of CR and SR", "best mean over all arms and samples", "CR and SR rows"),
    ("ties between arms", "lowest index", "Uniform on BAI.1-2"),
    ("ties within UGapE and SH, CR's inequality", "J; at random; strict", "their rows"),
    ("instance and pulls of ablation and sensitivity", "BAI.5 at 2,000 and 1,000", "those tables"),
    ("arms and steps of the approximation tables", "BAI.4's arms; 40, 420, 620, 1,000 pulls", "those tables"),
    ("draws of the approximation tables", "2,000, floored variances, absolute differences", "those tables"),
)
# Not of the paper, and measured with it.
FURTHER = {
    "noise-spread": "noise_spread.study",
    "equal-warm-starts": "noise_spread.equal_study",
    "held-out": "held_out.study",
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
        "noise-spread",
        "held-out",
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
    "all": (*PAPER.outline.studies, *FURTHER),
}
