"""Best-arm identification: one loop, one file per algorithm."""

from .continuous import ContinuousRejects
from .ebtci import EBTCI
from .halving import SequentialHalving
from .instances import INSTANCES, Instance
from .kg import KG
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
    "EBTCI",
    "INSTANCES",
    "KG",
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
