"""Decisions: what the samples are meant to decide, one file each."""

from .average import Average
from .decision import evaluate, gradient, influence, log_influence, separable, value, weigh
from .entmax import EntMax
from .log_sum_exp import LogSumExp
from .nesterov import Nesterov, project
from .power_mean import PowerMean
from .regret import Regret, expected_regret
from .softplus import PairwiseSoftplus

__all__ = [
    "Average",
    "EntMax",
    "LogSumExp",
    "Nesterov",
    "PairwiseSoftplus",
    "PowerMean",
    "Regret",
    "evaluate",
    "expected_regret",
    "gradient",
    "influence",
    "log_influence",
    "project",
    "separable",
    "value",
    "weigh",
]
