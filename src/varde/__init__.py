"""Decide well from noisy samples.

One rule, VarDE (Variance Driven Exploration): treat the decision as a smooth function of the estimates and
take the next sample where it most lowers the variance of that decision.
"""

from .bandits import (
    INSTANCES,
    OCBA,
    UCBE,
    Bernoulli,
    ContinuousRejects,
    Gaussian,
    Instance,
    SequentialHalving,
    SuccessiveRejects,
    TopTwoThompson,
    UGapE,
    Uniform,
)
from .decisions import (
    Average,
    EntMax,
    Gaps,
    LogSumExp,
    Nesterov,
    PairwiseSoftplus,
    PowerMean,
    evaluate,
    gradient,
)
from .environments import forked_river_swim, frozen_lake, river_swim, sailing, synthetic_tree, taxi
from .learning import MFBPI, OBPI, PSRL, QUCB, EpsilonQ, Learner, MDPNaS, Policy, learn
from .noise import Equal, Floor, Pooled
from .planning import Move, Planner, plan
from .rule import VarDE
from .selection import (
    AlreadyToldError,
    Draw,
    Selection,
    Selector,
    Stop,
    StoreError,
    select,
)
from .worlds.gymnasium import from_gymnasium
from .worlds.met import SimulationError
from .worlds.solve import best_policy, policy_values
from .worlds.table import MDP, Table, tabulate

__version__ = "0.1.0"

__all__ = [
    "INSTANCES",
    "MDP",
    "MFBPI",
    "OBPI",
    "OCBA",
    "PSRL",
    "QUCB",
    "UCBE",
    "AlreadyToldError",
    "Average",
    "Bernoulli",
    "ContinuousRejects",
    "Draw",
    "EntMax",
    "EpsilonQ",
    "Equal",
    "Floor",
    "Gaps",
    "Gaussian",
    "Instance",
    "Learner",
    "LogSumExp",
    "MDPNaS",
    "Move",
    "Nesterov",
    "PairwiseSoftplus",
    "Planner",
    "Policy",
    "Pooled",
    "PowerMean",
    "Selection",
    "Selector",
    "SequentialHalving",
    "SimulationError",
    "Stop",
    "StoreError",
    "SuccessiveRejects",
    "Table",
    "TopTwoThompson",
    "UGapE",
    "Uniform",
    "VarDE",
    "best_policy",
    "evaluate",
    "forked_river_swim",
    "from_gymnasium",
    "frozen_lake",
    "gradient",
    "learn",
    "plan",
    "policy_values",
    "river_swim",
    "sailing",
    "select",
    "synthetic_tree",
    "tabulate",
    "taxi",
]
