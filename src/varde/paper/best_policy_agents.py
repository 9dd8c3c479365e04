"""The agents of best-policy identification, by the names of their rows."""

from __future__ import annotations

from typing import Any

from ..learning import MFBPI, OBPI, PAPER, PSRL, QUCB, EpsilonQ, MDPNaS
from ..rule import VarDE

VARDE, NAV, MODEL = "VarDE-Q", "VarDE-Nav", "model report"
BASELINES = {
    "eps-Q": EpsilonQ(),
    "Q-UCB": QUCB(),
    "PSRL": PSRL(),
    "MF-BPI": MFBPI(),
    "MDP-NaS": MDPNaS(),
    "PS-MDP-NaS": MDPNaS(sampling=True),
    "O-BPI": OBPI(),
}
VARIANTS = {
    "MDP-NaS every 200": MDPNaS(growing=False),
    "PS-MDP-NaS every 200": MDPNaS(sampling=True, growing=False),
    "O-BPI every 200": OBPI(growing=False),
}
AGENTS: dict[str, Any] = {VARDE: PAPER, **BASELINES, **VARIANTS, NAV: VarDE()}
