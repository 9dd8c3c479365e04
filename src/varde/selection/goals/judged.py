"""The verdict of a goal on results: the answer, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...beliefs.features import Space
from ...certainty import Block, Ragged, Sample, from_values
from ...certainty.alike import Alike


class Compared(NamedTuple):
    """The results of the options that are compared, larger being better."""

    values: Ragged  # one array per option
    numbers: Mapping[str, Ragged]  # the same for each number by name, as they came
    replicates: Sequence[np.ndarray] | None  # for common random numbers or items
    items: int  # how many there are; 0: results can be drawn without end
    unit: float  # in which the values are measured
    bounds: tuple[float, float] | None
    blocks: Sequence[Sequence[Block]] = ()  # results without their values, a list per option
    factors: np.ndarray | None = None  # [K] one of so many results is independent of the others; None: all are
    alike: tuple[Space, np.ndarray | None] | None = None  # where each option is, and earlier hyper-parameters

    @property
    def in_order(self) -> list[np.ndarray]:
        """The results of every option from the lowest to the highest, as many as are independent."""
        found = [np.sort(x) for x in self.values]
        if self.factors is None:
            return found
        kept = [max(round(x.size / c), min(x.size, 1)) for x, c in zip(found, self.factors.tolist(), strict=True)]
        return [x[((np.arange(n) + 0.5) * x.size / max(n, 1)).astype(int)] for x, n in zip(found, kept, strict=True)]

    def sample(self, values: Ragged | None = None, bounds: tuple[float, float] | None = None) -> Sample:
        """The results of every option, or of another of their numbers."""
        own = (self.values, self.bounds, self.blocks)
        sample = from_values(*own) if values is None else from_values(values, bounds)
        sample = sample if self.factors is None else sample.thinned(self.factors)
        return sample._replace(left=1.0 - sample.counts / self.items) if self.items else sample


class Judged(NamedTuple):
    """The answer among K options, in the unit of the results; larger is better."""

    chosen: tuple[int, ...]  # the answer, best first
    chances: np.ndarray  # [K] of each to belong to it
    right: float  # that it is exactly right
    loss: float  # the expected loss if it is not; nan if unknown
    estimates: np.ndarray  # [K] of what is compared
    lows: np.ndarray  # [K] 95 % intervals of that
    highs: np.ndarray
    verdicts: list[str]
    gap: tuple[int, float, float] | None  # the strongest rival of the best, its lead, and the 95 % margin of that
    sample: Sample
    compared: Sample | None = None  # the sample options were compared by, if not that one
    allowed: np.ndarray | None = None  # [K] the chance that an option meets its limits
    numbers: Mapping[str, tuple[np.ndarray, ...]] | None = None  # means and intervals of further ones, as they came
    watched: float = math.nan  # the chance to stop by
    alike: Alike | None = None  # what resemblance says, where options may have some


def unit_of(values: Ragged, blocks: Sequence[Sequence[Block]] = ()) -> float:
    """A power of two to divide by, so that powers neither underflow nor overflow; 1 unless most options are extreme."""
    sizes = np.abs(values.flat)
    tops = [abs(block.value) for each in blocks for block in each]
    top = usual = max(float(sizes.max(initial=0.0)), *tops, 0.0)
    if 1e-70 < top < 1e70:
        return 1.0
    if top > 1e70:  # one that diverged must not set the unit
        tops += [float(x.max(initial=0.0)) for x in Ragged(sizes, values.sizes)]
        tops = sorted(most for most in tops if most > 0.0)
        usual = tops[(len(tops) - 1) // 2]
    unit = max(1.0 if 1e-70 < usual < 1e70 or top == 0.0 else usual, top / 1e140, 1e-300)
    return 1.0 if unit == 1.0 else math.ldexp(1.0, math.frexp(unit)[1] - 1)


def in_unit(block: Block, factor: float) -> Block:
    return Block(block.value * factor, block.times, block.squares * factor * factor)


def facing(bounds: tuple[float, float] | None, factor: float) -> tuple[float, float] | None:
    """The bounds of results multiplied by that."""
    if bounds is None:
        return None
    low, high = sorted(factor * end for end in bounds)
    return low, high
