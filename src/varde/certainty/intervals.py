"""95 % intervals of numbers, each option alone: Student's, corrected for skewness (Hall 1992).

With q = clip(skewness / sqrt(N), -2, 2) and y the Student quantile (max(nu, 1) degrees of freedom) at -1.96 and 1.96:

    T = (3/q) ((1 + q (y - q/6))^(1/3) - 1),   y itself for q = 0;     mu = m - sqrt(s2 / N) T

Those of two values and of jumps are in two_values.py and jumps.py.
"""

from __future__ import annotations

import numpy as np

from .student import DEVIATE, student_score

BEND = 2.0  # the largest skewness / sqrt(N)


def bent(
    means: np.ndarray, errors: np.ndarray, freedom: np.ndarray, skewness: float, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Both ends; ``errors`` are standard errors."""
    y = student_score(np.array([[DEVIATE], [-DEVIATE]]), np.maximum(freedom, 1.0))
    if abs(skewness) > 1e-9:
        q = np.clip(skewness / np.sqrt(np.maximum(counts, 1.0)), -BEND, BEND)
        y = 3.0 / q * (np.cbrt(1.0 + q * (y - q / 6.0)) - 1.0)
    lows, highs = means - errors * y
    return lows, highs
