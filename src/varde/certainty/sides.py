"""On which side of a given line each true mean lies."""

from __future__ import annotations

from typing import Any

import numpy as np

from .beliefs import Beliefs
from .distributions import Student
from .model import WIDEST, Known, compared, learn
from .samples import Sample, own_variance

DEVIATES = np.linspace(-7.0, 7.0, 281)
SHARES = np.exp(-0.5 * DEVIATES**2) / np.exp(-0.5 * DEVIATES**2).sum()


def beside(sample: Sample, line: float) -> tuple[Known, Beliefs]:
    """The beliefs about every option, for comparing with a line.

    If no noise was seen at all, the distance to the line is used instead.
    """
    known = learn(sample)
    silent = ~(np.isfinite(known.variance) & (known.variance > 0.0)) | ~sample.squares.any()
    who = np.flatnonzero(known.numbers & silent & (sample.counts > 0))
    if who.size:
        free = own_variance(sample)[1][who] + 1.0
        distance = np.abs(sample.means[who] - line)
        variance, freedom = known.variance.copy(), known.freedom.copy()
        variance[who], freedom[who] = np.where(distance > 0.0, distance**2, 1.0) / free, free
        errors = np.sqrt(variance[who] / sample.worth[who])
        alone = known.alone.put(who, Student(sample.means[who], errors, np.maximum(free, WIDEST)))
        known = known._replace(variance=variance, freedom=freedom, alone=alone)
    return known, compared(sample, known)


def above(beliefs: Any, line: float) -> np.ndarray:
    """[K] P(mu_i > line)."""
    return np.asarray(-np.expm1(beliefs.log_below(np.array([line]))[0]))


def shortfall(beliefs: Any, line: float, taken: np.ndarray) -> float:
    """The expected cost of wrong sides, summed over all: E[(line - mu)+] of those taken, E[(mu - line)+] of the others.

    >>> from .beliefs import Beliefs
    >>> two = Beliefs.students(np.array([0.0, 1.0]), np.ones(2), np.full(2, np.inf))
    >>> round(shortfall(two, 0.0, np.array([False, True])), 3)  # 1/sqrt(2 pi), and phi(1) - (1 - Phi(1))
    0.482
    """
    beyond = beliefs.quantile(DEVIATES) - line
    return float((SHARES @ np.maximum(np.where(taken, -beyond, beyond), 0.0)).sum())
