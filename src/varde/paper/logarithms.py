"""Statements about logarithms of means, such as rates and powers, made fit for a test by runs."""

from __future__ import annotations

import numpy as np


def logarithm(values: np.ndarray) -> np.ndarray:
    """[runs] numbers whose mean is ln(mean of ``values``) and whose spread is that of its first order, run by run.

    Sums of them with any factors can be tested like values: what runs have in common stays in common.
    """
    mean = values.mean(axis=0)
    return np.asarray(np.log(mean) + values / mean - 1.0)
