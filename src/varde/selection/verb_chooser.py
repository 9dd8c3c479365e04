"""Every other record of the bandit engine behind ask and tell, by its verbs prepare, begin, select, update: uncompiled.

The verbs see ``arms`` in which a pending draw is a sample like those before it: N grows, mean and variance stay.  What
was put in is taken out again when the result comes: ``update`` is called when a draw is handed out and again when
it is answered, and ``reward`` is then the difference to what had been assumed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._compile import is_record
from ..bandits.continuous import ContinuousRejects, let_go
from ..bandits.halving import SequentialHalving
from ..bandits.loop import begin, prepare, select, update
from ..bandits.rejects import SuccessiveRejects, drop
from ..moments import make_moments
from ..random import key, start
from ..tournament import Tournament
from .chooser import Chooser

REJECTING = (SuccessiveRejects, SequentialHalving, ContinuousRejects)


class Stream:
    """The stream of one choice, begun only if the rule draws from it."""

    __slots__ = ("key", "run", "words")

    def __init__(self, words: np.ndarray, run: int):
        self.key, self.run = words, run
        self.words: np.ndarray | None = None

    def begun(self) -> Any:
        if self.words is None:
            self.words = np.empty(4, np.uint64)
            start(self.words, self.key, self.run)
        return self.words

    def __getitem__(self, i: int) -> Any:
        return self.begun()[i]

    def __setitem__(self, i: int, word: int) -> None:
        self.begun()[i] = word


class Numbers(list[Any]):
    """A list where a tournament expects an array: one number at a time, uncompiled, it is five times as fast."""

    __slots__ = ()
    size = property(len)


def quick(memory: Any) -> Any:
    """``memory`` with the tournaments in it on lists."""
    if isinstance(memory, Tournament):
        return Tournament(Numbers(memory.scores.tolist()), Numbers(memory.winners.tolist()))  # type: ignore[arg-type]
    return type(memory)(*map(quick, memory)) if is_record(memory) else memory


class VerbChooser(Chooser):
    """Any record of the bandit engine, by its verbs."""

    remembers = True

    def __init__(self, rule: Any, size: int, warm: int, draws: int, seed: int):
        super().__init__(rule, size, warm)
        self.fixed = isinstance(rule, REJECTING)
        # To ``update`` the warm start is always over: index rules skip what nobody reads before its end.
        self.warmed = rule._replace(warm_start=0) if hasattr(rule, "warm_start") else rule
        self.draws, self.key = draws, key(seed, "select", "rule")
        self.assumed = np.zeros(size)  # [K] sum of the rewards that pending draws were taken to have
        self.total, self.results, self.t = 0.0, 0, 0
        self.memory: Any = None  # made before the first choice, and again when an option comes or goes
        self.players = list(range(size))
        self.slots = self.players

    def build(self) -> None:
        self.players = [i for i in range(self.pending.size) if i not in self.out or self.fixed]
        self.slots = [-1] * self.pending.size
        for slot, i in enumerate(self.players):
            self.slots[i] = slot
        self.arms = make_moments(len(self.players))
        self.memory = quick(prepare(self.rule, len(self.players)))
        begin(self.rule, self.memory, len(self.players), self.draws)
        for i in self.players:
            mean, pending = self.expected(i), int(self.pending[i])
            self.assumed[i] = mean * pending
            self.refresh(i, mean * (int(self.moments.counts[i]) + pending))
        if self.fixed:
            for i in self.out:
                self.reject(i)

    def refresh(self, i: int, reward: float) -> None:
        """Let the rule see what is known and pending of option ``i``."""
        slot = self.slots[i]
        if slot < 0:
            return
        known, counts = int(self.moments.counts[i]), int(self.moments.counts[i] + self.pending[i])
        self.arms.counts[slot] = counts
        self.arms.means[slot] = self.expected(i)
        self.arms.squares[slot] = self.moments.squares[i] * (counts - 1) / (known - 1) if known > 1 else 0.0
        if counts > 0 and (not self.fixed or self.survives(slot)):
            update(self.warmed, self.memory, self.arms, slot, reward)

    def survives(self, slot: int) -> bool:
        """Whether a rejecting rule still counts this option; what comes late for another is for the record only."""
        survivors = self.memory.survivors
        return bool((survivors.alive[: survivors.left[0]] == slot).any())

    def expected(self, i: int) -> float:
        """The mean of an option, or before its first result that of all results."""
        if self.moments.counts[i] > 0:
            return float(self.moments.means[i])
        return self.total / self.results if self.results else 0.0

    def choose(self, allowed: np.ndarray | None) -> int:
        if self.memory is None:
            self.build()
            first = self.warm * len(self.players)  # the step at which index rules enter their scores
            self.t, t = max(self.t, first), first
        else:
            t = self.t
        i = self.players[int(select(self.rule, self.memory, self.arms, t, Stream(self.key, self.t)))]
        if hasattr(self.memory, "warm"):
            self.memory.warm[0] = 0  # from now on every change is entered
        if i in self.out or (allowed is not None and not allowed[i]):
            possible = np.ones(self.pending.size, bool) if allowed is None else allowed.copy()
            possible[list(self.out)] = False
            return int(np.where(possible, self.moments.counts + self.pending, np.iinfo(np.int64).max).argmin())
        return i

    def handed(self, i: int) -> None:
        super().handed(i)
        self.t += 1
        reward = self.expected(i)
        self.assumed[i] += reward
        if self.memory is not None:
            self.refresh(i, reward)

    def told(self, i: int, value: float, expected: bool) -> None:
        reward = value - self.forget(i) if expected else value
        super().told(i, value, expected)
        self.total += value
        self.results += 1
        if self.memory is not None:
            self.refresh(i, reward)

    def forget(self, i: int) -> float:
        """Take back what one pending draw of ``i`` was assumed to bring."""
        share = float(self.assumed[i]) / int(self.pending[i])
        self.assumed[i] -= share
        return share

    def withdrawn(self, i: int) -> None:
        share = self.forget(i)
        super().withdrawn(i)
        if self.memory is not None:
            self.refresh(i, -share)

    def left(self, i: int) -> None:
        super().left(i)
        if self.fixed and self.memory is not None:
            self.reject(i)
        else:
            self.memory = None

    def reject(self, i: int) -> None:
        """An option that fails leaves a rejecting rule as one that was rejected."""
        survivors = self.memory.survivors
        for position in range(int(survivors.left[0])):
            if survivors.alive[position] == i and survivors.left[0] > 1:
                if isinstance(self.rule, ContinuousRejects):
                    let_go(self.memory, self.arms, position)
                else:
                    drop(survivors, position)
                break

    def back(self, i: int) -> None:
        super().back(i)
        self.memory = self.memory if self.fixed else None

    def added(self, cost: float) -> None:
        super().added(cost)
        self.assumed = np.append(self.assumed, 0.0)
        self.memory = None
