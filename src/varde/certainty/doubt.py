"""The price of not knowing how large the gaps are.

A posterior that takes every gap for equally likely is overconfident as soon as some problems are near-ties.  If the
size of a gap can be anything, on a logarithmic scale, a small chance p of being wrong must be taken for about -p log p
(Sellke, Bayarri and Berger 2001).  For the option with more than half of all chances, W = 1 - P:

    P = h(1 - W) / (h(1 - W) + h(W)),   h(p) = p (1 - log p);   the others share the rest in proportion
"""

from __future__ import annotations

import math

import numpy as np


def doubted(chances: np.ndarray | float) -> np.ndarray:
    """The same for yes or no, each chance on its own: it moves towards 1/2."""
    yes, no = (np.clip(p, 1e-300, 1.0) * (1.0 - np.log(np.clip(p, 1e-300, 1.0))) for p in (chances, 1.0 - chances))
    return np.asarray(yes / (yes + no))


def stated(right: float) -> float:
    """The chance that an answer of several parts is right, as it is stated."""
    return float(doubted(right)) if right > 0.5 else right


def doubt(chances: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Chances as they are stated."""
    top = int(np.argmax(chances))
    wrong = float(np.delete(chances if weights is None else chances * weights, top).sum())  # not 1 - P: it may be tiny
    if chances[top] <= 0.5 or wrong <= 0.0:
        return chances
    keep, lose = (p * (1.0 - math.log(p)) for p in (1.0 - wrong, wrong))
    doubted = chances * (lose / (keep + lose) / wrong)
    doubted[top] = keep / (keep + lose)
    return doubted
