"""The figure of tree search in grid worlds (fig:mcts): Sailing, Taxi, FrozenLake, with the paper's tuned settings."""

from __future__ import annotations

from ..environments import frozen_lake, sailing, taxi
from ..planning import BTS, DENTS, MENTS, RENTS, TENTS, UCT
from ..planning.uct import AUTO
from ..studies.study import Study
from .tree_search import Outlook, figure_study, readings_study

SAILING = Outlook(
    "Sailing",
    sailing,
    50,
    {
        "UCT": UCT(10.0, 0.1),
        "MENTS": MENTS(0.1, 0.25),
        "RENTS": RENTS(0.1, 0.25),
        "TENTS": TENTS(0.1, 0.25),
        "DENTS": DENTS(2.0, 0.75),
        "BTS": BTS(3.0, 0.25),
    },
    1.5,
    100.0,
    UCT(20.0, 0.0),
)
TAXI = Outlook(
    "Taxi",
    taxi,
    20,
    {
        "UCT": UCT(AUTO, 0.1),
        "MENTS": MENTS(1.0, 0.25),
        "RENTS": RENTS(0.1, 0.5),
        "TENTS": TENTS(2.0, 0.75),
        "DENTS": DENTS(3.0, 0.75),
        "BTS": BTS(5.0, 0.5),
    },
    5.0,
    10.0,
)
FROZEN_LAKE = Outlook(
    "FrozenLake",
    frozen_lake,
    10,
    {
        "UCT": UCT(AUTO, 0.2),
        "MENTS": MENTS(0.01, 0.85),
        "RENTS": RENTS(0.01, 0.85),
        "TENTS": TENTS(0.05, 0.85),
        "DENTS": DENTS(0.1, 0.85),
        "BTS": BTS(0.05, 0.5),
    },
    0.015,
    0.01,
    UCT(0.3, 0.0),
)


def sailing_study() -> Study:
    return figure_study("sailing", "Sailing 6x6, horizon 50", SAILING, "first")


def taxi_study() -> Study:
    return figure_study("taxi", "Taxi in the rain, horizon 20", TAXI, "second")


def frozen_lake_study() -> Study:
    return figure_study("frozen-lake", "FrozenLake 4x4, horizon 10", FROZEN_LAKE, "third", 200, 10)


def sailing_readings() -> Study:
    return readings_study("sailing-readings", "Sailing", SAILING, 1)


def taxi_readings() -> Study:
    return readings_study("taxi-readings", "Taxi", TAXI, 1, again=False)


def frozen_lake_readings() -> Study:
    return readings_study("frozen-lake-readings", "FrozenLake", FROZEN_LAKE, 4)
