"""All above a line: on which side of it is each component?

The line is known, so that each component is a gap of its own:  w_i^2 = exp(-focus |mean_i - line| / error_i).
"""

from __future__ import annotations

import numpy as np

from ..rule import VarDE
from .gaps import log_weight
from .standard_errors import errors_of


def line_noise(rule: VarDE, line: float, counts: np.ndarray, means: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """[K] w_i^2 s2_i, up to a factor common to all; equal where no noise was seen.

    >>> counts, means, squares = np.full(3, 10.0), np.array([1.0, 0.2, -0.1]), np.full(3, 9.0)
    >>> noise = line_noise(VarDE(), 0.0, counts, means, squares)
    >>> (noise / noise.max()).round(2)
    array([0.  , 0.39, 1.  ])
    """
    known = errors_of(rule.noise, counts, squares)
    if known is None:
        return np.ones(counts.size)
    logs = np.where(known.seen, log_weight(rule.decision, -np.abs(means - line), known.wary), 0.0)
    return np.exp(logs - logs.max()) * known.variances
