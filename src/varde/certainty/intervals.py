"""95 % intervals of the true means, each option on its own.

From the belief about the option alone.  The leader was chosen because its mean is high: its low end goes down by as
much as its mean is shrunk.  An option that never varied may have missed a result that others had: N results show what
comes in more than k = 1 - .025^(1/N) of them, so that its interval reaches at least from m - k (m - lowest) to
m + k (highest - m) of the relevant results.  For 30 of 30 successes that is the interval of Clopper and Pearson.
"""

from __future__ import annotations

import numpy as np

from ..beliefs.means import Known
from ..beliefs.samples import Sample
from ..beliefs.student import DEVIATE


def intervals(sample: Sample, known: Known) -> tuple[np.ndarray, np.ndarray]:
    """[K] both ends; infinite, or the bounds, where nothing is known."""
    lows, highs = known.alone.quantile(np.array([-DEVIATE, DEVIATE]))
    best = sample.leader
    if sample.line is None:
        lows[best] -= max(0.0, float(sample.means[best] - known.compared.centers[best]))
    low, high = ends(sample, known.relevant > 0.0)
    if low <= high:
        share = np.where(sample.squares > 0.0, 0.0, missable(sample))
        lows = np.minimum(lows, sample.means - share * np.maximum(sample.means - low, 0.0))
        highs = np.maximum(highs, sample.means + share * np.maximum(high - sample.means, 0.0))
    unknown = (sample.counts <= 0.0) | known.blank
    lows, highs = np.where(unknown, -np.inf, lows), np.where(unknown, np.inf, highs)
    return (lows, highs) if sample.bounds is None else (np.clip(lows, *sample.bounds), np.clip(highs, *sample.bounds))


def ends(sample: Sample, who: np.ndarray) -> tuple[float, float]:
    """The lowest and the highest result of the options ``who``, or the bounds where all results were alike."""
    if sample.lows is None or sample.highs is None:
        return np.inf, -np.inf
    low, high = float(sample.lows[who].min()), float(sample.highs[who].max())
    return sample.bounds if low == high and sample.bounds is not None else (low, high)


def missable(sample: Sample) -> np.ndarray:
    """[K] the share of its results that an option may have without showing them, at 97.5 %."""
    share = 1.0 - 0.025 ** (1.0 / np.maximum(sample.counts, 1e-3))
    return share if sample.left is None else share * np.minimum(sample.left, 1.0)
