"""On which side of a known line does each true mean lie?"""

from __future__ import annotations

from typing import Any

import numpy as np

DEVIATES = np.linspace(-7.0, 7.0, 281)
SHARES = np.exp(-0.5 * DEVIATES**2) / np.exp(-0.5 * DEVIATES**2).sum()


def above(beliefs: Any, line: float) -> np.ndarray:
    """[K] P(mu_i > line)."""
    return np.asarray(-np.expm1(beliefs.log_below(np.array([line]))[0]))


def shortfall(beliefs: Any, line: float, taken: np.ndarray) -> float:
    """What being on the wrong side costs, summed over all: E[(line - mu)+] of those taken, E[(mu - line)+] of others.

    >>> from .beliefs import Beliefs
    >>> two = Beliefs.students(np.array([0.0, 1.0]), np.ones(2), np.full(2, np.inf))
    >>> round(shortfall(two, 0.0, np.array([False, True])), 4)  # 1/sqrt(2 pi), and phi(1) - (1 - Phi(1))
    0.4823
    """
    beyond = beliefs.quantile(DEVIATES) - line
    return float((SHARES @ np.maximum(np.where(taken, -beyond, beyond), 0.0)).sum())
