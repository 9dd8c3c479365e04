"""Best-policy identification: one loop, one file per agent."""

from .identify import Learned, identify_policy
from .measure import measure
from .mf_bpi import MFBPI
from .nas import MDPNaS
from .o_bpi import OBPI
from .psrl import PSRL
from .q_learning import EpsilonQ
from .q_ucb import QUCB
from .varde import VarDENav
from .varde_q import PAPER, VarDE

__all__ = [
    "MFBPI",
    "OBPI",
    "PAPER",
    "PSRL",
    "QUCB",
    "EpsilonQ",
    "Learned",
    "MDPNaS",
    "VarDE",
    "VarDENav",
    "identify_policy",
    "measure",
]
