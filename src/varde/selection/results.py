"""All results of a selection, a column for each field: flat, since there may be a million options, or of results."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np

from ..certainty import Ragged

TAIL = 8  # results that came since all were grouped are at most one part in so many, or
LEAST = 1_024  # so many


class Results:
    """Results in the order in which they came, and how many each option has."""

    def __init__(self, numbers: int = 1):
        self.owners = array("q")  # the option of each
        self.values = array("d")  # the first of its numbers
        self.others = [array("d") for _ in range(numbers - 1)]  # further numbers, where the goal names several
        self.replicates = array("q")  # extra results have their own
        self.counts = array("q")  # of each option
        self.groups = (
            0,
            np.zeros(0, np.int64),
            np.zeros(0, np.int64),
        )  # the first so many: in order, and where each ends

    def add(self, i: int, value: float, replicate: int, others: Sequence[float] = ()) -> None:
        self.owners.append(i)
        self.values.append(value)
        self.replicates.append(replicate)
        for column, number in zip(self.others, others, strict=True):
            column.append(number)
        self.counts[i] += 1

    def grouped(self) -> np.ndarray:
        """The places of all results, option by option, in the order in which they came."""
        if self.groups[0] < len(self.owners) or self.groups[2].size < len(self.counts):
            order = np.argsort(np.array(self.owners), kind="stable")
            self.groups = len(self.owners), order, np.cumsum(np.array(self.counts))
        return self.groups[1]

    def places(self, i: int) -> np.ndarray:
        """Where the results of option ``i`` are."""
        if len(self.owners) - self.groups[0] > max(LEAST, len(self.owners) // TAIL):
            self.grouped()
        known, order, ends = self.groups
        first, end = (ends.item(k) if 0 <= k < ends.size else 0 for k in (i - 1, i))
        late = np.flatnonzero(np.array(self.owners[known:]) == i) + known
        return np.concatenate([order[min(first, end) : end], late])

    def of(self, i: int) -> np.ndarray:
        """The results of option ``i``."""
        return picked(self.values, self.places(i))

    def replicates_of(self, i: int) -> np.ndarray:
        return picked(self.replicates, self.places(i))

    def ragged(self, number: int = 0) -> Ragged:
        """One of the numbers of every result, by option."""
        column = self.values if number == 0 else self.others[number - 1]
        return Ragged(np.array(column)[self.grouped()], np.array(self.counts))

    def all_replicates(self) -> list[np.ndarray]:
        """The replicates of every option."""
        return np.split(np.array(self.replicates)[self.grouped()], np.cumsum(np.array(self.counts))[:-1])


def picked(column: array[float] | array[int], places: np.ndarray) -> np.ndarray:
    """Some of a column; the view must not outlive the call, or the column cannot grow."""
    return np.frombuffer(column, column.typecode)[places] if len(column) else np.zeros(0, column.typecode)
