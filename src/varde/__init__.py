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
from .rule import VarDE

__version__ = "0.1.0"

__all__ = [
    "INSTANCES",
    "OCBA",
    "UCBE",
    "Average",
    "Bernoulli",
    "ContinuousRejects",
    "EntMax",
    "Gaussian",
    "Identification",
    "Instance",
    "LogSumExp",
    "Nesterov",
    "PairwiseSoftplus",
    "PowerMean",
    "SequentialHalving",
    "SuccessiveRejects",
    "TopTwoThompson",
    "UGapE",
    "Uniform",
    "VarDE",
    "evaluate",
    "gradient",
    "identify",
]
