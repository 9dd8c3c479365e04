"""The figure of tree search in grid worlds (fig:mcts): Sailing, Taxi, FrozenLake, with the paper's tuned settings."""

from __future__ import annotations

from ..environments import frozen_lake, sailing, taxi
from ..planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT, PaperTree
from ..planning.uct import AUTO as AUTO_BIAS
from ..studies.study import Study
from .tree_search import AS_RUN, TEXT, Outlook, planning_study

SAILING = Outlook("Sailing", sailing, 50)
TAXI = Outlook("Taxi", taxi, 20)
FROZEN_LAKE = Outlook("FrozenLake", frozen_lake, 10)


def sailing_study() -> Study:
    algorithms = {
        "UCT": UCT(10.0, 0.1),
        "MENTS": MENTS(0.1, 0.25),
        "RENTS": RENTS(0.1, 0.25),
        "TENTS": TENTS(0.1, 0.25),
        "DENTS": DENTS(2.0, 0.75),
        "BTS": BTS(3.0, 0.25),
        TEXT: PaperTree.printed(1.5, 100.0),
        AS_RUN: PaperTree.plain(1.5, 100.0),
    }
    return planning_study(
        "sailing", "Sailing 6x6, horizon 50: value of the recommended policy", SAILING, algorithms, "first", 2
    )


def taxi_study() -> Study:
    algorithms = {
        "UCT": UCT(AUTO_BIAS, 0.1),
        "MENTS": MENTS(1.0, 0.25),
        "RENTS": RENTS(0.1, 0.5),
        "TENTS": TENTS(2.0, 0.75),
        "DENTS": DENTS(3.0, 0.75),
        "BTS": BTS(5.0, 0.5),
        TEXT: PaperTree.printed(5.0, 10.0),
        AS_RUN: PaperTree.plain(5.0, 10.0),
    }
    return planning_study(
        "taxi", "Taxi in the rain, horizon 20: value of the recommended policy", TAXI, algorithms, "second", 2
    )


def frozen_lake_study() -> Study:
    algorithms = {
        "UCT": UCT(AUTO_BIAS, 0.2),
        "MENTS": MENTS(0.01, 0.85),
        "RENTS": RENTS(0.01, 0.85),
        "TENTS": TENTS(0.05, 0.85),
        "DENTS": DENTS(0.1, 0.85),
        "BTS": BTS(0.05, 0.5),
        TEXT: PaperTree.printed(0.015, 0.01),
        AS_RUN: PaperTree.plain(0.015, 0.01),
    }
    title = "FrozenLake 4x4, horizon 10: value of the recommended policy"
    return planning_study("frozen-lake", title, FROZEN_LAKE, algorithms, "third", 4)
