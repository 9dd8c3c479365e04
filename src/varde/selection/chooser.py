"""Which option to draw next: the warm start in turns, then the algorithm, with draws under way counted.

To an algorithm a pending draw is a sample like those before it: N grows, mean and variance stay.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .._compile import is_record, whole_number
from ..bandits.index import index
from ..bandits.loop import begin, prepare, select, update
from ..decisions import Gaps
from ..decisions.gap_table import GapTable
from ..moments import Moments, make_moments, observe
from ..noise import Pooled
from ..random import key, start
from ..rule import VarDE, decrement, first_samples, indexed
from ..tournament import Tournament, enter, make_tournament, play, put, winner


def warm_start_of(algorithm: Any, draws: int, size: int) -> int:
    """Draws of every option to begin with; ``draws`` is what the budget pays for, 0 where there is none."""
    if isinstance(algorithm, VarDE):
        return int(first_samples(algorithm, draws, size))
    return max(int(getattr(algorithm, "warm_start", 1)), 1)


def make_chooser(algorithm: Any, size: int, warm_start: int, costs: np.ndarray | None, seed: int) -> Chooser:
    """The chooser of ``algorithm`` among ``size`` options."""
    gaps = isinstance(algorithm, VarDE) and isinstance(algorithm.decision, Gaps)
    if gaps and isinstance(algorithm.noise, Pooled):
        return GapChooser(algorithm, size, warm_start, costs)
    return (IndexChooser if goes_by_index(algorithm) else ArmChooser)(algorithm, size, warm_start, seed)


def goes_by_index(algorithm: Any) -> bool:
    """Whether a result changes the score of its own option alone."""
    if isinstance(algorithm, VarDE):
        return bool(indexed(algorithm))
    try:
        index.find(type(algorithm))
    except TypeError:
        return False
    return True


class Chooser:
    """The moments of the results, the pending draws, and the warm start in turns; subclasses choose.

    They choose among ``players``, the options that work, by their places in that list.  They are made ready at the
    first choice, and again when an option has come or gone, from the moments alone.
    """

    def __init__(self, algorithm: Any, size: int, warm_start: int):
        self.algorithm, self.warm_start = algorithm, warm_start
        self.moments: Moments = make_moments(size)
        self.pending = np.zeros(size, np.int64)
        self.excluded: set[int] = set()  # options that fail
        self.cold = deque(range(size))  # whose warm start is not complete, in order of their turn
        self.origin, self.unit = 0.0, 1.0  # a result is origin + unit times what the moments hold
        self.ready = False

    # -- of a subclass ---------------------------------------------------------------------------

    def enter(self) -> None:
        """Begin with all players as they are."""
        raise NotImplementedError

    def change(self, i: int, result: bool) -> None:
        """Take notice of a new result of option ``i``, or of a draw of it more or less under way."""
        raise NotImplementedError

    def pick(self, allowed: np.ndarray | None) -> int:
        """The option to draw next."""
        raise NotImplementedError

    # -- the warm start --------------------------------------------------------------------------

    def is_warm(self, i: int) -> bool:
        return i in self.excluded or self.moments.counts[i] + self.pending[i] >= self.warm_start

    def forget_warm(self) -> None:
        """Take options off the list whose warm start is complete: they stay so until they fail."""
        while self.cold and self.is_warm(self.cold[0]):
            self.cold.popleft()

    def next_cold(self, allowed: np.ndarray | None) -> int | None:
        """Whose turn it is in the warm start, or None when that is over."""
        if not self.cold:
            return None
        self.forget_warm()
        for i in self.cold:
            if not self.is_warm(i) and (allowed is None or allowed[i]):
                return i
        return None

    # -- choosing and taking notice ----------------------------------------------------------------

    def choose(self, allowed: np.ndarray | None) -> int:
        """The option to draw next, warm start over; ``allowed`` [K] leaves some out."""
        if not self.ready:
            self.make_ready()
        return self.pick(allowed)

    def make_ready(self) -> None:
        self.players = [i for i in range(self.pending.size) if i not in self.excluded]
        self.places = {i: place for place, i in enumerate(self.players)}
        self.enter()
        self.ready = True

    def add_pending(self, i: int, warm: bool) -> None:
        """A draw of option ``i`` is under way, as part of the ``warm`` start or as chosen."""
        if not self.ready and not warm:
            self.make_ready()  # as when it was chosen, should this be another process or another day
        if self.cold:
            self.forget_warm()
            if self.cold and self.cold[0] == i:
                self.cold.rotate(-1)
        self.pending[i] += 1
        if self.ready:
            self.change(i, False)

    def drop_pending(self, i: int) -> None:
        """A pending draw of ``i`` will have no result."""
        self.pending[i] -= 1
        if self.ready:
            self.change(i, False)

    def add_result(self, i: int, value: float, expected: bool) -> None:
        """A result of option ``i``, larger being better; ``expected`` if it ends a pending draw."""
        observe(self.moments, i, value)
        if expected:
            self.pending[i] -= 1
        if self.ready:
            self.change(i, True)

    def exclude(self, i: int) -> None:
        """Option ``i`` fails: it is not chosen any more."""
        self.excluded.add(i)
        if i in self.cold:
            self.cold.remove(i)
        self.ready = False

    def include(self, i: int) -> None:
        """Option ``i`` works after all."""
        self.excluded.discard(i)
        self.cold.append(i)
        self.ready = False

    def add_option(self, cost: float) -> None:
        """One more option."""
        self.cold.append(self.pending.size)
        self.pending = np.append(self.pending, 0)
        self.moments = Moments(*(np.append(column, column.dtype.type(0)) for column in self.moments))
        self.ready = False

    def summary(self) -> Moments:
        """Counts, means and squares in the unit of the results, larger being better."""
        counts, means, squares = self.moments
        return Moments(counts, self.origin + self.unit * means, squares * self.unit**2)


class GapChooser(Chooser):
    """VarDE on the gaps: all options scored at once, after every result.

    Results are measured from the first one, in units of the first difference: rounding then does not depend on their
    zero and scale either, and 0/1 results give the same bits as 1e6/1e6+1000.
    """

    def __init__(self, algorithm: VarDE, size: int, warm_start: int, costs: np.ndarray | None):
        super().__init__(algorithm, size, warm_start)
        self.costs = costs
        self.begun = self.scaled = False

    def enter(self) -> None:
        self.table = GapTable(self.algorithm, len(self.players))
        self.table.fill(*(column[self.players] for column in self.moments))
        self.drops = np.array([self.drop(i) for i in self.players])
        self.noise: np.ndarray | None = None  # w^2 s2 of the players; None after a result

    def drop(self, i: int) -> float:
        """The decrement per unit of w^2 s2 and of cost; a pending draw counts."""
        drop: float = decrement(1.0, 1.0, self.moments.counts.item(i) + self.pending.item(i))
        return drop if self.costs is None else drop / self.costs.item(i)

    def change(self, i: int, result: bool) -> None:
        place = self.places.get(i)
        if place is None:
            return
        self.drops[place] = drop = self.drop(i)
        if result:
            counts, means, squares = self.moments
            self.table.put(place, counts.item(i), means.item(i), squares.item(i))
            self.noise = None
        elif self.noise is not None:
            self.scores[place] = self.noise.item(place) * drop

    def pick(self, allowed: np.ndarray | None) -> int:
        if self.noise is None:
            self.noise = self.table.noise()
            self.scores = self.noise * self.drops
        scores = self.scores if allowed is None else np.where(allowed[self.players], self.scores, -np.inf)
        return self.players[int(scores.argmax())]

    def add_result(self, i: int, value: float, expected: bool) -> None:
        if not self.scaled:
            self.measure(value)
        super().add_result(i, (value - self.origin) / self.unit, expected)

    def measure(self, value: float) -> None:
        """Settle origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.costs = None if self.costs is None else np.append(self.costs, cost)


class ArmChooser(Chooser):
    """Any other algorithm of the bandit engine that goes by the moments of its arms, by its verbs, uncompiled."""

    def __init__(self, algorithm: Any, size: int, warm_start: int, seed: int):
        if hasattr(algorithm, "warm_start"):
            algorithm = algorithm._replace(warm_start=warm_start)
        super().__init__(algorithm, size, warm_start)
        self.key = key(seed, "select", "rule")
        self.sum, self.results = 0.0, 0  # of all results
        self.drawn = 0  # draws so far: each choice has a random stream of its own

    def enter(self) -> None:
        self.arms, self.samples = make_moments(len(self.players)), 0
        for i, place in self.places.items():
            self.copy(i, place)
        self.enter_arms()

    def copy(self, i: int, place: int) -> None:
        """What is known and pending of option ``i``, as a mean of so many samples."""
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

    def add_pending(self, i: int, warm: bool) -> None:
        super().add_pending(i, warm)
        self.drawn += 1

    def add_result(self, i: int, value: float, expected: bool) -> None:
        self.sum += value
        self.results += 1
        super().add_result(i, value, expected)

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
    """An algorithm in which a result changes the score of its own option alone: a tournament of scores."""

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
    """The random stream of one choice, begun only if the algorithm draws from it."""

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
