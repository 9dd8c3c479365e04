"""A correction for not knowing how large the gaps are.

A posterior that treats all gaps as equally likely is overconfident as soon as some problems are near-ties.  If the size
of a gap can be anything, a small probability p of being wrong must be raised, the more so the smaller it is (Sellke,
Bayarri and Berger 2001 have -p log p).  For the option with more than half of the probability, W = 1 - P:

    P = h(1 - W) / (h(1 - W) + h(W)),   h(p) = p (1 + .08 c min(|log p|, 5)^3);   the others share the rest

With F = sum r - 1 rivals that matter, c = min(1, 2 / F): the spread of many means shows how large gaps are.
"""

from __future__ import annotations

import numpy as np

PRICE, POWER = 0.08, 3  # of a logarithm, to that power
FARTHEST = 5.0  # logarithms beyond this are not corrected further
RIVALS = 2.0  # up to which the correction applies in full


def dearer(chance: np.ndarray | float, rivals: float = RIVALS) -> np.ndarray:
    """h."""
    price = PRICE * RIVALS / max(rivals, RIVALS)
    p = np.maximum(chance, 1e-300)
    return np.asarray(p * (1.0 + price * np.clip(-np.log(p), 0.0, FARTHEST) ** POWER))


def doubted(chances: np.ndarray | float) -> np.ndarray:
    """The same for yes or no, each chance alone: it moves towards 1/2."""
    yes, no = dearer(chances), dearer(1.0 - chances)
    return np.asarray(yes / (yes + no))


def stated(right: float) -> float:
    """The stated chance that an answer of several parts is right."""
    return float(doubted(right)) if right > 0.5 else right


def doubt(chances: np.ndarray, rivals: float = 0.0, weights: np.ndarray | None = None) -> np.ndarray:
    """The stated chances, given the number of relevant rivals; with few, or if unknown, the full correction."""
    top = int(np.argmax(chances))
    wrong = float(np.delete(chances if weights is None else chances * weights, top).sum())  # not 1 - P: it may be tiny
    if chances[top] <= 0.5 or wrong <= 0.0:
        return chances
    keep, lose = (float(dearer(p, rivals)) for p in (1.0 - wrong, wrong))
    said = chances * (lose / (keep + lose) / wrong)
    said[top] = keep / (keep + lose)
    return said
