"""Learning a policy (best-policy identification): one loop, one file per algorithm."""

from .learn import learn
from .learner import Learner
from .measure import measure
from .mf_bpi import MFBPI
from .navigation import OBPI, MDPNaS
from .policy import Policy
from .psrl import PSRL
from .q_learning import EpsilonQ
from .q_ucb import QUCB
from .ucbvi import UCBVI
from .varde_q import PAPER
from .within import Within

__all__ = [
    "MFBPI",
    "OBPI",
    "PAPER",
    "PSRL",
    "QUCB",
    "UCBVI",
    "EpsilonQ",
    "Learner",
    "MDPNaS",
    "Policy",
    "Within",
    "learn",
    "measure",
]
