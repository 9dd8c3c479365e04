"""Tests of claims about logarithms of means, such as rates and powers, by runs."""

from __future__ import annotations

import numpy as np


def logarithm(values: np.ndarray) -> np.ndarray:
    """[runs] numbers whose mean is ln(mean of ``values``) and whose spread is that of its first order, run by run.

    Linear combinations of them can be tested like values; the correlation between runs is kept.
    """
    mean = values.mean(axis=0)
    return np.asarray(np.log(mean) + values / mean - 1.0)
