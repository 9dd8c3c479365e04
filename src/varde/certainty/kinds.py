"""The kind of results, decided by the values of the core: the options with a relevance of .5 or more.

    "two values"        two different values, such as 0 and 1: 4 results or more, one value twice; with bounds, only
                        those
    "mostly one value"  three or more; the most common is the lowest or the highest, makes up 30 % or more, occurs in
                        two options of the core (or there is only one) and in one that had another value too
    "numbers"           everything else

If the core shows a single value, every option that had that value joins it.  If a summary hides the values of a
relevant option, all are numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .samples import Sample

NUMBERS, TWO, MOSTLY = KINDS = ("numbers", "two values", "mostly one value")
CORE = 0.5  # least relevance of the core
SHARE = 0.3  # of all values, equal to one end of their range
FEWEST = 4  # results before they are called two-valued


class Kind(NamedTuple):
    """The kind of the results of some options."""

    name: str
    ends: tuple[float, float] = (0.0, 0.0)  # the two values; or the common one and the other end, in either order
    fits: np.ndarray | None = None  # [K] whose results are of that kind


def recognise(sample: Sample, relevant: np.ndarray) -> Kind:
    """The kind, as given or as recognised from the sample."""
    if sample.values is None or sample.owners is None or sample.kind == NUMBERS:
        return Kind(NUMBERS)
    values, owners = sample.values, sample.owners
    times = np.ones(values.size) if sample.times is None else sample.times
    core = relevant >= CORE
    seen = values[core[owners]]
    if seen.size and (seen == seen[0]).all():  # the core has one value
        core = core.copy()
        core[owners[values == seen[0]]] = True
        seen = values[core[owners]]
    if not seen.size or (sample.summed is not None and (core & sample.summed).any()):
        return Kind(NUMBERS)
    often = times[core[owners]]
    low, high, total = float(seen.min()), float(seen.max()), int(often.sum())
    lows, highs = int(often[seen == low].sum()), int(often[seen == high].sum())
    between = total - lows - highs
    if sample.kind != MOSTLY:
        within = sample.bounds is not None and np.isin(seen, sample.bounds).all()
        enough = sample.bounds is None and total >= FEWEST and max(lows, highs) >= 2
        if within or (low < high and between == 0 and (enough or sample.kind == TWO)):
            ends = sample.bounds if within and sample.bounds is not None else (low, high)
            return Kind(TWO, ends, all_of(sample, (values == ends[0]) | (values == ends[1])))
    if low == high or sample.kind == TWO:
        return Kind(NUMBERS)
    end, other, ended = (low, high, lows) if lows >= highs else (high, low, highs)
    if sample.kind != MOSTLY:
        if between == 0 or ended < SHARE * total:
            return Kind(NUMBERS)
        if between >= ended and np.sort(np.bincount(np.unique(seen, return_inverse=True)[1], often))[-2] >= ended:
            return Kind(NUMBERS)
        at_end = np.bincount(owners[values == end], times[values == end], core.size)
        had = core & (at_end > 0)
        shared = np.count_nonzero(had) > 1 or np.count_nonzero(core) == 1
        if not shared or not (had & (at_end < sample.counts)).any():
            return Kind(NUMBERS)
    side = values >= end if end == low else values <= end
    return Kind(MOSTLY, (end, other), all_of(sample, side))


def all_of(sample: Sample, fit: np.ndarray) -> np.ndarray:
    """[K] which options have results, all of which fit."""
    found = sample.counts > 0
    if sample.owners is not None:
        found[sample.owners[~fit]] = False
    return found if sample.summed is None else found & ~sample.summed
