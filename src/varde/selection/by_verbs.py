"""Any other algorithm that depends on the moments of its arms, for ask/tell: its verbs, uncompiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import is_record, whole_number
from ..bandits.index import index
from ..bandits.loop import begin, prepare, select, update
from ..certainty import Block
from ..moments import make_moments
from ..random import key, start
from ..rule import VarDE, indexed
from ..tournament import Tournament, enter, make_tournament, play, put, winner
from .chooser import Chooser


def goes_by_index(algorithm: Any) -> bool:
    """Whether a result changes only the score of its own option."""
    if isinstance(algorithm, VarDE):
        return bool(indexed(algorithm))
    try:
        index.find(type(algorithm))
    except TypeError:
        return False
    return True


class ArmChooser(Chooser):
    """Any other bandit algorithm that depends on the moments of its arms, by its verbs, uncompiled."""

    def __init__(self, algorithm: Any, size: int, warm_start: int, seed: int):
        if hasattr(algorithm, "warm_start"):
            algorithm = algorithm._replace(warm_start=warm_start)
        super().__init__(algorithm, size, warm_start)
        self.key = key(seed, "select", "rule")
        self.sum, self.results = 0.0, 0  # of all results

    def enter(self) -> None:
        self.arms, self.samples = make_moments(len(self.players)), 0
        for i, place in self.places.items():
            self.copy(i, place)
        self.enter_arms()

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
            self.change_arm(place)

    def pick(self, allowed: np.ndarray | None) -> int:
        i = self.players[self.pick_arm()]
        if allowed is not None and not allowed[i]:
            return int(np.where(allowed, self.moments.counts + self.pending, np.iinfo(np.int64).max).argmin())
        return i

    def add_result(self, i: int, value: float, expected: bool, replicate: int = -1) -> None:
        self.sum += value
        self.results += 1
        super().add_result(i, value, expected, replicate)

    def add_block(self, i: int, block: Block) -> None:
        self.sum += block.times * block.value
        self.results += block.times
        super().add_block(i, block)

    # -- by the verbs ----------------------------------------------------------------------------

    def enter_arms(self) -> None:
        size = len(self.players)
        self.memory = on_lists(prepare(self.algorithm, size))
        begin(self.algorithm, self.memory, size, self.warm_start * size)
        for place in range(size):
            self.change_arm(place)

    def change_arm(self, place: int) -> None:
        if self.arms.counts[place] > 0:
            update(self.algorithm, self.memory, self.arms, place, 0.0)

    def pick_arm(self) -> int:
        step = max(self.samples, self.warm_start * len(self.players))
        arm = whole_number(
            self.algorithm, select(self.algorithm, self.memory, self.arms, step, Stream(self.key, self.drawn))
        )
        if not 0 <= arm < (size := len(self.players)):
            name = type(self.algorithm).__name__
            raise ValueError(f"{name} chose option {arm} of {size}: return 0 to {size - 1}")
        return int(arm)


class IndexChooser(ArmChooser):
    """An algorithm in which a result changes only the score of its own option: a tournament of scores."""

    def enter_arms(self) -> None:
        self.highest = float(self.arms.means.max())
        self.tournament = on_lists(make_tournament(len(self.players)))
        for place in range(len(self.players)):
            enter(self.tournament, place, self.score(place))
        play(self.tournament)

    def score(self, place: int) -> float:
        if self.arms.counts[place] == 0:
            return np.inf
        return float(index(self.algorithm, self.arms, place, self.highest))

    def change_arm(self, place: int) -> None:
        put(self.tournament, place, self.score(place))

    def pick_arm(self) -> int:
        return int(winner(self.tournament))


class Stream:
    """The random stream of one choice (``drawn`` tells them apart), begun only if the algorithm draws from it."""

    __slots__ = ("choice", "key", "words")

    def __init__(self, words: np.ndarray, choice: int):
        self.key, self.choice = words, choice
        self.words: np.ndarray | None = None

    def begun(self) -> Any:
        if self.words is None:
            self.words = np.empty(4, np.uint64)
            start(self.words, self.key, self.choice)
        return self.words

    def __getitem__(self, i: int) -> Any:
        return self.begun()[i]

    def __setitem__(self, i: int, word: int) -> None:
        self.begun()[i] = word


class Numbers(list[Any]):
    """A list where a tournament expects an array: one number at a time, uncompiled, it is five times as fast."""

    __slots__ = ()
    size = property(len)


def on_lists(memory: Any) -> Any:
    """``memory`` with the tournaments in it on lists."""
    if isinstance(memory, Tournament):
        return Tournament(Numbers(memory.scores.tolist()), Numbers(memory.winners.tolist()))  # type: ignore[arg-type]
    return type(memory)(*map(on_lists, memory)) if is_record(memory) else memory
