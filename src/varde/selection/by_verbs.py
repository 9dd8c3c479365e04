"""Algorithms other than the default, for ask and tell: their verbs, uncompiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import whole_number
from ..bandits.index import index
from ..bandits.loop import begin, prepare, select, update
from ..certainty import Block
from ..moments import make_moments
from ..random import key, start
from ..rule import VarDE, indexed
from .chooser import Chooser


class ArmChooser(Chooser):
    """Any other bandit algorithm that depends on the moments of its arms, by its verbs, uncompiled."""

    def __init__(self, algorithm: Any, size: int, warm_start: int, seed: int):
        if hasattr(algorithm, "warm_start"):
            algorithm = algorithm._replace(warm_start=warm_start)
        super().__init__(algorithm, size, warm_start)
        self.key = key(seed, "select", "rule")
        self.sum, self.results = 0.0, 0  # of all results
        # Whether a result changes only the score of its own option: then nothing else need be remembered.
        self.by_index = indexed(algorithm) if isinstance(algorithm, VarDE) else type(algorithm) in index.cases

    def enter(self) -> None:
        self.arms, self.samples = make_moments(len(self.players)), 0
        for i, place in self.places.items():
            self.copy(i, place)
        size, self.peak = len(self.players), float(self.arms.means.max())
        self.memory = prepare(self.algorithm, size)
        begin(self.algorithm, self.memory, size, self.warm_start * size)
        for place in range(size):
            self.update(place)

    def update(self, place: int) -> None:
        if self.arms.counts[place] > 0 and not self.by_index:
            update(self.algorithm, self.memory, self.arms, place, 0.0)

    def copy(self, i: int, place: int) -> None:
        """Results and pending draws of option ``i``, as a mean of so many samples."""
        known, count = int(self.moments.counts[i]), int(self.moments.counts[i] + self.pending[i])
        self.samples += count - int(self.arms.counts[place])
        self.arms.counts[place] = count
        self.arms.means[place] = self.expected(i)
        self.arms.squares[place] = self.moments.squares[i] * (count - 1) / (known - 1) if known > 1 else 0.0

    def expected(self, i: int) -> float:
        """The mean of an option, or before its first result that of all results."""
        if self.moments.counts[i] > 0:
            return float(self.moments.means[i])
        return self.sum / self.results if self.results else 0.0

    def change(self, i: int, result: bool) -> None:
        place = self.places.get(i)
        if place is not None:
            self.copy(i, place)
            self.update(place)

    def pick(self, allowed: np.ndarray | None) -> int:
        i = self.players[self.highest() if self.by_index else self.selected()]
        if allowed is not None and not allowed[i]:
            return int(np.where(allowed, self.moments.counts + self.pending, np.iinfo(np.int64).max).argmin())
        return i

    def highest(self) -> int:
        """The arm with the highest index, those without results first."""
        counts, peak = self.arms.counts, self.peak
        each = range(counts.size)
        return max(each, key=lambda at: index(self.algorithm, self.arms, at, peak) if counts[at] else np.inf)

    def selected(self) -> int:
        """The arm that the algorithm selects, with a random stream of its own for each choice."""
        size, words = len(self.players), np.empty(4, np.uint64)
        start(words, self.key, self.drawn)
        step = max(self.samples, self.warm_start * size)
        arm = whole_number(self.algorithm, select(self.algorithm, self.memory, self.arms, step, words))
        if not 0 <= arm < size:
            name = type(self.algorithm).__name__
            raise ValueError(f"{name} chose option {arm} of {size}: return 0 to {size - 1}")
        return int(arm)

    def add_result(self, i: int, value: float, expected: bool, replicate: int = -1) -> None:
        self.sum += value
        self.results += 1
        super().add_result(i, value, expected, replicate)

    def add_block(self, i: int, block: Block) -> None:
        self.sum += block.times * block.value
        self.results += block.times
        super().add_block(i, block)
