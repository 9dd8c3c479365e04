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
    Identification,
    Instance,
    SequentialHalving,
    SuccessiveRejects,
    TopTwoThompson,
    UGapE,
    Uniform,
    identify,
)
from .decisions import (
    Average,
    EntMax,
    LogSumExp,
    Nesterov,
    PairwiseSoftplus,
    PowerMean,
    evaluate,
    gradient,
)
from .mdp import MDP, World, from_gymnasium, tabulate
from .planning import (
    BTS,
    DENTS,
    MENTS,
    RENTS,
    TENTS,
    UCT,
    Assessment,
    AutoTree,
    Move,
    Planner,
    Search,
    SimulationError,
    TreeVarDE,
    assess,
)
from .rule import VarDE

__version__ = "0.1.0"

__all__ = [
    "BTS",
    "DENTS",
    "INSTANCES",
    "MDP",
    "MENTS",
    "OCBA",
    "RENTS",
    "TENTS",
    "UCBE",
    "UCT",
    "Assessment",
    "AutoTree",
    "Average",
    "Bernoulli",
    "ContinuousRejects",
    "EntMax",
    "Gaussian",
    "Identification",
    "Instance",
    "LogSumExp",
    "Move",
    "Nesterov",
    "PairwiseSoftplus",
    "Planner",
    "PowerMean",
    "Search",
    "SequentialHalving",
    "SimulationError",
    "SuccessiveRejects",
    "TopTwoThompson",
    "TreeVarDE",
    "UGapE",
    "Uniform",
    "VarDE",
    "World",
    "assess",
    "evaluate",
    "from_gymnasium",
    "gradient",
    "identify",
    "tabulate",
]
