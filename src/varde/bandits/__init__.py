"""Best-arm identification: one loop, one file per algorithm."""

from .continuous import ContinuousRejects
from .halving import SequentialHalving
from .instances import INSTANCES, Instance
from .measure import measure
from .ocba import OCBA
from .problems import Bernoulli, Gaussian, LogNormal, Student, ZeroInflated
from .rejects import SuccessiveRejects
from .thompson import TopTwoThompson
from .ucbe import UCBE
from .ugape import UGapE
from .uniform import Uniform
from .varde import VarDE

__all__ = [
    "INSTANCES",
    "OCBA",
    "UCBE",
    "Bernoulli",
    "ContinuousRejects",
    "Gaussian",
    "Instance",
    "LogNormal",
    "SequentialHalving",
    "Student",
    "SuccessiveRejects",
    "TopTwoThompson",
    "UGapE",
    "Uniform",
    "VarDE",
    "ZeroInflated",
    "measure",
]
