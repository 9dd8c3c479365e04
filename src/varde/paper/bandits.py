"""Code shared by the paper's studies of best-arm identification."""

from __future__ import annotations

from typing import Any

from ..bandits import (
    INSTANCES,
    UCBE,
    Bernoulli,
    ContinuousRejects,
    SequentialHalving,
    SuccessiveRejects,
    UGapE,
    Uniform,
)
from ..beliefs.noise import Floor
from ..decisions import LogSumExp
from ..rule import VarDE

RUNS = 20_000
FLOOR = 0.01  # the paper does not state it for Table 1
TEMPERATURES = (0.05, 0.1, 0.15)
ALPHAS = (2, 4, 8)


def warm_start(problem: str) -> int:
    """Initial pulls of each arm: not stated in the paper, chosen to fit its numbers."""
    return 25 if isinstance(INSTANCES[problem].bandit, Bernoulli) else 2


def table_1_algorithms(problem: str) -> dict[str, Any]:
    """The fourteen rows of Table 1."""
    return {
        "Uniform": Uniform(),
        "SH": SequentialHalving(),
        "SR": SuccessiveRejects(),
        "CR-A": ContinuousRejects(),
        "CR-C": ContinuousRejects(conservative=True),
        **{f"UCBE {alpha}": UCBE(alpha) for alpha in ALPHAS},
        **{f"UGapE {alpha}": UGapE(alpha) for alpha in ALPHAS},
        **{f"VarDE {tau}": VarDE(LogSumExp(tau), Floor(FLOOR), warm_start(problem)) for tau in TEMPERATURES},
    }
