"""The VarDE paper: a study for each of its tables, figures and theorems, a file each.

The machinery that measures, keeps and reports them is ``varde.studies``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

from ..studies.study import Study
from .reading import Reading
from .statements import STATEMENTS

__all__ = ["FITTED", "GROUPS", "PAPER_RUNS", "PARTS", "PLACES", "READINGS", "STATEMENTS", "STUDIES", "Reading"]

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
    (
        "reading of the tree search, where one is said to lead",
        "one of 17: w, mean, kept, N-1",
        "FrozenLake and Sailing",
    ),
    ("warm start of VarDE on BAI.1-2", "25 pulls of each arm", "Table 1"),
    ("warm start of VarDE on BAI.3-6", "2", "Table 1"),
    ("warm start of Weight-Only", "1", "ablation"),
    ("variance floor", "0.01", "Table 1"),
    ("variance floor of the approximation tables", "0.1", "those tables"),
    ("divisor of the variance", "N - 1 (printed: N)", "sensitivity"),
    ("deviations of BAI.3-4", "random.Random(42).shuffle of the means", "BAI.3-4"),
    ("what alpha multiplies", "bonus sqrt(alpha / n)", "UCBE and UGapE rows"),
    ("phases of SR", "T / logbar(K) pulls in all (published: T - K)", "SR rows"),
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
        return replace(made, method=made.method or "VarDE")

    return make


PARTS = {
    "Bandits": BAI,
    "Planning": MCTS,
    "Learning": BPI,
    "Theory": THEORY,
    "Illustrations": ILLUSTRATIONS,
    "Not of the paper": FURTHER,
}
# What can be named on the command line, what a worker may be asked for, what a report may find.
STUDIES = {name: maker(place) for part in PARTS.values() for name, place in part.items()}
GROUPS: dict[str, tuple[str, ...]] = {
    "bai": tuple(BAI),
    "mcts": tuple(MCTS),
    "bpi": tuple(BPI),
    "theory": tuple(THEORY),
    "further": tuple(FURTHER),
    "all": tuple(STUDIES),
}
# Tables and figures as TeX numbers them.  The main table, "Table 1" in this package, is the second.
PLACES: dict[str, tuple[str, ...]] = {
    "Table 1": ("stylized",),
    "Table 2": ("table-1",),
    "Table 3": ("ablation",),
    "Table 4": ("sensitivity",),
    "Tables 5-7": ("approximation",),
    "Figure 1": ("decision-functions",),
    "Figure 2": ("sailing", "taxi", "frozen-lake"),
    "Figure 3": ("synthetic-tree",),
    "Figure 4": ("river-swim", "forked-river-swim"),
    "Figure 5": ("table-1",),
    "Figure 6": ("sailing-wind",),
    "Theorem 3.7": ("variance-decay",),
    "Theorem 4.5": ("error-decay",),
    "Theorem 4.7": ("error-decay-trees",),
    "Theorem 4.11": ("q-convergence",),
}
# How many runs the paper averages, where it says so; of the tables of error rates the number that their digits fit.
PAPER_RUNS = {
    **dict.fromkeys(("table-1", "ablation", "sensitivity"), 20_000),
    **dict.fromkeys(("sailing", "taxi", "frozen-lake"), 100),
    "synthetic-tree": 5,  # of each tree
    **dict.fromkeys(("river-swim", "forked-river-swim"), 10),
}
READINGS = {"frozen-lake-readings": 50, "sailing-readings": 50, "taxi-readings": 50}  # runs, at least
