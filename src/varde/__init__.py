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
from .environments import forked_river_swim, river_swim
from .learning import MFBPI, OBPI, PSRL, QUCB, EpsilonQ, Learned, MDPNaS, VarDENav, identify_policy, score_agent
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
from .solve import best_policy, policy_values

__version__ = "0.1.0"

__all__ = [
    "BTS",
    "DENTS",
    "INSTANCES",
    "MDP",
    "MENTS",
    "MFBPI",
    "OBPI",
    "OCBA",
    "PSRL",
    "QUCB",
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
    "EpsilonQ",
    "Gaussian",
    "Identification",
    "Instance",
    "Learned",
    "LogSumExp",
    "MDPNaS",
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
    "VarDENav",
    "World",
    "assess",
    "best_policy",
    "evaluate",
    "forked_river_swim",
    "from_gymnasium",
    "gradient",
    "identify",
    "identify_policy",
    "policy_values",
    "river_swim",
    "score_agent",
    "tabulate",
]
