"""Scales of a chart and their round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Scale(NamedTuple):
    """From numbers to 0..1, straight or logarithmic."""

    first: float
    last: float
    log: bool = False

    def __call__(self, number: float) -> float:
        if self.log:
            number = max(number, self.first * 1e-3)  # nothing at 0: well below the chart, where it is cut off
            return math.log(number / self.first) / math.log(self.last / self.first)
        return (number - self.first) / (self.last - self.first)

    def ticks(self, about: int = 5) -> list[float]:
        """Round numbers within the scale."""
        if self.log:
            powers = range(math.floor(math.log10(self.first)), math.ceil(math.log10(self.last)) + 1)
            several = len(powers) <= 4
            marks = [m * 10.0**p for p in powers for m in ((1, 2, 5) if several else (1,))]
            return [mark for mark in marks if self.first <= mark <= self.last]
        rough = (self.last - self.first) / about
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= rough * 0.999)
        marks = [i * step for i in range(math.ceil(self.first / step - 1e-9), math.floor(self.last / step + 1e-9) + 1)]
        return [round(mark, 12) for mark in marks]


def known(numbers: Sequence[float | None]) -> list[float]:
    return [number for number in numbers if number is not None and math.isfinite(number)]


def fit(numbers: Sequence[float], log: bool) -> Scale:
    """A scale that holds all of ``numbers`` with a little room."""
    if log:
        numbers = [number for number in numbers if number > 0.0] or [1.0]
        low, high = min(numbers), max(numbers)
        return Scale(low / 1.15, max(high * 1.15, low * 2.0), True)
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.1 * abs(high) or 1.0
    return Scale(low - room, high + room)


def room_for(values: Sequence[float], ends: Sequence[float], log: bool) -> Scale:
    """A scale for values and their intervals; the widest intervals, those of few runs, may reach beyond it."""
    values = [value for value in values if value > 0.0 or not log]
    if not values or not ends:
        return fit(values, log)
    if log:  # an interval that reaches 0 would stretch the scale to nothing
        return fit([*values, min(max(ends), 3.0 * max(values))], True)
    low, high = min(values), max(values)
    spare = 0.5 * (high - low) or math.inf
    return fit([*values, max(min(ends), low - spare), min(max(ends), high + spare)], False)
