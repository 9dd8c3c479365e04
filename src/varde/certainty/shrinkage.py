"""Shrinks means towards each other, as far as noise explains their spread; for comparisons, not for intervals.

With e = s2 / N, r the relevance and F = sum r - 1 >= 1 (three options or more), A by Paule and Mandel 1982:

    sum r (m - c)^2 / (A + e) = F,   c = mean of m weighted by r / (A + e);   A = 0 if there is no root
    A' = A + 3 (mean of e weighted by r) / F          caution: the spread of few means is uncertain
    kept = A' / (A' + e);  m moves by r (1 - kept)(c - m), by at most sqrt(e) before r;  e shrinks by 1 + (kept - 1) r

If that limit applies downwards e stays: a high outlier may be real.  A poorly known option far below may not keep its
error: it would otherwise be the likeliest of all to be the best.
"""

from __future__ import annotations

import numpy as np

CAUTION = 3.0  # about the spread of the means, in error variances over degrees of freedom
FARTHEST = 1.0  # no mean moves further, in standard errors
MOST = 0.7  # the most weight of the others in the belief about a rate
FEWEST = 3  # options
ROUNDS = 50  # of Newton's method, which rises towards the root from 0


def together(means: np.ndarray, errors: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The means and error variances of options that all have weight, shrunk towards each other."""
    spread, center = careful_spread(means, errors, weight)
    if spread is None:
        return means, errors
    kept = spread / (spread + errors)
    shift, most = (1.0 - kept) * (center - means), FARTHEST * np.sqrt(errors)
    kept = np.where(shift < -most, 1.0, kept)
    shift = np.clip(shift, -most, most)
    return means + shift * weight, errors * (1.0 + (kept - 1.0) * weight)


def strength(means: np.ndarray, single: float, tries: np.ndarray, weight: np.ndarray, center: float) -> np.ndarray:
    """How many pseudo-results at ``center`` each option gets, if one result has the variance ``single``.

    n = single / A', so that the mean moves by n / (N + n) of its distance, at most .7, and at most one standard error
    down.
    """
    errors = single / tries
    some = weight > 0.0
    spread, _ = careful_spread(means[some], errors[some], weight[some])
    if spread is None or not single > 0.0:
        return np.zeros(means.size)
    share = errors / (spread + errors)
    ahead = np.maximum(means - center, 1e-300)
    share = np.minimum(share, np.minimum(FARTHEST * np.sqrt(errors) / ahead, MOST))
    return np.asarray(weight * tries * share / (1.0 - share))


def careful_spread(means: np.ndarray, errors: np.ndarray, weight: np.ndarray) -> tuple[float | None, float]:
    """A' and c; None if there are too few options."""
    free = float(weight.sum()) - 1.0
    if means.size < FEWEST or free < 1.0:
        return None, 0.0
    spread, center = spread_of(means, errors, weight, free)
    return spread + CAUTION * float(weight @ errors) / (free + 1.0) / free, center


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
