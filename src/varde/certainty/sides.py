"""On which side of a given line each true mean lies."""

from __future__ import annotations

import numpy as np

from ..beliefs.means import Beliefs, Known
from ..beliefs.samples import Sample
from .intervals import ends

DEVIATES = np.linspace(-7.0, 7.0, 281)
SHARES = np.exp(-0.5 * DEVIATES**2) / np.exp(-0.5 * DEVIATES**2).sum()


def above(sample: Sample, known: Known, line: float) -> np.ndarray:
    """[K] P(mu_i > line).

    Of an option that never varied, a result like the worst of the others or at a bound may have been missed: it takes
    a share x of those to get to the line, and the chance of none in N results is (1 - x)^N.
    """
    if known.blank:
        return np.full(sample.counts.size, 0.5)
    found = -np.expm1(known.compared.log_below(np.array([line]))[0])
    low, high = ends(sample, known.relevant > 0.0)
    still = (sample.squares == 0.0) & (sample.counts > 0.0)
    if not low < high or not still.any():
        return found
    worst = np.maximum(np.where(sample.means > line, sample.means - low, high - sample.means), 1e-300)
    share = np.minimum(np.abs(sample.means - line), worst) / worst
    limit = np.where(still, np.maximum(1.0 - (1.0 - share) ** sample.effective, 0.5), 1.0)
    return np.clip(found, 1.0 - limit, limit)


def shortfall(beliefs: Beliefs, line: float, taken: np.ndarray) -> float:
    """The expected cost of wrong sides, summed over all: E[(line - mu)+] of those taken, E[(mu - line)+] of the others.

    >>> two = Beliefs.students(np.array([0.0, 1.0]), np.ones(2), np.full(2, np.inf))
    >>> round(shortfall(two, 0.0, np.array([False, True])), 3)  # 1/sqrt(2 pi), and phi(1) - (1 - Phi(1))
    0.482
    """
    beyond = beliefs.quantile(DEVIATES) - line
    return float((SHARES @ np.maximum(np.where(taken, -beyond, beyond), 0.0)).sum())
