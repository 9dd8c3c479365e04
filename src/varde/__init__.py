"""Decide well from noisy samples.

One rule, VarDE (Variance Driven Exploration): treat the decision as a smooth function of the estimates and
take the next sample where it most lowers the variance of that decision.
"""

from . import bandits, beliefs, decisions, environments, learning, planning, worlds
from .learning import Learner, Policy, Within, learn
from .planning import Move, Planner, plan
from .rule import VarDE
from .selection import (
    AlreadyToldError,
    Best,
    Calls,
    Choices,
    Draw,
    Quantile,
    Selection,
    Selector,
    Stop,
    StoreError,
    StoreWarning,
    Top,
    judge,
    select,
)
from .worlds.function import SimulationError
from .worlds.solve import best_policy, policy_values
from .worlds.table import Table
from .worlds.tabulate import tabulate

__version__ = "0.1.0"

__all__ = [
    "AlreadyToldError",
    "Best",
    "Calls",
    "Choices",
    "Draw",
    "Learner",
    "Move",
    "Planner",
    "Policy",
    "Quantile",
    "Selection",
    "Selector",
    "SimulationError",
    "Stop",
    "StoreError",
    "StoreWarning",
    "Table",
    "Top",
    "VarDE",
    "Within",
    "bandits",
    "beliefs",
    "best_policy",
    "decisions",
    "environments",
    "judge",
    "learn",
    "learning",
    "plan",
    "planning",
    "policy_values",
    "select",
    "tabulate",
    "worlds",
]
