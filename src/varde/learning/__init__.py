"""Best-policy identification: one loop, one file per agent."""

from .identify import Learned, Scores, identify_policy, score_agent
from .mf_bpi import MFBPI
from .nas import MDPNaS
from .nav import VarDENav
from .o_bpi import OBPI
from .psrl import PSRL
from .q_learning import EpsilonQ
from .q_ucb import QUCB
from .varde import PAPER, VarDE

__all__ = [
    "MFBPI",
    "OBPI",
    "PAPER",
    "PSRL",
    "QUCB",
    "EpsilonQ",
    "Learned",
    "MDPNaS",
    "Scores",
    "VarDE",
    "VarDENav",
    "identify_policy",
    "score_agent",
]
