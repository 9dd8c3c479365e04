"""The price of not knowing how large the gaps are.

A posterior that takes every gap for equally likely is overconfident as soon as some problems are near-ties.  If the
size of a gap can be anything, a small chance p of being wrong must be taken for a larger one, the more so the smaller
it is (Sellke, Bayarri and Berger 2001 have -p log p).  For the option with more than half of all chances, W = 1 - P:

    P = h(1 - W) / (h(1 - W) + h(W)),   h(p) = p (1 + .08 c min(|log p|, 5)^3);   the others share the rest

With F = sum r - 1 rivals that matter, c = min(1, 2 / F): the spread of many means shows how large gaps are.
"""

from __future__ import annotations

import numpy as np

PRICE, POWER = 0.08, 3  # of a logarithm, to that power
FARTHEST = 5.0  # logarithm that is still dearer than a smaller one
RIVALS = 2.0  # up to which the price is paid in full


def dearer(chance: np.ndarray | float, rivals: float = RIVALS) -> np.ndarray:
    """h."""
    price = PRICE * RIVALS / max(rivals, RIVALS)
    p = np.maximum(chance, 1e-300)
    return np.asarray(p * (1.0 + price * np.clip(-np.log(p), 0.0, FARTHEST) ** POWER))


def doubted(chances: np.ndarray | float) -> np.ndarray:
    """The same for yes or no, each chance on its own: it moves towards 1/2."""
    yes, no = dearer(chances), dearer(1.0 - chances)
    return np.asarray(yes / (yes + no))


def stated(right: float) -> float:
    """The chance that an answer of several parts is right, as it is stated."""
    return float(doubted(right)) if right > 0.5 else right


def doubt(chances: np.ndarray, rivals: float = 0.0, weights: np.ndarray | None = None) -> np.ndarray:
    """Chances as they are stated, with so many rivals that matter; with few, or if nobody knows, in full doubt."""
    top = int(np.argmax(chances))
    wrong = float(np.delete(chances if weights is None else chances * weights, top).sum())  # not 1 - P: it may be tiny
    if chances[top] <= 0.5 or wrong <= 0.0:
        return chances
    keep, lose = (float(dearer(p, rivals)) for p in (1.0 - wrong, wrong))
    said = chances * (lose / (keep + lose) / wrong)
    said[top] = keep / (keep + lose)
    return said
