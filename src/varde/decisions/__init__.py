"""Decisions: what the samples are meant to decide, one file each."""

from .average import Average
from .decision import evaluate, gradient, influence, log_influence, separable, value, weigh
from .entmax import EntMax
from .gaps import Gaps
from .log_sum_exp import LogSumExp
from .nesterov import Nesterov, project
from .power_mean import PowerMean
from .softplus import PairwiseSoftplus

__all__ = [
    "Average",
    "EntMax",
    "Gaps",
    "LogSumExp",
    "Nesterov",
    "PairwiseSoftplus",
    "PowerMean",
    "evaluate",
    "gradient",
    "influence",
    "log_influence",
    "project",
    "separable",
    "value",
    "weigh",
]
