"""What common random numbers add: samples of two options with the same replicate go up and down together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .beliefs import Beliefs
from .largest import largest
from .model import Known
from .samples import LEAST, Sample

PAIRS = 5  # replicates in common from which on a correlation is believed


class Matched(NamedTuple):
    """How far the mean of every option goes along with that of the best one."""

    counts: np.ndarray  # [K] replicates in common with the best option
    correlations: np.ndarray  # [K] of the two means


def pair_up(values: Sequence[np.ndarray], replicates: Sequence[np.ndarray], best: int) -> Matched:
    """How the means of all options go along with that of ``best``, from the replicates that both have.

    Only a positive correlation is believed, lowered by one standard error (Fisher), and from five pairs on.
    """
    counts, correlations = np.zeros(len(values)), np.zeros(len(values))
    first = dict(zip(replicates[best].tolist(), values[best].tolist(), strict=True))
    for j, (mine, theirs) in enumerate(zip(values, replicates, strict=True)):
        both = [(x, first[r]) for r, x in zip(theirs.tolist(), mine.tolist(), strict=True) if r in first]
        counts[j] = len(both)
        if j == best or len(both) < PAIRS:
            continue
        x, y = (column - column.mean() for column in np.array(both).T)
        spread = math.sqrt((x @ x) * (y @ y))
        if spread > 0.0:
            correlation = math.tanh(math.atanh(min(x @ y / spread, 1.0 - 1e-9)) - 1.0 / math.sqrt(len(both) - 3.0))
            correlations[j] = max(correlation, 0.0) * len(both) / math.sqrt(mine.size * values[best].size)
    return Matched(counts, correlations)


def by_pairs(sample: Sample, known: Known, pairs: Matched, best: int) -> tuple[np.ndarray, float, np.ndarray]:
    """Chances and regret by the gaps to the best option, and by how much pairs narrow each gap.

    The gaps share the error of the best, so that they depend on each other positively: their chances multiplied are
    a lower bound (Slepian).
    """
    errors = known.variance / sample.worth
    apart = errors + errors[best]
    gaps = np.maximum(apart - 2.0 * pairs.correlations * np.sqrt(errors * errors[best]), 1e-4 * apart)
    scales = np.sqrt(np.where(np.arange(errors.size) == best, LEAST * apart, gaps))
    freedom = np.where(pairs.correlations > 0.0, pairs.counts - 1.0, known.freedom)
    chances, regret = largest(Beliefs.students(sample.means, scales, np.maximum(freedom, 2.0)), best)
    return chances, regret, np.sqrt(gaps / apart)
