"""Means drawn towards each other, as far as noise explains their spread; for the comparison, not for the intervals.

With e = s2 / N, r the relevance and F = sum r - 1 >= 1 (three options or more), A by Paule and Mandel 1982:

    sum r (m - c)^2 / (A + e) = F,   c = mean of m weighted by r / (A + e);   A = 0 if there is no root
    A' = A + 3 (mean of e weighted by r) / F          caution: a spread of few means is badly known
    kept = A' / (A' + e);  m moves by r (1 - kept)(c - m), by at most sqrt(e) before r;  e shrinks by 1 + (kept - 1) r

Where that limit holds e stays.
"""

from __future__ import annotations

import numpy as np

CAUTION = 3.0  # about the spread of the means, in error variances over degrees of freedom
FARTHEST = 1.0  # no mean moves further, in standard errors
FEWEST = 3  # options
ROUNDS = 50  # of Newton's method, which rises towards the root from 0


def together(means: np.ndarray, errors: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The means and error variances of options that all have weight, drawn together."""
    free = float(weight.sum()) - 1.0
    if means.size < FEWEST or free < 1.0:
        return means, errors
    spread, center = spread_of(means, errors, weight, free)
    spread += CAUTION * float(weight @ errors) / (free + 1.0) / free
    kept = spread / (spread + errors)
    shift, most = (1.0 - kept) * (center - means), FARTHEST * np.sqrt(errors)
    kept = np.where(np.abs(shift) > most, 1.0, kept)
    shift = np.clip(shift, -most, most)
    return means + shift * weight, errors * (1.0 + (kept - 1.0) * weight)


def spread_of(means: np.ndarray, errors: np.ndarray, weight: np.ndarray, free: float) -> tuple[float, float]:
    """A and c; the sum falls with A and is convex, so Newton's steps from 0 never overshoot."""
    spread = 0.0
    for _ in range(ROUNDS):
        precision = weight / (spread + errors)
        center = float(precision @ means) / float(precision.sum())
        terms = precision * (means - center) ** 2
        excess = float(terms.sum()) - free
        if excess <= 1e-9 * free:
            break
        spread += excess / float(terms @ (1.0 / (spread + errors)))
    return spread, center
