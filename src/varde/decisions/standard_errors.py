"""The noise and the standard errors of all components at once, on arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..beliefs.noise import guarded_variance, shrunk_variance


class Errors(NamedTuple):
    """Of every component; one without samples is as noisy as the others are on average."""

    seen: np.ndarray  # [K] has samples
    variances: np.ndarray  # [K] s2
    errors: np.ndarray  # [K] s2 / N
    wary: np.ndarray  # [K] the same, guarded against small variances that are luck
    pooled: float


def errors_of(model: Any, counts: np.ndarray, squares: np.ndarray) -> Errors | None:
    """None where no noise was seen at all."""
    seen = counts > 0
    free = counts.sum() - np.count_nonzero(seen)
    pooled = float(squares.sum() / free) if free > 0 else 0.0
    if not pooled > 0.0:
        return None
    counts = np.maximum(counts, 1)
    variances = shrunk_variance(model, pooled, squares, counts)
    return Errors(
        seen, variances, variances / counts, guarded_variance(model, pooled, variances, counts) / counts, pooled
    )
