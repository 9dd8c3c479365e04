"""Which option to draw next: the warm start in turns, then the algorithm, with draws under way counted.

To an algorithm a pending draw is a sample like those before it: N grows, mean and variance stay.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from .._compile import is_record
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
    """Whoever chooses among ``size`` options by ``algorithm``."""
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
    """The moments of the results, the pending draws, and the warm start in turns."""

    def __init__(self, algorithm: Any, size: int, warm_start: int):
        self.algorithm, self.warm_start = algorithm, warm_start
        self.moments: Moments = make_moments(size)
        self.pending = np.zeros(size, np.int64)
        self.excluded: set[int] = set()  # options that fail
        self.cold = deque(range(size))  # whose warm start is not complete, in order of their turn
        self.origin, self.unit = 0.0, 1.0  # a result is origin + unit times what the moments hold

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

    def choose(self, allowed: np.ndarray | None) -> int:
        """The option to draw next, warm start over; ``allowed`` [K] leaves some out."""
        raise NotImplementedError

    def add_pending(self, i: int, warm: bool) -> None:
        """A draw of option ``i`` is under way, as part of the ``warm`` start or as chosen."""
        if self.cold:
            self.forget_warm()  # as when it was chosen, should this be another process or another day
            if self.cold and self.cold[0] == i:
                self.cold.rotate(-1)
        self.pending[i] += 1

    def drop_pending(self, i: int) -> None:
        """A pending draw of ``i`` will have no result."""
        self.pending[i] -= 1

    def add_result(self, i: int, value: float, expected: bool) -> None:
        """A result of option ``i``, larger being better; ``expected`` if it ends a pending draw."""
        observe(self.moments, i, value)
        if expected:
            self.pending[i] -= 1

    def exclude(self, i: int) -> None:
        """Option ``i`` fails: it is not chosen any more."""
        self.excluded.add(i)
        if i in self.cold:
            self.cold.remove(i)

    def include(self, i: int) -> None:
        """Option ``i`` works after all."""
        self.excluded.discard(i)
        self.cold.append(i)

    def add_option(self, cost: float) -> None:
        """One more option."""
        self.cold.append(self.pending.size)
        self.pending = np.append(self.pending, 0)
        self.moments = Moments(*(np.append(column, column.dtype.type(0)) for column in self.moments))

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
        self.drops = np.full(size, np.inf)  # [K] decrement per unit of w^2 s2 and of cost, pending draws counted
        self.begun = self.scaled = False
        self.line_up()

    def line_up(self) -> None:
        """A table of the options that work."""
        self.players = None  # all of them
        if self.excluded:
            self.players = np.array([i for i in range(self.pending.size) if i not in self.excluded], np.int64)
        self.table = GapTable(self.algorithm, self.pending.size - len(self.excluded))
        rows = slice(None) if self.players is None else self.players
        self.table.fill(*(column[rows] for column in self.moments))
        self.noise: np.ndarray | None = None  # [players] w^2 s2; None after a result

    def choose(self, allowed: np.ndarray | None) -> int:
        if self.noise is None:
            self.noise = self.table.noise()
            self.scores = self.noise * (self.drops if self.players is None else self.drops[self.players])
        scores = self.scores
        if allowed is not None:
            scores = np.where(allowed if self.players is None else allowed[self.players], scores, -np.inf)
        best = int(scores.argmax())
        return best if self.players is None else int(self.players[best])

    def add_pending(self, i: int, warm: bool) -> None:
        super().add_pending(i, warm)
        self.recount(i)

    def drop_pending(self, i: int) -> None:
        super().drop_pending(i)
        self.recount(i)

    def recount(self, i: int) -> None:
        """One draw of ``i`` more or less is under way."""
        drop = decrement(1.0, 1.0, self.moments.counts.item(i) + self.pending.item(i))
        self.drops[i] = drop if self.costs is None else drop / self.costs.item(i)
        if self.noise is not None and self.players is None:
            self.scores[i] = self.noise.item(i) * self.drops.item(i)
        else:
            self.noise = None

    def add_result(self, i: int, value: float, expected: bool) -> None:
        if not self.scaled:
            self.measure(value)
        super().add_result(i, (value - self.origin) / self.unit, expected)
        if i not in self.excluded:
            place = i if self.players is None else int(self.players.searchsorted(i))
            counts, means, squares = self.moments
            self.table.put(place, counts.item(i), means.item(i), squares.item(i))
        self.noise = None
        if not expected:
            self.recount(i)

    def measure(self, value: float) -> None:
        """Settle origin and unit; until two results differ all are zero, whatever the unit."""
        if not self.begun:
            self.begun, self.origin = True, value
        elif value != self.origin:
            self.scaled, self.unit = True, abs(value - self.origin)

    def exclude(self, i: int) -> None:
        super().exclude(i)
        self.line_up()

    def include(self, i: int) -> None:
        super().include(i)
        self.line_up()

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.drops = np.append(self.drops, np.inf)
        if self.costs is not None:
            self.costs = np.append(self.costs, cost)
        self.line_up()


class ArmChooser(Chooser):
    """Any other algorithm of the bandit engine that goes by the moments of its arms, by its verbs, uncompiled."""

    def __init__(self, algorithm: Any, size: int, warm_start: int, seed: int):
        if hasattr(algorithm, "warm_start"):
            algorithm = algorithm._replace(warm_start=warm_start)
        super().__init__(algorithm, size, warm_start)
        self.key = key(seed, "select", "rule")
        self.sum, self.results = 0.0, 0  # of all results
        self.chosen = 0  # draws so far: each choice has a random stream of its own
        self.ready = False  # not before the first choice, and not when an option comes or goes

    def make_ready(self) -> None:
        """Let the algorithm see all that is known."""
        self.players = [i for i in range(self.pending.size) if i not in self.excluded]
        self.places = {i: place for place, i in enumerate(self.players)}
        self.arms, self.samples = make_moments(len(self.players)), 0
        for i, place in self.places.items():
            self.copy(i, place)
        self.enter()
        self.ready = True

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

    def choose(self, allowed: np.ndarray | None) -> int:
        if not self.ready:
            self.make_ready()
        i = self.players[self.pick()]
        if allowed is not None and not allowed[i]:
            return int(np.where(allowed, self.moments.counts + self.pending, np.iinfo(np.int64).max).argmin())
        return i

    def enter(self) -> None:
        """Begin with all arms as they are."""
        size = len(self.players)
        self.memory = on_lists(prepare(self.algorithm, size))
        begin(self.algorithm, self.memory, size, self.warm_start * size)
        for place in range(size):
            self.change(place)

    def change(self, place: int) -> None:
        """Take notice of new moments of an arm."""
        if self.arms.counts[place] > 0:
            update(self.algorithm, self.memory, self.arms, place, 0.0)

    def pick(self) -> int:
        """The arm to pull."""
        step = max(self.samples, self.warm_start * len(self.players))
        return int(select(self.algorithm, self.memory, self.arms, step, Stream(self.key, self.chosen)))

    def add_pending(self, i: int, warm: bool) -> None:
        if not self.ready and not warm:
            self.make_ready()  # as when it was chosen
        super().add_pending(i, warm)
        self.chosen += 1
        self.refresh(i)

    def drop_pending(self, i: int) -> None:
        super().drop_pending(i)
        self.refresh(i)

    def add_result(self, i: int, value: float, expected: bool) -> None:
        super().add_result(i, value, expected)
        self.sum += value
        self.results += 1
        self.refresh(i)

    def refresh(self, i: int) -> None:
        if self.ready and (place := self.places.get(i)) is not None:
            self.copy(i, place)
            self.change(place)

    def exclude(self, i: int) -> None:
        super().exclude(i)
        self.ready = False

    def include(self, i: int) -> None:
        super().include(i)
        self.ready = False

    def add_option(self, cost: float) -> None:
        super().add_option(cost)
        self.ready = False


class IndexChooser(ArmChooser):
    """An algorithm in which a result changes the score of its own option alone: a tournament of scores."""

    def enter(self) -> None:
        self.origin_of_scores = float(self.arms.means.max())
        self.tournament = on_lists(make_tournament(len(self.players)))
        for place in range(len(self.players)):
            enter(self.tournament, place, self.score(place))
        play(self.tournament)

    def score(self, place: int) -> float:
        if self.arms.counts[place] == 0:
            return np.inf
        return float(index(self.algorithm, self.arms, place, self.origin_of_scores))

    def change(self, place: int) -> None:
        put(self.tournament, place, self.score(place))

    def pick(self) -> int:
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
